// Sorted runs are cut so that exactly so many keys lie before, and none of them belongs behind the rest.

#include "runtime/parts/sorted_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace bitune {
namespace sorted_runs_test {
namespace {

template <class T>
const std::byte* bytes_of(const std::vector<T>& keys) {
  return reinterpret_cast<const std::byte*>(keys.data());
}

/// Each key with its run and place: what a stable sort of all runs orders.
template <class T, class Less>
void expect_right_cuts(const std::vector<T>& keys, const std::vector<ElementRange>& runs,
                       const KeyRules& rules, Less less) {
  std::vector<std::uint64_t> order;
  for (const ElementRange& run : runs) {
    for (std::uint64_t i = run.begin; i < run.end; ++i) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return less(keys[a], keys[b]); });
  for (std::uint64_t rank = 0; rank <= order.size(); ++rank) {
    const auto cuts = cut_runs(bytes_of(keys), runs, rules, rank);
    ASSERT_EQ(cuts.size(), runs.size());
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const auto taken =
          std::count_if(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(rank),
                        [&](std::uint64_t i) { return i >= runs[run].begin && i < runs[run].end; });
      ASSERT_EQ(cuts[run], runs[run].begin + static_cast<std::uint64_t>(taken))
          << "run " << run << ", rank " << rank;
    }
  }
}

const std::vector<ElementRange> four_runs = {{0, 37}, {40, 40}, {40, 141}, {150, 200}};

template <class T, class Less>
std::vector<T> sorted_in_runs(std::vector<T> keys, Less less) {
  for (const ElementRange& run : four_runs) {
    std::stable_sort(keys.begin() + static_cast<std::ptrdiff_t>(run.begin),
                     keys.begin() + static_cast<std::ptrdiff_t>(run.end), less);
  }
  return keys;
}

TEST(SortedRuns, AreCutAtEveryRank) {
  std::mt19937 random(7);
  for (const std::uint32_t distinct : {1U, 5U, 1000U}) {
    std::vector<std::uint32_t> keys(200);
    for (auto& key : keys) key = static_cast<std::uint32_t>(random()) % distinct;
    const auto less = std::less<>{};
    expect_right_cuts(sorted_in_runs(keys, less), four_runs, {KeyType::u32}, less);
    const auto greater = std::greater<>{};
    expect_right_cuts(sorted_in_runs(keys, greater), four_runs, {KeyType::u32, Order::descending}, greater);
  }
}

TEST(SortedRuns, OfBytesUseEveryPlace) {
  std::vector<std::int8_t> keys(200);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<std::int8_t>(i % 3 == 0 ? -128 : i % 3 == 1 ? 127 : 0);
  const auto less = std::less<>{};
  expect_right_cuts(sorted_in_runs(keys, less), four_runs, {KeyType::i8}, less);
}

/// Where something travels, all NaNs are equal, whatever their bits, and lie in the order of the input.
TEST(SortedRuns, TakeNansForEqualWhereSomethingTravels) {
  const auto nan = [](std::uint32_t payload) {
    const std::uint32_t bits = 0x7fc00000U | payload;
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  };
  std::mt19937 random(3);
  std::vector<float> keys(200);
  for (auto& key : keys)
    key = random() % 4 == 0 ? nan(static_cast<std::uint32_t>(random()) % 100)
                            : static_cast<float>(random() % 10);
  const auto less = [](float a, float b) { return a < b || (b != b && a == a); };
  expect_right_cuts(sorted_in_runs(keys, less), four_runs, {KeyType::f32, Order::ascending, true}, less);
  const auto greater = [&](float a, float b) { return less(b, a); };
  expect_right_cuts(sorted_in_runs(keys, greater), four_runs, {KeyType::f32, Order::descending, true},
                    greater);
}

}  // namespace
}  // namespace sorted_runs_test
}  // namespace bitune
