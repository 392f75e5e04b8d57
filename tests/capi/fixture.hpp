#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bitune/bitune.h"

namespace bitune::test {

/// A sorter of the emulated device, with a database of the test's own that nothing is in.
class CLibrary : public ::testing::Test {
 protected:
  CLibrary() {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    bitune_sorter_options options = BITUNE_SORTER_OPTIONS_INIT;
    options.device = "emulated";
    options.database = database.c_str();
    EXPECT_EQ(bitune_sorter_create(&options, &sorter), BITUNE_OK) << bitune_last_error();
  }
  ~CLibrary() override {
    bitune_sorter_destroy(sorter);
    std::filesystem::remove_all(folder);
  }

  /// A problem of u32 keys.
  static bitune_problem problem_of(std::uint64_t n) {
    bitune_problem problem = BITUNE_PROBLEM_INIT;
    problem.n = n;
    return problem;
  }

  template <class T>
  static bitune_operand operand_of(std::vector<T>& array) {
    return {array.data(), array.size(), 0};
  }

  /// What the library gave out, which is freed.
  static nlohmann::json json_of(char* text) {
    const nlohmann::json json = nlohmann::json::parse(text == nullptr ? "null" : text);
    bitune_free(text);
    return json;
  }

  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) /
                                       (std::string("bitune-capi-") + std::to_string(::getpid()) + "-" +
                                        ::testing::UnitTest::GetInstance()->current_test_info()->name());
  const std::string database = (folder / "tuning.db").string();
  bitune_sorter* sorter = nullptr;
};

}  // namespace bitune::test
