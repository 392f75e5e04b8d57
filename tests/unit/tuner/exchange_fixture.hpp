#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bitune/error.hpp"
#include "tuner/exchange/recordings.hpp"

namespace bitune::test {

/// A folder of its own for each test, removed with it.
class ExchangeTest : public testing::Test {
 protected:
  ExchangeTest() {
    std::string name = (std::filesystem::temp_directory_path() / "bitune-exchange-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("there is no folder for the test");
    folder = name;
  }
  ~ExchangeTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::filesystem::path write(const std::string& text, const std::string& name = "file.json") const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }

  std::vector<Recording> read(const std::string& text, const ReadLimits& limits = {}) const {
    return read_recordings(write(text), limits);
  }

  /// The sentence with which a file of this text is refused; it must name the file and be one line.
  std::string refusal(const std::string& text, const ReadLimits& limits = {}) const {
    const auto path = write(text);
    try {
      static_cast<void>(read_recordings(path, limits));
    } catch (const Error& error) {
      const std::string sentence = error.what();
      EXPECT_EQ(error.code(), ErrorCode::input) << sentence;
      EXPECT_NE(sentence.find(path.string()), std::string::npos) << sentence;
      EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
      EXPECT_LT(sentence.size(), 500u) << sentence;
      return sentence;
    }
    ADD_FAILURE() << "was taken: " << text.substr(0, 200);
    return {};
  }

  std::filesystem::path folder;
};

/// A cache in the layout in which Kernel Tuner writes it, with these entries.
inline std::string cache_of(const std::string& entries) {
  return R"({
"device_name": "NVIDIA H200",
"kernel_name": "bitune_warp_u32_ascending",
"problem_size": 1024,
"tune_params_keys": [
"block_size_x",
"items_per_thread"
],
"tune_params": {"block_size_x": [32, 64], "items_per_thread": [4, 8]},
"objective": ["time"],
"cache": {)" +
         entries + "}\n}";
}

/// An entry with further members before those that every entry has.
inline std::string entry_of(int block, int items, const std::string& members) {
  return "\n\"" + std::to_string(block) + "," + std::to_string(items) +
         "\": {\"block_size_x\": " + std::to_string(block) +
         ", \"items_per_thread\": " + std::to_string(items) + ", " + members +
         R"(, "compile_time": 400.5, "verification_time": 0, "benchmark_time": 1.25, "strategy_time": 0,)"
         R"( "framework_time": 0.5, "timestamp": "2026-11-21 12:26:11.411558+00:00"})";
}

}  // namespace bitune::test
