// Ranks that send keys away before they sort: every operation that they do so, and any keys.

#include "multi/split/split_sort.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/multi/several_ranks.hpp"

namespace bitune::test {
namespace split_sort {
namespace {

constexpr SortSpec keys{.key = KeyType::f32};
constexpr SortSpec pairs{
    .operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 4, .stable = true};
constexpr SortSpec wide_pairs{.operation = Operation::sort_pairs,
                              .key = KeyType::f16,
                              .value_bytes = 16,
                              .order = Order::descending,
                              .stable = true};
constexpr SortSpec indices{.operation = Operation::argsort,
                           .key = KeyType::f32,
                           .index_bytes = 8,
                           .order = Order::descending,
                           .stable = true};

/// Expects that the call was done so, too: what merges takes time to merge.
void expect_split(MultiSorter& sorter, const SortSpec& spec, const Numbers& lengths, const Numbers& results,
                  Distribution distribution) {
  for (const MultiResult& told : expect_right(sorter, spec, lengths, results, distribution)) {
    EXPECT_EQ(told.merge_us, 0) << "a rank merged";
  }
}

TEST(SplitSort, SortsEveryDistributionOverTwoRanks) {
  MultiSorter sorter(splitting_ranks(2));
  for (const Distribution distribution : named_distributions) {
    expect_split(sorter, keys, {1501, 1500}, Numbers(2, equal_part), distribution);
  }
}

TEST(SplitSort, KeepsEqualKeysInTheOrderOfTheRanks) {
  MultiSorter sorter(splitting_ranks(2));
  for (const SortSpec& spec : {pairs, wide_pairs, indices}) {
    for (const Distribution distribution :
         {Distribution::few_distinct, Distribution::all_equal, Distribution::special}) {
      expect_split(sorter, spec, {1200, 1100}, Numbers(2, equal_part), distribution);
    }
  }
}

TEST(SplitSort, SortsOverManyRanks) {
  for (const std::size_t ranks : {3U, 8U}) {
    MultiSorter sorter(splitting_ranks(ranks));
    for (const Distribution distribution : {Distribution::random, Distribution::all_equal}) {
      expect_split(sorter, pairs, Numbers(ranks, 1000), Numbers(ranks, equal_part), distribution);
    }
  }
}

TEST(SplitSort, TakesAndGivesPartsOfAnyLength) {
  MultiSorter sorter(splitting_ranks(3));
  expect_split(sorter, pairs, {3000, 0, 1}, {900, equal_part, equal_part}, Distribution::few_distinct);
  MultiSorter two(splitting_ranks(2));
  expect_split(two, pairs, {0, 2000}, {2000, 0}, Distribution::random);
  expect_split(two, pairs, {2000, 0}, {0, 2000}, Distribution::random);
}

TEST(SplitSort, WorksInPlace) {
  MultiSorter sorter(splitting_ranks(2));
  RanksCall call(keys, {1500, 1500}, {equal_part, equal_part}, Distribution::reversed);
  auto parts = call.parts();
  for (MultiPart& part : parts) {  // the keys are where the result is to be
    std::copy_n(static_cast<const std::byte*>(part.operands[Role::keys_in].data), 1500 * 4,
                static_cast<std::byte*>(part.operands[Role::keys_out].data));
    part.operands[Role::keys_in] = {};
  }
  const auto results = sorter.run(keys, parts);
  EXPECT_EQ(call.fault().value_or(""), "");
  EXPECT_EQ(results[0].received_bytes, 1500U * 4) << "all keys change places";
  EXPECT_EQ(results[1].received_bytes, 1500U * 4);
}

TEST(SplitSort, LeavesToMergingWhatItIsNotFor) {
  MultiSorter sorter(splitting_ranks(3));
  const auto merges = [&](const SortSpec& spec, const Numbers& lengths) {
    return expect_right(sorter, spec, lengths, Numbers(3, equal_part), Distribution::random)[0].merge_us > 0;
  };
  EXPECT_TRUE(merges(keys, {40, 40, 40})) << "too few keys";
  EXPECT_TRUE(merges({.key = KeyType::u64}, {900, 900, 900}));
}

}  // namespace
}  // namespace split_sort
}  // namespace bitune::test
