// Plans of the variant radix_pairs: which memory each pass reads and writes.

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "kernels/radix/ramps_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/variant.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune {
namespace radix_pairs_plan {
namespace {

const Variant& pairs_variant() { return variant("radix_pairs"); }

/// With an even number of passes and an odd one: of any width of digits, though the space has two.
Plan plan_of(const Problem& problem, std::int64_t bits) {
  Configuration c = pairs_variant().default_configuration(problem, test::h200());
  c.parameters["radix_bits"] = bits;
  return pairs_variant().plan(problem, c, test::h200());
}

// Arguments of a pass: keys out, keys in, values out, values in.
constexpr std::size_t clear_and_count = 2;

TEST(RadixPairsPlan, NeverWritesWhatAPassReads) {
  for (const std::int64_t bits : {7, 8, 11}) {
    const Problem problem{{.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 16},
                          {.n = 1 << 20}};
    const Plan plan = plan_of(problem, bits);
    EXPECT_TRUE(plan.out_of_place);
    for (std::size_t i = clear_and_count; i < plan.launches.size(); ++i) {
      const auto& now = plan.launches[i].arguments;
      for (const std::size_t out : {0, 2}) {
        if (i == clear_and_count) {
          EXPECT_EQ(now[out].role, Role::workspace) << "it may be sorted in place";
          EXPECT_EQ(now[out + 1].role, out == 0 ? Role::keys_in : Role::values_in);
        } else {
          EXPECT_EQ(now[out + 1], plan.launches[i - 1].arguments[out]) << bits;
        }
        EXPECT_NE(now[out], now[out + 1]) << bits;
      }
      EXPECT_NE(now[0], now[2]);
    }
    EXPECT_EQ(plan.launches.back().arguments[0], Argument::pointer_to(Role::keys_out));
    EXPECT_EQ(plan.launches.back().arguments[2], Argument::pointer_to(Role::values_out));
  }
}

TEST(RadixPairsPlan, AnArgsortMakesItsIndicesAndWritesNoKeysAtTheEnd) {
  for (const std::int64_t bits : {7, 8, 11}) {
    const Problem problem{{.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = 4},
                          {.n = 1 << 20}};
    const Plan plan = plan_of(problem, bits);
    for (std::size_t i = clear_and_count; i < plan.launches.size(); ++i) {
      const Launch& launch = plan.launches[i];
      const std::string& kernel = plan.kernels[launch.kernel].name_expression;
      const bool is_first = i == clear_and_count;
      const bool is_last = i + 1 == plan.launches.size();
      EXPECT_EQ(kernel.find("ValueSource::index") != kernel.npos, is_first) << kernel;
      EXPECT_EQ(kernel.find(is_first  ? "index, true"
                            : is_last ? "memory, false"
                                      : "memory, true") != kernel.npos,
                true)
          << kernel;
      EXPECT_NE(launch.arguments[0].role, Role::keys_out);
      if (!is_last) EXPECT_EQ(launch.arguments[0].role, Role::workspace) << "the keys stay as they are";
      if (!is_first) {
        EXPECT_EQ(launch.arguments[3], plan.launches[i - 1].arguments[2]);
        EXPECT_NE(launch.arguments[2], launch.arguments[3]);
      }
    }
    EXPECT_EQ(plan.launches.back().arguments[2], Argument::pointer_to(Role::indices_out));
  }
}

TEST(RadixPairsPlan, TakesBytesInOnePass) {
  const std::uint64_t n = 1 << 20;
  const Plan indices =
      plan_of({{.operation = Operation::argsort, .key = KeyType::u8, .index_bytes = 4}, {.n = n}}, 8);
  EXPECT_EQ(indices.launches.size(), clear_and_count + 1);
  EXPECT_TRUE(indices.copied_in_place.empty()) << "no keys are written";

  const Plan pairs =
      plan_of({{.operation = Operation::sort_pairs, .key = KeyType::u8, .value_bytes = 4}, {.n = n}}, 8);
  EXPECT_EQ(pairs.launches.size(), clear_and_count + 1);
  ASSERT_EQ(pairs.copied_in_place.size(), 2);
  const auto& [keys, values] = std::tie(pairs.copied_in_place[0], pairs.copied_in_place[1]);
  EXPECT_EQ(keys, (CopiedInput{Role::keys_in, keys.workspace, n}));
  EXPECT_EQ(values, (CopiedInput{Role::values_in, keys.workspace + n, 4 * n}));
  EXPECT_EQ(values.workspace + values.bytes, pairs.workspace_bytes);
}

TEST(RadixPairsPlan, IsForSingleArraysThatCarryOneThing) {
  const auto supports = [](const Problem& problem) {
    return pairs_variant().supports(problem, test::h200());
  };
  Problem problem{{.operation = Operation::sort_pairs, .value_bytes = 4}, {.n = 100}};
  EXPECT_TRUE(supports(problem));
  problem.stable = true;
  EXPECT_TRUE(supports(problem)) << "it is stable";
  problem.rows = 2;
  EXPECT_FALSE(supports(problem));
  EXPECT_FALSE(supports({{}, {.n = 100}})) << "keys alone";
  EXPECT_TRUE(supports({{.index_bytes = 8}, {.n = 100}})) << "keys and indices";
}

/// Codecs of the passes of a plan, without what is alike in all: "key to word" and so on.
std::vector<std::string> forms_of_passes(const SortSpec& spec, std::int64_t bits) {
  const Plan plan = plan_of({spec, {.n = 1 << 20}}, bits);
  std::vector<std::string> forms;
  for (std::size_t i = clear_and_count; i < plan.launches.size(); ++i) {
    const std::string& kernel = plan.kernels[plan.launches[i].kernel].name_expression;
    const std::string form = "bitune::KeyForm::";
    const std::size_t from = kernel.find(form);
    if (from == kernel.npos) {
      forms.push_back(kernel.find("unsigned_integer, 0, false") != kernel.npos ? "integers" : "keys");
      continue;
    }
    const std::size_t end = kernel.find('>', from);
    std::string text = kernel.substr(from + form.size(), end - from - form.size());
    text.replace(text.find(form), form.size(), "");
    forms.push_back(text);
  }
  return forms;
}

/// Keys are encoded once and decoded once. In between they are unsigned integers, unless NaNs must be told
/// apart.
TEST(RadixPairsPlan, KeysAreWordsBetweenPasses) {
  using Forms = std::vector<std::string>;
  const SortSpec pairs{.operation = Operation::sort_pairs, .key = KeyType::f32, .value_bytes = 4};
  EXPECT_EQ(forms_of_passes(pairs, 8),
            (Forms{"key, word, false", "word, word, false", "word, word, false", "word, key, true"}))
      << "the last digit is the exponent, which all NaNs share";
  EXPECT_EQ(forms_of_passes(pairs, 11), (Forms{"key, word, false", "word, word, false", "word, key, false"}));
  SortSpec other = pairs;
  other.key = KeyType::f16;
  EXPECT_EQ(forms_of_passes(other, 8), (Forms{"key, word, false", "word, key, false"}))
      << "an exponent has 5 bits";
  other.key = KeyType::i32;
  EXPECT_EQ(forms_of_passes(other, 8),
            (Forms{"key, word, false", "integers", "integers", "word, key, false"}));
  other.key = KeyType::u32;
  EXPECT_EQ(forms_of_passes(other, 8), (Forms{"integers", "integers", "integers", "integers"}));
  other.order = Order::descending;
  EXPECT_EQ(forms_of_passes(other, 8).front(), "key, word, false");
  other.key = KeyType::u8;
  EXPECT_EQ(forms_of_passes(other, 8), Forms{"keys"}) << "one pass reads keys and writes them";

  const SortSpec argsort{.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = 4};
  EXPECT_EQ(forms_of_passes(argsort, 8),
            (Forms{"key, word_of_equal_nans, false", "integers", "integers", "integers"}))
      << "no pass writes keys for the caller";
}

/// Where all tiles run at once, none waits for a wave of a few.
TEST(RadixPairsPlan, FewTilesRunAtOnceByDefault) {
  const auto sms = static_cast<std::uint64_t>(test::h200().sm_count);
  for (const std::uint32_t bytes : {1, 4, 8, 16}) {
    for (const std::uint64_t n : {100'000, 400'000, 1'000'000, 1 << 20, 1'300'000, 3'000'000}) {
      const Problem problem{{.operation = Operation::sort_pairs, .value_bytes = bytes}, {.n = n}};
      const Configuration c = pairs_variant().default_configuration(problem, test::h200());
      const Plan plan = pairs_variant().plan(problem, c, test::h200());
      EXPECT_LE(plan.launches.back().grid.at(0), (n < 3'000'000 ? 1 : 2) * sms) << n << ' ' << c.text();
    }
  }
}

/// 264 blocks run at once: 132 tiles of 8, 16 and 24 items begin a pass, and as many end it.
TEST(RadixPairsPlan, ManyTilesBeginAndEndSmall) {
  const layout::RampedTiles tiles = layout::ramped_tiles(1 << 24, 512, 29, 264);
  EXPECT_EQ(tiles.step, 44);
  const std::uint64_t ramp = 44 * 512 * (8 + 16 + 24);
  const std::uint64_t between = tiles.falls_from - 3 * 44;
  EXPECT_GE(2 * ramp + between * 512 * 29, 1 << 24) << "each key has a tile";
  EXPECT_LT(2 * ramp + (between - 1) * 512 * 29, 1 << 24);
  EXPECT_GT(tiles.count, tiles.falls_from + 2 * 44);
  EXPECT_LE(tiles.count, tiles.falls_from + 3 * 44);

  EXPECT_EQ(layout::ramped_tiles(264 * 512 * 29, 512, 29, 264).step, 0) << "all run at once";
  EXPECT_EQ(layout::ramped_tiles(4 * ramp - 1, 512, 29, 264).step, 0) << "half of the keys would be in ramps";
  EXPECT_EQ(layout::ramped_tiles(4 * ramp, 512, 29, 264).step, 44);
  EXPECT_EQ(layout::ramped_tiles(1 << 24, 512, 7, 264).step, 0) << "a tile is no larger than a step";
}

TEST(RadixPairsPlan, RampsAreForBlocksThatShareAMultiprocessor) {
  const Problem problem{{.operation = Operation::sort_pairs, .value_bytes = 4}, {.n = 1 << 24}};
  Configuration c = pairs_variant().default_configuration(problem, test::h200());
  for (const std::int64_t blocks : {1, 2}) {
    c.parameters["min_blocks_per_sm"] = blocks;
    const Plan plan = pairs_variant().plan(problem, c, test::h200());
    EXPECT_EQ(plan.kernels.at(plan.launches.back().kernel).short_name(),
              blocks == 1 ? "radix_pairs_pass" : "ramped_pairs_pass");
  }
}

TEST(RadixPairsPlan, DefaultsAreValidForEveryWidthAndLength) {
  for (const KeyType key : all_key_types) {
    for (const std::uint32_t bytes : {1, 2, 4, 8, 16}) {
      for (int exponent = 1; exponent <= 33; exponent += 4) {
        const Problem problem{{.operation = Operation::sort_pairs, .key = key, .value_bytes = bytes},
                              {.n = (std::uint64_t{1} << exponent) + 1}};
        const Configuration c = pairs_variant().default_configuration(problem, test::h200());
        EXPECT_EQ(pairs_variant().space(problem, test::h200()).violation(c, problem, test::h200()),
                  std::nullopt)
            << c.text();
      }
    }
  }
}

}  // namespace
}  // namespace radix_pairs_plan
}  // namespace bitune
