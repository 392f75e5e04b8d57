// Calls on host arrays that are larger than the device's memory may be: every operation, in parts.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "bitune/error.hpp"
#include "tests/support/checked_call.hpp"

namespace bitune::test {
namespace host_parts {
namespace {

constexpr SortSpec pairs{
    .operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 8, .stable = true};
constexpr SortSpec indices{.operation = Operation::argsort,
                           .key = KeyType::f32,
                           .index_bytes = 8,
                           .order = Order::descending,
                           .stable = true};
constexpr SortSpec first{.operation = Operation::top_k, .key = KeyType::f32, .index_bytes = 4, .k = 300};

SorterOptions with_memory(std::uint64_t bytes) {
  return {.device = "emulated", .database = "no-such-folder/none.db", .device_memory = bytes};
}

class HostParts : public ::testing::Test {
 protected:
  /// Sorts in parts, and is told of each.
  void expect_right(const Problem& problem, Distribution distribution, std::uint64_t bytes,
                    RowGaps gaps = RowGaps::none) {
    SCOPED_TRACE(text_of(problem));
    std::uint64_t told = 0;
    std::uint64_t parts = 0;
    SorterOptions options = with_memory(bytes);
    options.progress = [&](std::uint64_t done, std::uint64_t all) {
      EXPECT_EQ(done, ++told);
      parts = all;
    };
    Sorter sorter(options);
    const CheckedCall call(problem, distribution, gaps);
    EXPECT_EQ(call.on_host(sorter).value_or(""), "");
    EXPECT_GT(parts, 1U);
    EXPECT_EQ(told, parts);
  }
};

TEST_F(HostParts, SortKeys) {
  expect_right({{.key = KeyType::f32, .order = Order::descending}, {.n = 9001}}, Distribution::special,
               24000);
}

TEST_F(HostParts, SortInPlace) {
  Sorter sorter(with_memory(60000));
  for (const std::size_t lead : {0, 1, 777}) {
    std::vector<std::uint32_t> keys(lead + 20001);
    std::vector<std::uint32_t> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = static_cast<std::uint32_t>(i * 2654435761U);
      values[i] = ~keys[i];
    }
    const std::vector<std::uint32_t> before(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(lead));
    const std::uint64_t n = keys.size() - lead;
    Operands operands;
    operands[Role::keys_out] = {keys.data() + lead, n, n};
    operands[Role::values_out] = {values.data() + lead, n, n};
    static_cast<void>(sorter.run_host(
        {{.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 4}, {.n = n}}, operands));
    EXPECT_TRUE(std::is_sorted(keys.begin() + static_cast<std::ptrdiff_t>(lead), keys.end()));
    EXPECT_TRUE(std::equal(before.begin(), before.end(), keys.begin()));
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(values[i], ~keys[i]) << i;
  }
}

TEST_F(HostParts, KeepEqualKeysInTheirOrder) {
  expect_right({pairs, {.n = 6000}}, Distribution::few_distinct, 60000);
  expect_right({indices, {.n = 6000}}, Distribution::special, 60000);
  SortSpec both = indices;
  both.operation = Operation::sort;
  expect_right({both, {.n = 6000}}, Distribution::sawtooth, 60000);
}

TEST_F(HostParts, GiveTheFirstKeys) {
  expect_right({first, {.n = 9001}}, Distribution::special, 24000);
  SortSpec keys = first;
  keys.index_bytes = 0;
  keys.order = Order::descending;
  expect_right({keys, {.n = 9001}}, Distribution::few_distinct, 24000);
}

TEST_F(HostParts, GoByGroupsOfRowsAndByLargeRows) {
  expect_right({{.key = KeyType::f32}, {.n = 100, .rows = 90}}, Distribution::special, 12000, RowGaps::odd);
  expect_right({{.key = KeyType::f32}, {.n = 2500, .rows = 2}}, Distribution::special, 9000, RowGaps::odd);
  SortSpec short_first = first;
  short_first.k = 3;
  expect_right({short_first, {.n = 100, .rows = 90}}, Distribution::special, 12000);
}

TEST_F(HostParts, RefuseATopKOfTooManyKeys) {
  SortSpec most = first;
  most.k = 5000;
  const CheckedCall call({most, {.n = 9001}});
  Sorter sorter(with_memory(24000));
  try {
    static_cast<void>(call.on_host(sorter));
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
    EXPECT_NE(std::string(error.what()).find("ask for fewer, or sort"), std::string::npos) << error.what();
  }
}

TEST_F(HostParts, AreNotMadeWhereAllFits) {
  SorterOptions options = with_memory(1 << 20);
  options.progress = [](std::uint64_t, std::uint64_t) { ADD_FAILURE() << "in parts"; };
  Sorter sorter(options);
  EXPECT_EQ(CheckedCall({{.key = KeyType::f32}, {.n = 1000}}).on_host(sorter).value_or(""), "");
}

}  // namespace
}  // namespace host_parts
}  // namespace bitune::test
