// The first k of segments on the emulated device, by every variant that can: key types, what travels, k above
// and below the lengths, offsets of both widths, gaps, unlucky samples; and offsets that are wrong.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "model/problem_class.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/segment_top_k_check.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace top_k_segments {
namespace {

constexpr std::array variant_names = {"filter_segments", "segments_topk"};

constexpr std::array loads = {TopKLoad{0, 4}, TopKLoad{0, 0}, TopKLoad{4, 0}, TopKLoad{0, 8}};

SortSpec spec_of(const TopKLoad& load, KeyType key, Order order, std::uint64_t k) {
  return top_k_of(load, key, order, k, {.n = 1});
}

/// Empty ones, single keys, as many as k and around it, what a block streams, and one that it samples.
std::vector<std::uint64_t> all_lengths_for(std::uint64_t k) {
  return {0, 1, k, k + 1, 33, 3000, k - 1, 0, 100, 257, 2, 700, 0};
}

Segments segments_of(std::vector<std::uint64_t> lengths, bool gaps) {
  const Segments packed = packed_segments(std::move(lengths));
  return gaps ? segments_with_gaps(packed) : packed;
}

/// Small blocks, and room for little: so that a segment is sampled, and what that costs is the host's least.
Configuration small_configuration(const Variant& family, const Problem& problem) {
  Configuration c = family.default_configuration(problem, emulated_bench().device->info());
  if (family.name() == "filter_segments") {
    c.parameters["block_size_x"] = 64;
    c.parameters["vectors_per_thread"] = 1;
    c.parameters["samples_per_thread"] = 8;
    c.parameters["candidates"] = 512;
    c.parameters["shuffle_steps"] = 3;
    c.parameters["min_blocks_per_sm"] = 1;
  }
  return c;
}

/// By a plan that need not be of the space, as it is made for the class.
::testing::AssertionResult gives_first_by(const Bench& bench, const Variant& family, const Configuration& c,
                                          const SortSpec& spec, const Segments& segments,
                                          Distribution distribution, std::uint64_t seed, bool with_keys) {
  const Problem asked = problem_of_segments(spec, segments);
  const Problem planned = prepared_as(asked);
  const Device& device = *bench.device;
  const ExecutablePlan plan = make_executable(device, *bench.kernels, family.plan(planned, c, device.info()));
  const auto workspace = device.allocate(plan.plan().workspace_bytes);
  return gives_first_of_segments(device, spec, segments, distribution, seed, with_keys,
                                 [&](Operands operands) {
                                   operands[Role::workspace] = {workspace->data(), workspace->size(), 0};
                                   plan.run(asked, operands, nullptr);
                                 });
}

class TopKSegments : public ::testing::TestWithParam<KeyType> {};

TEST_P(TopKSegments, EveryVariantGivesTheFirstKeys) {
  const KeyType key = GetParam();
  auto turn = static_cast<std::uint64_t>(key);
  for (const std::string_view name : variant_names) {
    ++turn;
    const Order order = turn % 2 == 0 ? Order::ascending : Order::descending;
    const SortSpec spec = spec_of(loads.at(turn % loads.size()), key, order, 20);
    for (const bool gaps : {false, true}) {
      const Segments segments = segments_of(all_lengths_for(20), gaps);
      const Configuration c = small_configuration(variant(name), problem_of_segments(spec, segments));
      const Distribution distribution = gaps ? Distribution::special : Distribution::few_distinct;
      EXPECT_TRUE(gives_first_by(emulated_bench(), variant(name), c, spec, segments, distribution, turn,
                                 gaps || spec.index_bytes == 0))
          << c.text();
    }
  }
}

/// Widths and classes of keys. The kernels' parts are tested with all types where they come from: segments
/// and rows.
std::vector<KeyType> key_types() {
  if (std::getenv("BITUNE_TEST_ALL_TYPES") != nullptr) return {all_key_types.begin(), all_key_types.end()};
  return {KeyType::i8, KeyType::bf16, KeyType::f32, KeyType::u64};
}

INSTANTIATE_TEST_SUITE_P(Some, TopKSegments, ::testing::ValuesIn(key_types()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// A sample that is far too small: candidates are too many, and taken once more.
TEST(TopKSegmentsVariant, IsRightWhereSamplesAreUnlucky) {
  const Variant& family = variant("filter_segments");
  const SortSpec spec = spec_of(loads[0], KeyType::f32, Order::descending, 20);
  const Segments segments = segments_of({5000, 3, 200, 2000}, false);
  Configuration c = small_configuration(family, problem_of_segments(spec, segments));
  c.parameters["samples_per_thread"] = 2;
  c.parameters["candidates"] = 128;
  for (const std::uint64_t order : {1u, 2u}) {
    EXPECT_TRUE(
        gives_first_by(seeded(order), family, c, spec, segments, Distribution::reversed, order, true));
  }
}

/// Whatever the offsets are, nothing outside the keys is read, and nothing but the results is written: the
/// sanitizers see the one, guards the other.
TEST(TopKSegmentsVariant, KeepsWithinTheKeysWhateverTheOffsets) {
  const SortSpec spec = spec_of(loads[0], KeyType::f32, Order::descending, 20);
  const Segments segments = segments_of(all_lengths_for(20), false);
  const Problem problem = problem_of_segments(spec, segments);
  const Device& device = *emulated_bench().device;
  std::vector<std::uint64_t> wrong(problem.rows + 1);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    wrong[i] = i % 3 == 0 ? ~std::uint64_t{0} - i : i % 3 == 1 ? problem.n * 5 : 1000 - i;
  }
  for (const std::string_view name : variant_names) {
    const ExecutablePlan plan = make_executable(
        device, *emulated_bench().kernels,
        variant(name).plan(problem, small_configuration(variant(name), problem), device.info()));
    const auto workspace = device.allocate(plan.plan().workspace_bytes);
    std::vector<float> keys(problem.n, 1);
    std::vector<float> first(problem.rows * spec.k + 2, -1);
    std::vector<std::uint32_t> indices(problem.rows * spec.k + 2, 7);
    Operands operands;
    operands[Role::keys_in] = {keys.data(), keys.size(), problem.n};
    operands[Role::keys_out] = {first.data() + 1, problem.rows * spec.k, spec.k};
    operands[Role::indices_out] = {indices.data() + 1, problem.rows * spec.k, spec.k};
    operands[Role::offsets] = {wrong.data(), wrong.size(), 8};
    operands[Role::workspace] = {workspace->data(), workspace->size(), 0};
    plan.run(problem, operands, nullptr);
    EXPECT_EQ(keys, std::vector<float>(problem.n, 1)) << name;
    EXPECT_TRUE(first.front() == -1 && first.back() == -1) << name;
    EXPECT_TRUE(indices.front() == 7 && indices.back() == 7) << name;
  }
}

/// The whole way, with the default configuration: what is prepared once serves other segments of the class, k
/// above all lengths, and no keys at all.
TEST(TopKSegmentsEngine, GivesTheFirstKeysOfAllBatchesOfAClass) {
  auto engine = untuned_engine(emulated_bench());
  const SortSpec spec = spec_of(loads[0], KeyType::f32, Order::descending, 12);
  const std::vector<std::vector<std::uint64_t>> batches = {
      {5, 0, 40, 11, 9}, {30, 30, 0, 1, 2, 3}, {60, 0, 0, 0, 0, 0, 2}, {0, 0, 0}, {3}};
  std::uint64_t seed = 0;
  for (const std::vector<std::uint64_t>& lengths : batches) {
    const Segments segments = segments_of(lengths, seed % 2 == 1);
    const Problem problem = problem_of_segments(spec, segments);
    ++seed;
    EXPECT_TRUE(
        gives_first_of_segments(engine.device(), spec, segments, Distribution::special, seed, seed % 2 == 0,
                                [&](const Operands& operands) { engine.run(problem, operands, nullptr); }));
  }
  const Segments first = segments_of(batches[0], false);
  const Segments second = segments_of(batches[1], true);
  EXPECT_EQ(engine.prepare(problem_of_segments(spec, first)),
            engine.prepare(problem_of_segments(spec, second)));
}

}  // namespace
}  // namespace top_k_segments
}  // namespace bitune::test
