// The variants that choose the first k without sorting the rows, on the emulated device: longer rows than the
// tests of all variants have, bounds that hardly ever come up, and every order of threads.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace top_k_selection {
namespace {

constexpr std::array all_loads = {TopKLoad{0, 4}, TopKLoad{0, 0}, TopKLoad{4, 0}, TopKLoad{0, 8},
                                  TopKLoad{16, 0}};

struct Case {
  std::string_view variant;
  Shape shape;
  std::uint64_t k;
};

constexpr std::array cases = {
    Case{"select_rows", {.n = 128, .rows = 20}, 8},  Case{"select_rows", {.n = 2000, .rows = 3}, 100},
    Case{"select_rows", {.n = 5000, .rows = 2}, 1},  Case{"lane_lists", {.n = 128, .rows = 20}, 8},
    Case{"lane_lists", {.n = 77, .rows = 40}, 2},    Case{"lane_lists", {.n = 1001, .rows = 3}, 16},
    Case{"digit_rows", {.n = 1000, .rows = 3}, 250}, Case{"digit_rows", {.n = 6001, .rows = 2}, 5000},
    Case{"bin_rows", {.n = 6000, .rows = 3}, 20},    Case{"bin_rows", {.n = 9001}, 300},
    Case{"bin_rows", {.n = 3000, .rows = 2}, 3},     Case{"filter_array", {.n = 10000}, 10},
    Case{"filter_array", {.n = 20001}, 1000}};

/// Those that have two kinds of words, of 32 and of 64 bits, and no other difference between key types.
constexpr std::array cases_of_words = {
    Case{"select_cluster", {.n = 9001}, 100}, Case{"select_cluster", {.n = 4096, .rows = 2}, 3},
    Case{"bin_cluster", {.n = 9001}, 1000}, Case{"bin_cluster", {.n = 4096, .rows = 2}, 300},
    Case{"select_array", {.n = 30001}, 20}};

/// The cases, each with the default configuration and `others` more, of which one type takes half and the
/// next the rest (BITUNE_TEST_ALL: each takes all): loads, orders, distributions, gaps and lengths in turn.
void expect_first_keys(std::span<const Case> of_variants, KeyType key, std::size_t others) {
  auto turn = 5 * static_cast<std::uint64_t>(key);
  const DeviceInfo& device = emulated_bench().device->info();
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Case& of : of_variants) {
    ++turn;
    const Order order = turn % 2 == 0 ? Order::ascending : Order::descending;
    const Problem problem = top_k_of(all_loads.at(turn % all_loads.size()), key, order, of.k, of.shape);
    const Variant& family = variant(of.variant);
    ASSERT_TRUE(family.supports(problem, device)) << of.variant;
    const std::vector<Configuration> sampled = sample_configurations(family, problem, device, others, turn);
    const bool only_sampled = !tests_all() && !sampled.empty() && (turn + turn / 2) % 2 == 0;
    const bool only_default = !tests_all() && !only_sampled;
    if (!only_sampled) sorts.emplace_back(problem, family.default_configuration(problem, device));
    for (const Configuration& c : sampled) {
      if (only_default) break;
      sorts.emplace_back(problem, c);
    }
  }
  compile_all(emulated_bench(), sorts);
  for (const auto& [problem, configuration] : sorts) {
    for (int i = 0; i < 2; ++i) {
      ++turn;
      EXPECT_TRUE(is_right(emulated_bench(), problem, configuration,
                           all_distributions.at(turn % all_distributions.size()), turn,
                           {.gaps = turn % 2 == 0,
                            .with_keys = problem.index_bytes == 0 || turn % 3 != 0,
                            .length_bytes = turn % 5 == 1   ? 4U
                                            : turn % 5 == 3 ? 8U
                                                            : 0U}));
    }
  }
}

class TopKSelection : public ::testing::TestWithParam<KeyType> {};

TEST_P(TopKSelection, GivesTheFirstKeysWhateverTheConfiguration) { expect_first_keys(cases, GetParam(), 1); }

INSTANTIATE_TEST_SUITE_P(All, TopKSelection, ::testing::ValuesIn(all_key_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });

class TopKSelectionOfWords : public ::testing::TestWithParam<KeyType> {};

TEST_P(TopKSelectionOfWords, GivesTheFirstKeysWhateverTheConfiguration) {
  expect_first_keys(cases_of_words, GetParam(), 0);
}

INSTANTIATE_TEST_SUITE_P(Some, TopKSelectionOfWords,
                         ::testing::Values(KeyType::i8, KeyType::bf16, KeyType::f32, KeyType::f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// In whatever order threads run, and on every distribution. Three orders take turns: each case meets each of
/// them on a third of the distributions, and the cases of one variant, which follow each other, meet others
/// on each.
TEST(TopKSelectionOrders, DoNotMatter) {
  std::vector<Case> all(cases.begin(), cases.end());
  all.insert(all.end(), cases_of_words.begin(), cases_of_words.end());
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Case& of : all) {
    const Problem problem = top_k_of(all_loads[0], KeyType::f32, Order::descending, of.k, of.shape);
    sorts.emplace_back(problem, variant(of.variant).default_configuration(problem, seeded(1).device->info()));
  }
  compile_all(emulated_bench(), sorts);
  for (std::size_t i = 0; i < sorts.size(); ++i) {
    const auto& [problem, c] = sorts[i];
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const Bench bench = seeded(seed);
      for (std::size_t d = (i + seed) % 3; d < all_distributions.size(); d += 3) {
        EXPECT_TRUE(is_right(bench, problem, c, all_distributions.at(d), seed)) << all[i].variant;
      }
    }
  }
}

/// What registers hold is ranked as it is. Keys have each width and order, and their words have places or
/// none. Rows fill all registers or not, and do not fill the last warp. Some bounds must be narrowed.
TEST(TopKSelectionRanks, OfPartsOfAWarp) {
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const KeyType key : all_key_types) {
    const auto turn = static_cast<std::uint64_t>(key);
    const Order order = turn % 2 == 0 ? Order::ascending : Order::descending;
    for (const std::uint64_t n : {128U, 101U}) {
      const Problem problem =
          top_k_of(all_loads.at((turn + n) % all_loads.size()), key, order, 8, {.n = n, .rows = 13});
      Configuration c =
          variant("select_rows").default_configuration(problem, emulated_bench().device->info());
      const std::int64_t threads = turn % 3 == 0 ? 16 : 8;
      c.parameters["threads_per_row"] = threads;
      c.parameters["items_per_thread"] = 128 / threads;
      c.parameters["vector_width"] = std::min(c.at("vector_width"), 128 / threads);
      c.parameters["minima_per_thread"] = 2;
      c.parameters["candidate_factor"] = 2;
      c.parameters["compare_as_double"] = size_of(key) == 4 && n == 128 ? 1 : 0;
      c.parameters["min_blocks_per_sm"] = 1;
      ASSERT_EQ(refusal(c, problem, emulated_bench().device->info()), std::nullopt) << c.text();
      sorts.emplace_back(problem, c);
    }
  }
  compile_all(emulated_bench(), sorts);
  for (const auto& [problem, c] : sorts) {
    const std::uint64_t n = problem.n;
    const auto turn = static_cast<std::uint64_t>(problem.key);
    for (std::size_t d = (turn + n) % 2; d < all_distributions.size(); d += 2) {
      EXPECT_TRUE(is_right(emulated_bench(), problem, c, all_distributions.at(d), n,
                           {.gaps = n % 2 == 0, .length_bytes = n == 101 ? 8U : 0U}));
    }
  }
}

/// Words of 32 bits have the leading bits of a key. Keys that agree in these are told apart in all ways there
/// are: by their distance from the first one, by looking at what was found, and one by one.
TEST(TopKSelectionLists, TellKeysApartThatAgreeInTheirLeadingBits) {
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const KeyType key : all_key_types) {
    if (size_of(key) < 4) continue;
    const auto turn = static_cast<std::uint64_t>(key);
    for (const auto& [n, k] : {std::pair{128U, 8U}, {101U, 3U}, {1001U, 16U}, {12U, 12U}}) {
      const Order order = (turn + n) % 2 == 0 ? Order::ascending : Order::descending;
      const Problem problem =
          top_k_of(all_loads.at((turn + k) % all_loads.size()), key, order, k, {.n = n, .rows = 37});
      const Configuration c =
          variant("lane_lists").default_configuration(problem, emulated_bench().device->info());
      ASSERT_EQ(refusal(c, problem, emulated_bench().device->info()), std::nullopt) << c.text();
      sorts.emplace_back(problem, c);
    }
  }
  compile_all(emulated_bench(), sorts);
  for (const auto& [problem, c] : sorts) {
    for (const Distribution distribution : all_distributions) {
      EXPECT_TRUE(is_right(emulated_bench(), problem, c, distribution, problem.n,
                           {.gaps = problem.k % 2 == 0, .length_bytes = problem.n == 101 ? 8U : 0U}));
    }
    EXPECT_TRUE(is_right(emulated_bench(), problem, c, Distribution::normal, 1));
  }
}

/// More candidates than there is room for: a bound from minima lets more than k keys through.
TEST(TopKSelectionBounds, AreNarrowedWhereThereIsNoRoom) {
  std::vector<std::pair<Problem, Configuration>> sorts;
  const auto add = [&sorts](std::string_view name, KeyType key, Order order, std::uint64_t n,
                            const std::map<std::string, std::int64_t>& changes) {
    const Problem problem = top_k_of(all_loads[0], key, order, 32, {.n = n, .rows = 3});
    Configuration c = variant(name).default_configuration(problem, emulated_bench().device->info());
    for (const auto& [parameter, value] : changes) c.parameters[parameter] = value;
    sorts.emplace_back(problem, std::move(c));
  };
  for (const Order order : {Order::ascending, Order::descending}) {
    for (const KeyType key : {KeyType::u8, KeyType::bf16, KeyType::f32, KeyType::f64}) {
      add("select_rows", key, order, 1000, {{"candidate_factor", 1}});
      add("digit_rows", key, order, 1100,
          {{"block_size_x", 64}, {"items_per_thread", 24}, {"candidates_per_thread", 4}});
    }
    for (const KeyType key : {KeyType::i32, KeyType::f64}) {
      add("persistent_rows", key, order, 2000,
          {{"candidate_factor", 2}, {"minima", 32}, {"min_blocks_per_sm", 1}});
      add("select_cluster", key, order, 3000, {{"candidate_factor", 2}, {"minima", 32}, {"vector_width", 1}});
    }
  }
  compile_all(emulated_bench(), sorts);
  for (const auto& [problem, c] : sorts) {
    for (const Distribution distribution : all_distributions) {
      EXPECT_TRUE(is_right(emulated_bench(), problem, c, distribution, 1, {.length_bytes = 4}));
    }
    // Most keys of 64 bits have one of a few exponents: words are counted more than once.
    EXPECT_TRUE(is_right(emulated_bench(), problem, c, Distribution::normal, 1));
  }
}

/// Equal keys in so many places that they are counted more than once, by vectors and by single keys.
TEST(TopKSelectionBounds, TellEqualKeysByTheirPlaces) {
  const Problem of_cluster =
      top_k_of(all_loads[0], KeyType::f32, Order::descending, 8, {.n = (1 << 17) - 4, .rows = 2});
  const Problem of_block = top_k_of(all_loads[0], KeyType::f64, Order::ascending, 8, {.n = 16000, .rows = 5});
  for (const auto& [name, problem] :
       {std::pair{"select_cluster", of_cluster}, std::pair{"persistent_rows", of_block}}) {
    const Configuration c = variant(name).default_configuration(problem, emulated_bench().device->info());
    for (const Distribution distribution :
         {Distribution::all_equal, Distribution::few_distinct, Distribution::some_nan}) {
      EXPECT_TRUE(is_right(emulated_bench(), problem, c, distribution, 1)) << name;
      EXPECT_TRUE(is_right(emulated_bench(), problem, c, distribution, 2, {.gaps = true, .length_bytes = 4}))
          << name;
    }
  }
}

/// Words that are tried count with all places: else of few distinct keys none would have enough up to it.
TEST(TopKSelectionBounds, EndWhereFewKeysAreDistinct) {
  const Problem problem =
      top_k_of(all_loads[0], KeyType::f32, Order::descending, 64, {.n = 4096, .rows = 20});
  for (const std::string_view name : {"select_cluster", "persistent_rows"}) {
    const Variant& family = variant(name);
    Configuration c = family.default_configuration(problem, emulated_bench().device->info());
    c.parameters["minima"] = 64;
    c.parameters["candidate_factor"] = 2;
    c.parameters["block_size_x"] = 256;
    c.parameters["cluster_size"] = 2;
    c.parameters["items_per_thread"] = 8;
    c.parameters["min_blocks_per_sm"] = 1;
    if (c.parameters.contains("vector_width")) c.parameters["vector_width"] = 1;
    ASSERT_EQ(refusal(c, problem, emulated_bench().device->info()), std::nullopt) << c.text();
    EXPECT_TRUE(is_right(emulated_bench(), problem, c, Distribution::few_distinct, 1)) << name;
  }
}

/// A sample that gives a bound before the k-th key, or one far behind it, comes up once in a million times. A
/// plan that takes another sample for the bound shows what happens then.
TEST(TopKSelectionBounds, MayBeWrong) {
  struct Wrong {
    std::string_view variant;
    std::uint64_t n;
    std::uint64_t k;
    bool merges;
  };
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Wrong& of : {Wrong{"bin_rows", 6000, 40, false}, Wrong{"filter_array", 6000, 40, false},
                          Wrong{"filter_array", 6000, 40, true}, Wrong{"select_array", 6000, 40, false}}) {
    for (const KeyType key : {KeyType::u16, KeyType::f32, KeyType::f64}) {
      const Problem problem = top_k_of(all_loads[0], key, Order::descending, of.k, {.n = of.n});
      const DeviceInfo& device = emulated_bench().device->info();
      const Variant& family = variant(of.variant);
      Configuration c = family.default_configuration(problem, device);
      if (of.merges) {
        c.parameters["merge_runs"] = 1;
        c.parameters["finish_blocks"] = 1;
      }
      ASSERT_EQ(refusal(c, problem, emulated_bench().device->info()), std::nullopt) << c.text();
      sorts.emplace_back(problem, std::move(c));
    }
  }
  compile_all(emulated_bench(), sorts);
  for (const auto& [problem, c] : sorts) {
    for (const std::uint32_t rank : {1U, 200U, 1U << 30}) {
      for (const Distribution distribution : {Distribution::random, Distribution::few_distinct}) {
        EXPECT_TRUE(is_right(emulated_bench(), problem, c, distribution, rank, {.sample = rank}))
            << c.variant << ", sample " << rank;
      }
    }
  }
}

}  // namespace
}  // namespace top_k_selection
}  // namespace bitune::test
