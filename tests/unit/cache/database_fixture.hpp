#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "cache/tuning_database.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune::test {

/// A directory of its own for each test, removed with it.
class DirectoryTest : public testing::Test {
 protected:
  DirectoryTest() {
    std::string name = (std::filesystem::temp_directory_path() / "bitune-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("there is no directory for the test");
    directory = name;
  }
  ~DirectoryTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }

  std::filesystem::path directory;
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream bytes;  // not byte by byte, which is slow where nothing is optimised
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline DeviceInfo emulated() {
  DeviceInfo device;
  device.kind = "emulated";
  device.name = "emulated device";
  device.sm_count = 4;
  return device;
}

inline DeviceSoftware software() { return {"GPU-1", "580.95 (CUDA 13.0)", "nvrtc 13.0"}; }

inline Problem problem(std::uint64_t n = 1024, KeyType key = KeyType::u32) {
  Problem problem;
  problem.key = key;
  problem.n = n;
  return problem;
}

/// A verified trial whose median is `median_us`.
inline Trial trial(const Problem& problem, const std::string& configuration, double median_us) {
  Trial trial;
  trial.problem = problem;
  trial.configuration = Configuration::parse(configuration);
  trial.kernel_digest = "kernels-a";
  trial.samples_us = {median_us + 1, median_us, median_us / 2};
  return trial;
}

/// The sentence of the Error (database) that `call` throws; it must name the file.
inline std::string refusal(const std::filesystem::path& path, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::database) << error.what();
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace bitune::test
