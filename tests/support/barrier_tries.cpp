#include "tests/support/barrier_tries.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/variant.hpp"
#include "tests/support/segment_check.hpp"

namespace bitune::test {
namespace {

using Try = BarrierTry;

Problem problem(std::string_view variant_name) {
  const KeyType key = variant_name == "counting" ? KeyType::u16 : KeyType::u32;
  Problem sorted{{.key = key}, {.n = 3000}};
  if (variant_name == "radix_pairs" || variant_name.ends_with("_by_digits") ||
      variant_name.ends_with("_by_place")) {
    sorted.key = KeyType::f32;
    sorted.operation = Operation::sort_pairs;
    sorted.value_bytes = variant_name == "cluster_by_digits" ? 16 : 8;
  }
  return sorted;
}

/// More keys where a block has to look after more runs than a warp has threads, or to take many buckets, or
/// where each of 16 values is more frequent than a tile is long; and what sixteen blocks hold.
Problem problem_for(const Configuration& configuration) {
  Problem longer = problem(configuration.variant);
  if (configuration.variant == "multiway") longer.n = 12001;
  if (configuration.variant == "samplesort") longer.n = 20000;
  if (configuration.variant == "cluster" && configuration.at("cluster_size") == 16) longer.n = 7001;
  return longer;
}

/// The limits of the emulated device, which allow all that is tried.
DeviceInfo limits() {
  DeviceInfo device;
  device.sm_count = 4;
  device.shared_bytes_per_block_optin = 65536;
  device.max_cluster_size = 8;
  return device;
}

/// The variant's default for the problem, with these parameters changed.
Configuration changed(std::string_view variant_name, const Problem& sorted,
                      const std::map<std::string, std::int64_t>& changes) {
  const Variant& family = variant(variant_name);
  Configuration configuration = family.default_configuration(sorted, limits());
  for (const auto& [name, value] : changes) {
    EXPECT_EQ(configuration.parameters.count(name), 1u) << variant_name << " has no parameter " << name;
    configuration.parameters[name] = value;
  }
  const auto violation = family.space(sorted, limits()).violation(configuration, sorted, limits());
  EXPECT_FALSE(violation) << configuration.text() << ": " << violation.value_or("");
  return configuration;
}

Configuration changed(std::string_view variant_name, const std::map<std::string, std::int64_t>& changes) {
  return changed(variant_name, problem(variant_name), changes);
}

/// The first k of rows, or of an array. Where numbers are compared a wrong bound of rows in registers is
/// found out.
Try first_keys(std::string_view variant_name, std::uint64_t k, const Shape& shape,
               const std::map<std::string, std::int64_t>& changes,
               std::optional<std::uint32_t> sample = std::nullopt) {
  const Problem problem{{.operation = Operation::top_k,
                         .key = variant_name == "select_rows" ? KeyType::u32 : KeyType::f32,
                         .index_bytes = 4,
                         .order = Order::descending,
                         .k = k},
                        shape};
  return {changed(variant_name, problem, changes), problem, sample};
}

/// bin_cluster with so much room for candidates.
Try of_four_blocks(std::uint64_t k, std::uint64_t n, std::int64_t candidates, bool counts_minima) {
  return first_keys("bin_cluster", k, {.n = n},
                    {{"cluster_size", 4},
                     {"block_size_x", 128},
                     {"items_per_thread", 8},
                     {"candidates", candidates},
                     {"counts_minima", counts_minima ? 1 : 0}});
}

/// Keys that are close together, beside few that are far: bins have many, which differ.
Try with_outliers(Try tried) {
  tried.problem.key = KeyType::u32;
  tried.uneven = Distribution::zipf;
  return tried;
}

/// Buckets that are expected to fill so many hundredths of a tile: with 100 half of them take a second one,
/// with 200 half of them spill, which the space does not allow.
Configuration with_leaf_fill(std::int64_t fill) {
  Configuration configuration = changed("samplesort", {{"block_size_x", 128}, {"items_per_thread", 8}});
  configuration.parameters["leaf_fill"] = fill;
  return configuration;
}

/// Whose ranks have more bits than there are register bits.
Configuration of_sixteen_blocks() {
  Configuration configuration = changed(
      "cluster", {{"cluster_size", 8}, {"block_size_x", 64}, {"items_per_thread", 8}, {"sending", 1}});
  configuration.parameters["cluster_size"] = 16;
  return configuration;
}

/// Passes with ramps over few keys.
Try with_ramps() {
  const Problem pairs{{.operation = Operation::sort_pairs, .key = KeyType::u16, .value_bytes = 2},
                      {.n = 33000}};
  return {
      changed("radix_pairs", pairs,
              {{"block_size_x", 256}, {"items_per_thread", 11}, {"min_blocks_per_sm", 2}, {"radix_bits", 8}}),
      pairs};
}

// Together they pass every barrier: tiles of several warps, moves within a warp and across, fused steps of
// each kind.
std::vector<Configuration> configurations() {
  return {
      changed("shared", {{"block_size_x", 128},
                         {"loop_unroll_factor_pairs", 1},
                         {"shared_padding", 0},
                         {"tile_size", 1024},
                         {"vector_width", 1},
                         {"warp_barriers", 1}}),
      changed("classic", {{"block_size_x", 128},
                          {"loop_unroll_factor_pairs", 1},
                          {"pairing", 2},
                          {"readonly_loads", 1},
                          {"tile_size", 1024},
                          {"vector_width", 1},
                          {"warp_shuffles", 1}}),
      changed("warp", {{"block_size_x", 128},
                       {"items_per_thread", 4},
                       {"shuffle_steps", 0},
                       {"steps_per_pass", 2},
                       {"vector_width", 1}}),
      changed("rows", {{"block_size_x", 256},
                       {"items_per_thread", 16},
                       {"shuffle_steps", 0},
                       {"store_swaps", 0},
                       {"threads_per_row", 256},
                       {"vector_width", 1}}),
      changed("multiway", {{"block_size_x", 64},
                           {"items_per_thread", 4},
                           {"vector_width", 1},
                           {"shuffle_steps", 1},
                           {"gather_lanes", 8},
                           {"split_pivots", 5},
                           {"split_levels", 1},
                           {"split_threads", 128},
                           {"split_window", 0}}),
      changed("multiway", {{"block_size_x", 64},
                           {"items_per_thread", 4},
                           {"vector_width", 4},
                           {"shuffle_steps", 1},
                           {"gather_lanes", 8},
                           {"split_pivots", 5},
                           {"split_levels", 0},
                           {"split_window", 64}}),
      with_leaf_fill(100),
      with_leaf_fill(200),
      changed("counting", {{"count_parts", 0}, {"vector_width", 2}}),
      changed("counting", {{"count_parts", 8}, {"vector_width", 1}}),
      changed("counting",
              {{"count_parts", 8}, {"cluster_size", 4}, {"count_threads", 256}, {"dependent_launch", 0}}),
      changed("cluster",
              {{"cluster_size", 4}, {"block_size_x", 64}, {"items_per_thread", 16}, {"sending", 1}}),
      of_sixteen_blocks(),
      changed("radix", {{"block_size_x", 256}, {"items_per_thread", 5}}),
      changed("radix_pairs", {{"block_size_x", 256}, {"items_per_thread", 5}}),
      changed("leading_digits", {{"block_size_x", 128}, {"items_per_thread", 5}, {"radix_bits", 8}}),
      changed("rows_by_place", {{"block_size_x", 256},
                                {"items_per_thread", 16},
                                {"threads_per_row", 256},
                                {"vector_width", 1},
                                {"store_swaps", 5}}),
      changed("merge_by_place",
              {{"block_size_x", 64}, {"items_per_thread", 4}, {"merge_threads", 64}, {"merge_items", 4}}),
      changed("rows_by_digits", {{"block_size_x", 512}, {"items_per_thread", 8}}),
      changed("multiway_by_place", {{"block_size_x", 64},
                                    {"items_per_thread", 4},
                                    {"compare_as_double", 1},
                                    {"split_pivots", 3},
                                    {"split_levels", 0},
                                    {"split_window", 64}}),
      changed("cluster_by_place",
              {{"cluster_size", 4}, {"block_size_x", 128}, {"items_per_thread", 8}, {"sending", 0}}),
      changed("cluster_by_digits", {{"cluster_size", 4}, {"block_size_x", 512}, {"items_per_thread", 2}}),
  };
}

/// The ways of what chooses the first k keys: rows of parts of warps and of blocks, minima that a warp sorts
/// and that a block sorts, candidates that are too many; blocks and clusters that stream; rows that are
/// shorter than their candidates may be; samples that are unlucky.
std::vector<Try> first_keys_tries() {
  constexpr std::uint32_t too_small = 1;
  constexpr std::uint32_t too_large = 1U << 30;
  return {
      first_keys("select_rows", 5, {.n = 100, .rows = 8}, {{"threads_per_row", 8}, {"items_per_thread", 16}}),
      first_keys("select_rows", 8, {.n = 128, .rows = 9},
                 {{"threads_per_row", 8},
                  {"items_per_thread", 16},
                  {"minima_per_thread", 2},
                  {"candidate_factor", 2}}),
      first_keys("select_rows", 20, {.n = 1000, .rows = 2},
                 {{"threads_per_row", 128},
                  {"items_per_thread", 8},
                  {"block_size_x", 128},
                  {"minima_per_thread", 1}}),
      first_keys("select_rows", 60, {.n = 1000, .rows = 2},
                 {{"threads_per_row", 128},
                  {"items_per_thread", 8},
                  {"block_size_x", 128},
                  {"minima_per_thread", 4},
                  {"candidate_factor", 4}}),
      first_keys("bin_rows", 20, {.n = 3000, .rows = 2}, {{"cluster_size", 1}}),
      first_keys("bin_rows", 20, {.n = 900}, {{"cluster_size", 1}}),
      first_keys("minima_rows", 20, {.n = 3000, .rows = 2}, {{"cluster_size", 1}}),
      first_keys("minima_rows", 20, {.n = 3000}, {{"cluster_size", 4}}),
      first_keys("minima_rows", 20, {.n = 900}, {{"cluster_size", 1}}),
      first_keys("bin_rows", 20, {.n = 3000}, {{"cluster_size", 4}}),
      first_keys("bin_rows", 20, {.n = 3000}, {{"cluster_size", 1}}, too_small),
      first_keys("filter_array", 40, {.n = 6000}, {{"merge_runs", 0}}),
      first_keys("filter_array", 40, {.n = 6000}, {{"merge_runs", 1}, {"finish_blocks", 1}}, too_small),
      first_keys("bucket_rows", 300, {.n = 8001}, {}),
      first_keys("bucket_rows", 1100, {.n = 8001}, {{"bucket_capacity", 512}, {"bucket_threads", 256}},
                 too_large),
      first_keys("bucket_rows", 300, {.n = 8001}, {}, too_small),
      first_keys("copied_rows", 8, {.n = 100, .rows = 300}, {}),
      first_keys("select_cluster", 20, {.n = 4000},
                 {{"cluster_size", 4}, {"block_size_x", 128}, {"items_per_thread", 8}}),
      first_keys("select_cluster", 32, {.n = 4000},
                 {{"cluster_size", 4},
                  {"block_size_x", 128},
                  {"items_per_thread", 8},
                  {"minima", 32},
                  {"vector_width", 2},
                  {"candidate_factor", 2}}),
      first_keys(
          "persistent_rows", 20, {.n = 2000, .rows = 20},
          {{"cluster_size", 1}, {"block_size_x", 64}, {"items_per_thread", 32}, {"min_blocks_per_sm", 1}}),
      first_keys("persistent_rows", 32, {.n = 4000, .rows = 30},
                 {{"cluster_size", 2},
                  {"block_size_x", 128},
                  {"items_per_thread", 16},
                  {"minima", 32},
                  {"candidate_factor", 4},
                  {"min_blocks_per_sm", 1}}),
      first_keys("persistent_rows", 32, {.n = 4000, .rows = 40},
                 {{"cluster_size", 1},
                  {"block_size_x", 128},
                  {"items_per_thread", 32},
                  {"minima", 32},
                  {"candidate_factor", 4},
                  {"min_blocks_per_sm", 1}}),
      of_four_blocks(384, 4000, 512, true),
      of_four_blocks(768, 4000, 1024, false),
      with_outliers(of_four_blocks(768, 4000, 1024, false)),
      first_keys("digit_rows", 250, {.n = 1000, .rows = 3}, {}),
      first_keys("digit_rows", 100, {.n = 1000, .rows = 3},
                 {{"block_size_x", 64}, {"items_per_thread", 16}, {"candidates_per_thread", 4}}),
      first_keys("select_array", 20, {.n = 9000}, {{"sample_blocks", 8}}),
      first_keys("select_array", 20, {.n = 9000}, {{"sample_blocks", 1}}),
      first_keys("rows_topk", 20, {.n = 1000, .rows = 2}, {}),
      first_keys("cluster_topk", 20, {.n = 2000}, {}),
      first_keys("merge_topk", 20, {.n = 2000}, {}),
  };
}

/// Segments of these lengths, with values of so many bytes or none.
Try segments(std::string_view variant_name, const std::vector<std::uint64_t>& lengths,
             std::uint32_t value_bytes, const std::map<std::string, std::int64_t>& changes) {
  SortSpec spec{.key = KeyType::f32};
  if (value_bytes != 0) {
    spec.operation = Operation::sort_pairs;
    spec.value_bytes = value_bytes;
    spec.stable = true;
  }
  const Problem problem = places_of(lengths).problem(spec);
  return {changed(variant_name, problem, changes), problem, std::nullopt, lengths};
}

/// Of each class: tiles of lanes, of a block and of clusters, and several tiles of one segment.
std::vector<Try> segment_tries() {
  std::vector<std::uint64_t> small = {100, 3, 0, 128, 1, 17, 250, 33, 400, 512, 5, 300, 64, 7, 90, 500};
  const std::vector<std::uint64_t> few = small;
  for (std::uint64_t i = 0; i < 60; ++i) small.push_back(i * i % 37);
  const std::vector<std::uint64_t> large = {600, 1000, 513, 1500, 2, 2049};
  const std::map<std::string, std::int64_t> digits = {
      {"long_block_size", 128}, {"long_items", 5}, {"long_min_blocks", 1}};
  return {
      segments("segments", small, 8,
               {{"block_size_x", 64},
                {"segments_per_block", 64},
                {"lane_items", 4},
                {"block_lists", 2},
                {"list_octaves", 1},
                {"block_items", 8}}),
      segments("segments", std::vector<std::uint64_t>(64, 30), 8,
               {{"segments_per_block", 64},
                {"lane_items", 4},
                {"copied_keys", 2048},
                {"block_lists", 2},
                {"list_octaves", 1},
                {"block_items", 8}}),
      segments("segments", large, 8,
               {{"lane_items", 4}, {"block_lists", 5}, {"list_octaves", 1}, {"block_items", 8}}),
      segments("segments", small, 8,
               {{"block_size_x", 64},
                {"segments_per_block", 128},
                {"lane_items", 18},
                {"block_lists", 0},
                {"list_octaves", 1}}),
      segments("direct_segments", few, 8,
               {{"cluster_size", 1},
                {"block_size_x", 64},
                {"block_items", 8},
                {"least_items", 4},
                {"longer_blocks", 0}}),
      segments("direct_segments", large, 8,
               {{"cluster_size", 2},
                {"block_size_x", 64},
                {"block_items", 8},
                {"least_items", 8},
                {"longer_blocks", 8}}),
      segments("segments_radix", large, 8, digits),
      segments("segments_radix", large, 0, digits),
  };
}

}  // namespace

std::vector<Try> barrier_tries(bool with_first_keys) {
  std::vector<Try> all;
  for (Configuration& configuration : configurations()) {
    const Problem problem = problem_for(configuration);
    all.push_back({std::move(configuration), problem});
  }
  all.push_back(with_ramps());
  for (Try& tried : segment_tries()) all.push_back(std::move(tried));
  if (!with_first_keys) return all;
  for (Try& tried : first_keys_tries()) all.push_back(std::move(tried));
  return all;
}

}  // namespace bitune::test
