// What the C library refuses, and how it says so.

#include <cstring>
#include <fstream>
#include <regex>
#include <set>
#include <thread>

#include "tests/capi/fixture.hpp"

namespace bitune::test {
namespace {

void expect_refused(bitune_status status, bitune_status expected, const std::string& names) {
  EXPECT_EQ(status, expected) << bitune_last_error();
  EXPECT_NE(std::string(bitune_last_error()).find(names), std::string::npos)
      << "'" << bitune_last_error() << "' does not name " << names;
}

/// The names that a text has as functions: bitune_run(
std::set<std::string> functions_of(const char* path, const char* pattern) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::set<std::string> names;
  const std::regex name(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) names.insert((*at)[1]);
  return names;
}

TEST(Library, ShowsWhatTheHeaderDeclares) {
  const auto declared = functions_of(BITUNE_HEADER, R"(BITUNE_API [^;(]*[ *](bitune_\w+)\()");
  EXPECT_EQ(declared, functions_of(BITUNE_LIBRARY_MAP, R"((bitune_\w+);)"));
  EXPECT_GT(declared.size(), 10u);
}

TEST(Library, HasTheVersionOfItsHeader) {
  EXPECT_EQ(bitune_abi_version(), static_cast<std::uint32_t>(BITUNE_ABI_VERSION));
  EXPECT_TRUE(std::regex_match(bitune_version(), std::regex(R"(\d+\.\d+\.\d+)"))) << bitune_version();
}

TEST(Library, NamesEveryStatus) {
  std::set<std::string> names;
  for (bitune_status status = BITUNE_OK; status <= BITUNE_ERROR_CANCELLED; ++status)
    names.insert(bitune_status_name(status));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(BITUNE_ERROR_CANCELLED) + 1);
  EXPECT_STREQ(bitune_status_name(BITUNE_ERROR_MEMORY), "memory");
  EXPECT_STREQ(bitune_status_name(BITUNE_ERROR_INTERNAL), "internal");
  EXPECT_STREQ(bitune_status_name(-1), "unknown");
  EXPECT_STREQ(bitune_status_name(50), "unknown");
}

TEST(Library, LeavesNoSorterWhereNoneIsMade) {
  bitune_sorter_options options = BITUNE_SORTER_OPTIONS_INIT;
  options.device = "toaster";
  int anything = 0;
  auto* sorter = reinterpret_cast<bitune_sorter*>(&anything);
  expect_refused(bitune_sorter_create(&options, &sorter), BITUNE_ERROR_USAGE, "toaster");
  EXPECT_EQ(sorter, nullptr);
  expect_refused(bitune_sorter_create(&options, nullptr), BITUNE_ERROR_USAGE, "'sorter' is null");
  bitune_sorter_destroy(nullptr);
  bitune_free(nullptr);
}

TEST_F(CLibrary, NullIsNamed) {
  const bitune_problem problem = problem_of(4);
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  expect_refused(bitune_run(nullptr, &problem, &operands, nullptr), BITUNE_ERROR_USAGE, "'sorter'");
  expect_refused(bitune_run(sorter, nullptr, &operands, nullptr), BITUNE_ERROR_USAGE, "'problem'");
  expect_refused(bitune_run_host(sorter, &problem, nullptr, nullptr), BITUNE_ERROR_USAGE, "'operands'");
  expect_refused(bitune_workspace_size(sorter, &problem, nullptr), BITUNE_ERROR_USAGE, "'bytes'");
  expect_refused(bitune_explain(sorter, &problem, nullptr), BITUNE_ERROR_USAGE, "'json'");
  expect_refused(bitune_device_name(sorter, nullptr), BITUNE_ERROR_USAGE, "'text'");
  expect_refused(bitune_devices(nullptr), BITUNE_ERROR_USAGE, "'json'");
  expect_refused(bitune_tune(nullptr, nullptr, 1, nullptr, nullptr, nullptr), BITUNE_ERROR_USAGE,
                 "'problems'");
}

TEST_F(CLibrary, NumbersThatMeanNothingAreNamed) {
  const auto refused = [this](auto change, const char* names) {
    bitune_problem problem = problem_of(4);
    change(problem);
    expect_refused(bitune_prepare(sorter, &problem), BITUNE_ERROR_USAGE, names);
  };
  refused([](auto& problem) { problem.key = 12; }, "key is 12");
  refused([](auto& problem) { problem.operation = 4; }, "operation is 4");
  refused([](auto& problem) { problem.order = 2; }, "order is 2");
  refused([](auto& problem) { problem.stable = 2; }, "stable is 2");
  refused([](auto& problem) { problem.ragged = 7; }, "ragged is 7");
  refused([](auto& problem) { problem.reserved = 1; }, "reserved");
}

TEST_F(CLibrary, MemoryThatDoesNotFitIsRefused) {
  bitune_problem problem = problem_of(4);
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  EXPECT_EQ(bitune_run(sorter, &problem, &operands, nullptr), BITUNE_ERROR_USAGE);
  std::vector<std::uint32_t> keys(4);
  operands.keys_out = {keys.data(), 3, 0};
  EXPECT_EQ(bitune_run(sorter, &problem, &operands, nullptr), BITUNE_ERROR_USAGE);
  operands.keys_out = {reinterpret_cast<char*>(keys.data()) + 1, 4, 0};
  EXPECT_EQ(bitune_run(sorter, &problem, &operands, nullptr), BITUNE_ERROR_USAGE);
  problem.operation = BITUNE_TOP_K;
  problem.k = 5;
  operands.keys_out = operand_of(keys);
  EXPECT_EQ(bitune_run(sorter, &problem, &operands, nullptr), BITUNE_ERROR_USAGE);
}

TEST_F(CLibrary, WhatTravelsIsCheckedBeforeAnythingIsWritten) {
  std::vector<std::uint64_t> memory(64);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = 1000 - 7 * i;
  const std::vector<std::uint64_t> before = memory;
  const auto refused = [&](bitune_operation operation, auto change, const char* names) {
    bitune_problem problem = problem_of(8);
    problem.operation = operation;
    bitune_operands operands = BITUNE_OPERANDS_INIT;
    if (operation == BITUNE_SORT_PAIRS) {
      problem.value_bytes = 4;
      operands.keys_out = {memory.data(), 8, 8};
      operands.values_out = {memory.data() + 8, 8, 8};
    } else {
      problem.index_bytes = 4;
      operands.keys_in = {memory.data(), 8, 8};
      operands.indices_out = {memory.data() + 8, 8, 8};
    }
    change(problem, operands);
    for (const auto run : {+[](bitune_sorter*a, const bitune_problem*b, const bitune_operands*c) {
                             return bitune_run(a, b, c, nullptr);
                           },
                           +[](bitune_sorter*a, const bitune_problem*b, const bitune_operands*c) {
                             return bitune_run_host(a, b, c, nullptr);
                           }}) {
      expect_refused(run(sorter, &problem, &operands), BITUNE_ERROR_USAGE, names);
      EXPECT_EQ(memory, before);
    }
  };
  refused(
      BITUNE_SORT_PAIRS, [](auto&, auto& o) { o.values_out.elements = 7; }, "room for 7 elements");
  refused(
      BITUNE_SORT_PAIRS, [&](auto&, auto& o) { o.values_out.data = memory.data() + 3; }, "overlap");
  refused(
      BITUNE_SORT_PAIRS, [&](auto&, auto& o) { o.values_out.data = o.keys_out.data; }, "overlap");
  refused(
      BITUNE_SORT_PAIRS,
      [](auto&, auto& o) { o.values_out.data = static_cast<char*>(o.values_out.data) + 2; },
      "not aligned to 4 bytes");
  refused(
      BITUNE_SORT_PAIRS, [](auto& p, auto&) { p.value_bytes = 3; }, "values of 3 bytes");
  refused(
      BITUNE_ARGSORT, [](auto&, auto& o) { o.indices_out.elements = 5; }, "room for 5 elements");
  refused(
      BITUNE_ARGSORT, [](auto&, auto& o) { o.indices_out.data = o.keys_in.data; }, "overlap");
  refused(
      BITUNE_ARGSORT, [](auto& p, auto&) { p.index_bytes = 2; }, "4 or 8 bytes, not 2");
  refused(
      BITUNE_ARGSORT,
      [](auto& p, auto& o) {
        p.n = (std::uint64_t{1} << 32) + 1;
        o.keys_in.elements = o.indices_out.elements = p.n;
      },
      "too narrow for 4294967297 keys");
}

TEST_F(CLibrary, SizesThatAreNoneAreRefused) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{4}, sizeof(bitune_problem) - 4}) {
    bitune_problem problem = problem_of(4);
    problem.size = size;
    expect_refused(bitune_prepare(sorter, &problem), BITUNE_ERROR_USAGE, "bitune_problem");
  }
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  operands.size = 0;
  const bitune_problem problem = problem_of(4);
  expect_refused(bitune_run(sorter, &problem, &operands, nullptr), BITUNE_ERROR_USAGE, "bitune_operands");
  bitune_host_times times = BITUNE_HOST_TIMES_INIT;
  times.size = 3;
  operands = BITUNE_OPERANDS_INIT;
  expect_refused(bitune_run_host(sorter, &problem, &operands, &times), BITUNE_ERROR_USAGE,
                 "bitune_host_times");
}

// A program that was compiled with an older header: its structs end earlier.
TEST_F(CLibrary, StructsOfAnOlderHeaderAreTaken) {
  bitune_problem problem = problem_of(3);
  std::memset(&problem.ragged, 0xff, sizeof(problem) - offsetof(bitune_problem, ragged));  // not the caller's
  problem.size = offsetof(bitune_problem, ragged);
  std::vector<std::uint32_t> keys = {3, 1, 2};
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  operands.keys_out = operand_of(keys);
  std::memset(&operands.values_in, 0xff, sizeof(operands) - offsetof(bitune_operands, values_in));
  operands.size = offsetof(bitune_operands, values_in);
  bitune_host_times times = BITUNE_HOST_TIMES_INIT;
  times.size = offsetof(bitune_host_times, kernels_us);
  times.kernels_us = -1;
  ASSERT_EQ(bitune_run_host(sorter, &problem, &operands, &times), BITUNE_OK) << bitune_last_error();
  EXPECT_EQ(keys, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(times.kernels_us, -1) << "written beyond the struct's size";
  EXPECT_EQ(times.size, offsetof(bitune_host_times, kernels_us));
}

// A program that was compiled with a newer header: its structs go on.
TEST_F(CLibrary, StructsOfANewerHeaderAreTakenUnlessTheySayMore) {
  struct {
    bitune_problem known = BITUNE_PROBLEM_INIT;
    std::uint64_t newer[2] = {0, 0};
  } problem;
  problem.known.size = sizeof(problem);
  problem.known.n = 3;
  std::vector<std::uint32_t> keys = {3, 1, 2};
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  operands.keys_out = operand_of(keys);
  ASSERT_EQ(bitune_run_host(sorter, &problem.known, &operands, nullptr), BITUNE_OK) << bitune_last_error();
  EXPECT_EQ(keys, (std::vector<std::uint32_t>{1, 2, 3}));
  problem.newer[1] = 1;
  expect_refused(bitune_run_host(sorter, &problem.known, &operands, nullptr), BITUNE_ERROR_USAGE, "newer");

  struct {
    bitune_host_times known = BITUNE_HOST_TIMES_INIT;
    double newer = -1;
  } times;
  times.known.size = sizeof(times);
  problem.newer[1] = 0;
  ASSERT_EQ(bitune_run_host(sorter, &problem.known, &operands, &times.known), BITUNE_OK)
      << bitune_last_error();
  EXPECT_GT(times.known.total_us, 0);
  EXPECT_EQ(times.newer, -1) << "the library knows no such member";
}

TEST_F(CLibrary, EachThreadHasItsOwnSentence) {
  bitune_problem problem = problem_of(4);
  problem.key = 12;
  expect_refused(bitune_prepare(sorter, &problem), BITUNE_ERROR_USAGE, "key is 12");
  std::thread([this] {
    EXPECT_STREQ(bitune_last_error(), "");
    bitune_problem other = problem_of(4);
    other.order = 9;
    expect_refused(bitune_prepare(sorter, &other), BITUNE_ERROR_USAGE, "order is 9");
  }).join();
  EXPECT_NE(std::string(bitune_last_error()).find("key is 12"), std::string::npos) << bitune_last_error();
}

TEST_F(CLibrary, TheLogFunctionIsToldAndNobodyAfterwards) {
  const std::string no_folder = (folder / "file").string();
  std::ofstream(no_folder) << "no folder";
  std::vector<std::string> told;
  const auto sort_without_cache = [&](std::uint64_t n) {
    bitune_sorter_options options = BITUNE_SORTER_OPTIONS_INIT;
    options.device = "emulated";
    options.database = database.c_str();
    options.kernel_cache = no_folder.c_str();
    bitune_sorter* without = nullptr;
    ASSERT_EQ(bitune_sorter_create(&options, &without), BITUNE_OK) << bitune_last_error();
    const bitune_problem problem = problem_of(n);
    EXPECT_EQ(bitune_prepare(without, &problem), BITUNE_OK) << bitune_last_error();
    bitune_sorter_destroy(without);
  };
  const auto log = [](const char* sentence, void* user) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(sentence);
  };
  ASSERT_EQ(bitune_set_log(log, &told), BITUNE_OK);
  sort_without_cache(100);
  ASSERT_EQ(bitune_set_log(nullptr, nullptr), BITUNE_OK);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told.front().find(no_folder), std::string::npos) << told.front();
  sort_without_cache(100);
  EXPECT_EQ(told.size(), 1u);
}

}  // namespace
}  // namespace bitune::test
