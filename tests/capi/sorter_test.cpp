// What C calls to sort, on the emulated device.

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include "tests/capi/fixture.hpp"
#include "tests/capi/from_c.h"

namespace bitune::test {
namespace {

std::vector<std::uint32_t> random_keys(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> keys(n);
  std::generate(keys.begin(), keys.end(), [&] { return static_cast<std::uint32_t>(random() % 500); });
  return keys;
}

TEST(FromC, SortsPairs) {
  const char* const wrong = sort_pairs_from_c();
  EXPECT_EQ(wrong, nullptr) << wrong;
}

TEST_F(CLibrary, RunSortsMemoryOfTheDeviceOutOfPlaceWithAWorkspaceOfTheCaller) {
  const bitune_problem problem = problem_of(1000);
  ASSERT_EQ(bitune_prepare(sorter, &problem), BITUNE_OK) << bitune_last_error();
  std::uint64_t bytes = ~std::uint64_t{0};
  ASSERT_EQ(bitune_workspace_size(sorter, &problem, &bytes), BITUNE_OK) << bitune_last_error();
  ASSERT_LT(bytes, std::uint64_t{1} << 24);

  const std::vector<std::uint32_t> given = random_keys(problem.n, 1);
  std::vector<std::uint32_t> in = given;
  std::vector<std::uint32_t> out(in.size());
  // 256 bytes more, to align it.
  std::vector<std::uint64_t> memory(bytes / 8 + 64);
  void* workspace = memory.data();
  std::size_t room = memory.size() * 8;
  ASSERT_NE(std::align(256, bytes, workspace, room), nullptr);
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  operands.keys_in = operand_of(in);
  operands.keys_out = {out.data(), BITUNE_UNCHECKED, 0};
  operands.workspace = {workspace, bytes, 0};
  ASSERT_EQ(bitune_run(sorter, &problem, &operands, nullptr), BITUNE_OK) << bitune_last_error();
  std::vector<std::uint32_t> expected = given;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(out, expected);
  EXPECT_EQ(in, given);
}

TEST_F(CLibrary, WhatIsLargerThanTheMemoryThatMayBeTakenIsDoneInPartsByWayOfAFolder) {
  bitune_sorter_options options = BITUNE_SORTER_OPTIONS_INIT;
  options.device = "emulated";
  options.database = database.c_str();
  options.device_memory = 16000;
  const std::string none = (folder / "none").string();
  for (const std::string& scratch : {std::string(), folder.string(), none}) {
    options.scratch_folder = scratch.c_str();
    bitune_sorter* limited = nullptr;
    ASSERT_EQ(bitune_sorter_create(&options, &limited), BITUNE_OK) << bitune_last_error();
    const bitune_problem problem = problem_of(5000);
    std::vector<std::uint32_t> keys = random_keys(problem.n, 3);
    std::vector<std::uint32_t> expected = keys;
    std::sort(expected.begin(), expected.end());
    bitune_operands operands = BITUNE_OPERANDS_INIT;
    operands.keys_out = operand_of(keys);
    const bitune_status status = bitune_run_host(limited, &problem, &operands, nullptr);
    if (scratch == none) {
      EXPECT_EQ(status, BITUNE_ERROR_OUT_OF_RESOURCES);
      EXPECT_NE(std::string(bitune_last_error()).find(none), std::string::npos) << bitune_last_error();
    } else {
      EXPECT_EQ(status, BITUNE_OK) << bitune_last_error();
      EXPECT_EQ(keys, expected);
    }
    bitune_sorter_destroy(limited);
  }
}

TEST_F(CLibrary, ArgsortGivesIndicesInStableOrder) {
  bitune_problem problem = problem_of(300);
  problem.operation = BITUNE_ARGSORT;
  problem.index_bytes = 8;
  problem.order = BITUNE_DESCENDING;
  problem.stable = 1;
  std::vector<std::uint32_t> keys = random_keys(problem.n, 2);
  std::vector<std::uint64_t> indices(keys.size());
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  operands.keys_in = operand_of(keys);
  operands.indices_out = operand_of(indices);
  ASSERT_EQ(bitune_run_host(sorter, &problem, &operands, nullptr), BITUNE_OK) << bitune_last_error();
  std::vector<std::uint64_t> expected(keys.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return keys[a] > keys[b]; });
  EXPECT_EQ(indices, expected);
}

TEST_F(CLibrary, RowsAreSortedWithTheirStride) {
  bitune_problem problem = problem_of(3);
  problem.rows = 2;
  std::vector<std::uint32_t> keys = {3, 1, 2, 99, 6, 5, 4, 98};
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  operands.keys_out = {keys.data(), keys.size(), 4};
  ASSERT_EQ(bitune_run(sorter, &problem, &operands, nullptr), BITUNE_OK) << bitune_last_error();
  EXPECT_EQ(keys, (std::vector<std::uint32_t>{1, 2, 3, 99, 4, 5, 6, 98}));
}

/// Three segments of 9 keys, one of them empty.
struct Segments {
  bitune_problem problem = BITUNE_PROBLEM_INIT;
  std::vector<std::uint32_t> keys = {3, 1, 2, 9, 8, 7, 6, 5, 4};
  std::vector<std::uint32_t> offsets = {0, 3, 3, 9};
  bitune_operands operands = BITUNE_OPERANDS_INIT;

  Segments() {
    problem.n = 9;
    problem.rows = 3;
    problem.ragged = 1;
    operands.keys_out = {keys.data(), keys.size(), 0};
    operands.offsets = {offsets.data(), offsets.size(), 4};
  }
};

TEST_F(CLibrary, SegmentsAreSortedWhereOffsetsSay) {
  Segments call;
  ASSERT_EQ(bitune_check_segments(sorter, &call.problem, &call.operands, nullptr), BITUNE_OK)
      << bitune_last_error();
  ASSERT_EQ(bitune_run(sorter, &call.problem, &call.operands, nullptr), BITUNE_OK) << bitune_last_error();
  EXPECT_EQ(call.keys, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));

  Segments with_ends;
  std::vector<std::uint32_t> ends = {2, 0, 8};
  with_ends.offsets = {0, 0, 4};
  with_ends.operands.offsets = {with_ends.offsets.data(), 3, 4};
  with_ends.operands.ends = {ends.data(), 3, 4};
  ASSERT_EQ(bitune_run_host(sorter, &with_ends.problem, &with_ends.operands, nullptr), BITUNE_OK)
      << bitune_last_error();
  EXPECT_EQ(with_ends.keys, (std::vector<std::uint32_t>{1, 3, 2, 9, 5, 6, 7, 8, 4}));
  // Who does not know of ends says so by the size.
  with_ends.operands.size = offsetof(bitune_operands, ends);
  EXPECT_EQ(bitune_run_host(sorter, &with_ends.problem, &with_ends.operands, nullptr), BITUNE_ERROR_USAGE);
}

TEST_F(CLibrary, WrongSegmentsAreNamed) {
  Segments call;
  call.offsets = {0, 3, 2, 10};
  EXPECT_EQ(bitune_check_segments(sorter, &call.problem, &call.operands, nullptr), BITUNE_ERROR_USAGE);
  EXPECT_STREQ(bitune_last_error(), "segment 1 is of the keys 3 to 2: it ends before it begins");
  EXPECT_EQ(bitune_run_host(sorter, &call.problem, &call.operands, nullptr), BITUNE_ERROR_USAGE);
  call.operands.offsets.data = nullptr;
  EXPECT_EQ(bitune_check_segments(sorter, &call.problem, &call.operands, nullptr), BITUNE_ERROR_USAGE);
  const bitune_problem array = problem_of(9);
  EXPECT_EQ(bitune_check_segments(sorter, &array, &call.operands, nullptr), BITUNE_ERROR_USAGE);
}

TEST_F(CLibrary, NothingIsSortedToo) {
  const bitune_problem problem = problem_of(0);
  const bitune_operands operands = BITUNE_OPERANDS_INIT;
  EXPECT_EQ(bitune_run_host(sorter, &problem, &operands, nullptr), BITUNE_OK) << bitune_last_error();
}

TEST_F(CLibrary, ExplainAndTheDeviceAreTold) {
  const bitune_problem problem = problem_of(1000);
  char* text = nullptr;
  ASSERT_EQ(bitune_explain(sorter, &problem, &text), BITUNE_OK) << bitune_last_error();
  const nlohmann::json how = json_of(text);
  EXPECT_FALSE(how.at("launches").empty());
  EXPECT_FALSE(how.at("configuration").get<std::string>().empty());
  EXPECT_TRUE(how.at("expected_us").is_null() || how.at("expected_us").is_number());

  ASSERT_EQ(bitune_device_name(sorter, &text), BITUNE_OK) << bitune_last_error();
  EXPECT_NE(std::string(text).find("emulated"), std::string::npos) << text;
  bitune_free(text);

  ASSERT_EQ(bitune_devices(&text), BITUNE_OK) << bitune_last_error();
  EXPECT_FALSE(json_of(text).at("devices").empty());
}

TEST_F(CLibrary, ThreadsSortOnOneSorter) {
  std::vector<std::thread> threads;
  std::vector<std::string> wrong(4);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([this, i, &wrong] {
      for (std::uint32_t round = 0; round < 3; ++round) {
        const bitune_problem problem = problem_of(200 + i % 2);
        std::vector<std::uint32_t> keys = random_keys(problem.n, round);
        bitune_operands operands = BITUNE_OPERANDS_INIT;
        operands.keys_out = operand_of(keys);
        if (bitune_run_host(sorter, &problem, &operands, nullptr) != BITUNE_OK)
          wrong[i] = bitune_last_error();
        else if (!std::is_sorted(keys.begin(), keys.end()))
          wrong[i] = "not sorted";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<std::string>(4));
}

}  // namespace
}  // namespace bitune::test
