// The variant leading_digits on the emulated device: keys that their leading digits tell apart, keys that
// share digits, groups of a few keys to put in order, and groups of so many that all digits are needed after
// all.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/carried_loads.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace leading_digits {
namespace {

/// Tiles of 640 keys.
Configuration small_tiles(const Problem& problem, std::int64_t bits, std::int64_t values_beside_keys = 0) {
  Configuration c = variant("leading_digits").default_configuration(problem, emulated_bench().device->info());
  c.parameters["block_size_x"] = 128;
  c.parameters["items_per_thread"] = 5;
  c.parameters["radix_bits"] = bits;
  c.parameters["min_blocks_per_sm"] = 1;
  if (c.parameters.contains("values_beside_keys")) c.parameters["values_beside_keys"] = values_beside_keys;
  return c;
}

class LeadingDigits : public ::testing::TestWithParam<KeyType> {};

/// Keys alone, and what travels with keys in turn; lengths around tiles, and two keys, with all that a key
/// may share its digits with; all distributions.
TEST_P(LeadingDigits, SortsKeysAndWhatTravels) {
  const KeyType key = GetParam();
  auto turn = static_cast<std::uint64_t>(key);
  std::vector<std::pair<Problem, Configuration>> sorts_of;
  for (const Order order : {Order::ascending, Order::descending}) {
    sorts_of.emplace_back(problem_of(key, 5000, order), Configuration{});
    for (const std::size_t load : {turn % 5, 5 + turn % 4}) {
      sorts_of.emplace_back(problem_of(all_loads.at(load), key, order, 5000), Configuration{});
      ++turn;
    }
  }
  for (auto& [problem, configuration] : sorts_of) {
    ++turn;
    configuration = small_tiles(problem, 7 + static_cast<std::int64_t>(turn % 2),
                                static_cast<std::int64_t>(turn % 3 % 2));
  }
  compile_all(emulated_bench(), sorts_of);
  for (auto& [problem, configuration] : sorts_of) {
    for (const std::uint64_t n : {2, 639, 641, 5000}) {
      problem.n = n;
      configuration.parameters["shared_prefix_percent"] = n == 2 ? 200 : 50;
      const Distribution distribution = all_distributions.at(++turn % all_distributions.size());
      if (problem.value_bytes + problem.index_bytes == 0) {
        EXPECT_TRUE(sorts(emulated_bench(), problem, configuration, distribution, turn,
                          {.offset_keys = turn % 3, .out_of_place = turn % 2 == 0}));
      } else {
        EXPECT_TRUE(is_right(emulated_bench(), problem, configuration, distribution, turn,
                             {.in_place = turn % 2 == 0}));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LeadingDigits,
                         ::testing::Values(KeyType::u32, KeyType::i32, KeyType::f32, KeyType::u64,
                                           KeyType::i64, KeyType::f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// Sorts these keys, and argsorts them, in place and out of place where that is another way.
::testing::AssertionResult sorts_these(const std::vector<std::uint64_t>& keys, std::int64_t bits) {
  const Bench& bench = emulated_bench();
  const Device& device = *bench.device;
  const std::size_t bytes = keys.size() * sizeof(keys[0]);
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::vector<std::uint64_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end());

  const auto input = device.allocate(bytes);
  const auto output = device.allocate(bytes);
  const auto indices = device.allocate(keys.size() * 4);
  const Problem problem = problem_of(KeyType::u64, keys.size());
  for (const bool in_place : {true, false}) {
    device.copy_to_device(input->data(), keys.data(), bytes, nullptr);
    const auto sorts =
        by_configuration(bench, problem, small_tiles(problem, bits), [&](const CallRunner& run) {
          Operands operands;
          operands[Role::keys_in] = {input->data(), keys.size(), keys.size()};
          operands[Role::keys_out] =
              in_place ? operands[Role::keys_in] : Operand{output->data(), keys.size(), keys.size()};
          run(operands);
          std::vector<std::uint64_t> found(keys.size());
          device.copy_to_host(found.data(), operands[Role::keys_out].data, bytes, nullptr);
          device.synchronize(nullptr);
          if (found != sorted) return ::testing::AssertionFailure() << "the keys are in another order";
          return ::testing::AssertionSuccess();
        });
    if (!sorts) return sorts;
  }
  Problem argsort = problem;
  argsort.operation = Operation::argsort;
  argsort.index_bytes = 4;
  device.copy_to_device(input->data(), keys.data(), bytes, nullptr);
  return by_configuration(bench, argsort, small_tiles(argsort, bits), [&](const CallRunner& run) {
    Operands operands;
    operands[Role::keys_in] = {input->data(), keys.size(), keys.size()};
    operands[Role::indices_out] = {indices->data(), keys.size(), keys.size()};
    run(operands);
    std::vector<std::uint32_t> found(keys.size());
    device.copy_to_host(found.data(), indices->data(), keys.size() * 4, nullptr);
    device.synchronize(nullptr);
    if (found != order) return ::testing::AssertionFailure() << "the indices are in another order";
    return ::testing::AssertionSuccess();
  });
}

/// More tiles than one asks ahead for, and a last one that is not whole.
TEST(LeadingDigitsOf, TilesAreAskedForWhereTheyAre) {
  for (const auto& [key, load] : {std::pair{KeyType::u32, Load{Operation::sort_pairs, 4, 0}},
                                  std::pair{KeyType::u32, Load{Operation::argsort, 0, 4}}}) {
    const Problem problem = problem_of(load, key, Order::ascending, 258 * 640 + 1);
    Configuration c = small_tiles(problem, 8);
    c.parameters["prefetch_tiles"] = 256;
    EXPECT_TRUE(is_right(emulated_bench(), problem, c, Distribution::random, 1, {.in_place = false}));
  }
}

/// Of random leading digits; the lower ones are `low(i)`.
template <class Low>
std::vector<std::uint64_t> random_keys(std::size_t n, std::uint64_t seed, Low low) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = (random() & ~std::uint64_t{0xffffffff}) | low(i);
  return keys;
}

/// Digits in which all keys are alike are none to sort by, wherever they are.
TEST(LeadingDigitsOf, KeysThatDifferInFewDigitsAreSortedByThese) {
  for (const std::uint64_t mask : {std::uint64_t{0xff}, std::uint64_t{0xff00ff00ff},
                                   std::uint64_t{0xff} << 56, std::uint64_t{0xf0f00}}) {
    auto keys = random_keys(3000, mask, [](std::size_t i) { return i * 0x9e3779b9u & 0xffffffff; });
    for (auto& key : keys) key = (key & mask) | (~mask & 0x1234567812345678);
    EXPECT_TRUE(sorts_these(keys, 8)) << mask;
  }
  EXPECT_TRUE(sorts_these(std::vector<std::uint64_t>(2000, 77), 8));
}

/// Groups of 2 to 32 keys with the same leading digits, in falling order, of equal keys too, across the
/// bounds of tiles.
TEST(LeadingDigitsOf, GroupsAreMended) {
  for (const std::size_t size : {2, 5, 31, 32}) {
    auto keys = random_keys(10000, size, [](std::size_t i) { return 0xffffffff - i; });
    for (std::size_t i = 0; i < size; ++i) {
      keys[4000 + 7 * i] = (std::uint64_t{1} << 62) + (size - i) / 2;
      keys[9000 + 3 * i] = size - i;
      keys[3 + 2 * i] = ~std::uint64_t{0} - i;
    }
    EXPECT_TRUE(sorts_these(keys, size % 2 == 0 ? 8 : 7)) << size;
  }
}

/// A group of more keys, of which the sample sees no two that differ, most likely: all are equal but one,
/// which is the last.
TEST(LeadingDigitsOf, AllDigitsAreSortedByWhereAGroupIsTooLong) {
  for (const std::int64_t bits : {7, 8}) {
    auto keys = random_keys(20000, 5, [](std::size_t i) { return 0xffffffff - i; });
    for (std::size_t i = 0; i < 60; ++i) keys[300 * i] = std::uint64_t{1} << 63;
    if (bits == 8) {
      EXPECT_TRUE(sorts_these(keys, bits)) << "all are equal, and stay where they are";
      keys[19000] = (std::uint64_t{1} << 63) + 1;
      EXPECT_TRUE(sorts_these(keys, bits)) << "the last one is the largest";
    }
    keys[19000] = (std::uint64_t{1} << 63) + 2;
    keys[19500] = (std::uint64_t{1} << 63) + 1;
    EXPECT_TRUE(sorts_these(keys, bits)) << "the last one is smaller than the one before it";
  }
}

}  // namespace
}  // namespace leading_digits
}  // namespace bitune::test
