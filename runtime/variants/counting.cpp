// The variant `counting`: keys of 8 and 16 bits are counted by value, and written anew.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/definition.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/network_plan.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_counting {
namespace {

constexpr std::uint64_t values_of_group = 256;  // ValueCounts (counting.cuh)

std::uint64_t value_count(const Problem& problem) { return std::uint64_t{1} << (8 * size_of(problem.key)); }

std::uint64_t group_count(const Problem& problem) { return value_count(problem) / values_of_group; }

/// Among how many blocks the values are divided.
std::uint64_t divided(const Configuration& c) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, c.at("count_parts")));
}

/// See count_values.cuh.
std::int64_t count_bytes(const Configuration& c, const Problem& problem) {
  return static_cast<std::int64_t>(
      4 * (c.at("count_parts") == 0 ? group_count(problem) : value_count(problem) / divided(c)));
}

/// See write_counted.cuh.
std::int64_t write_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t threads = c.at("block_size_x");
  return 4 * (2 * threads / 32 + static_cast<std::int64_t>(group_count(problem)) + threads + 1);
}

bool can_sort(const Problem& problem, const DeviceInfo& device) {
  return sorts_keys_alone(problem) && problem.rows <= 1 && size_of(problem.key) <= 2 &&
         problem.n < std::uint64_t{1} << 31 && device.warp_size == 32 && device.max_threads_per_block >= 256;
}

/// Where clearing and reading the counters costs less than the steps of a network.
bool is_best(const Problem& problem, const DeviceInfo&) {
  return problem.n >= (size_of(problem.key) == 1 ? 2048u : 8192u);
}

SearchSpace make_space(const Problem&, const DeviceInfo&) {
  SearchSpace space;
  space.parameters = {
      {"block_size_x", {256, 512, 1024}, "threads of a block that writes a part of the result"},
      {"blocks_per_sm", {1, 2, 4}, "blocks that write, for each multiprocessor"},
      {"vector_width", {1, 2, 4, 8, 16}, "neighbouring keys a thread loads and stores at once"},
      {"count_threads", {256, 512, 1024}, "threads of a block that counts"},
      {"count_blocks_per_sm", {1, 2, 4}, "blocks that count, for each multiprocessor"},
      {"count_parts",
       {0, 1, 2, 4, 8},
       "blocks among which the values are divided, each of which counts its own in shared memory; 0: all are "
       "counted in global memory"},
      {"cluster_size",
       {1, 4, 8},
       "blocks that add up their counters of a part before they add them to those in memory (sm_90 on)"},
      {"loop_unroll_factor_count", {1, 2, 4}, "vectors that a thread loads before it counts their keys"},
      {"dependent_launch", {0, 1}, "1: each launch begins while the one before it ends (sm_90 on)"},
  };
  space.restrictions = {
      block_fits_device(),
      vector_fits_access(),
      {"count_threads are at most the device's threads per block",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         return c.at("count_threads") <= d.max_threads_per_block;
       },
       {"count_threads"}},
      {"a part has all values of a group",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return divided(c) <= group_count(p);
       },
       {"count_parts"}},
      {"values are counted in global memory where there are two keys for each at most: a frequent one's "
       "counter "
       "would be added to by all",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("count_parts") != 0 || p.n <= 2 * value_count(p);
       },
       {"count_parts"}},
      {"the device has clusters, whose blocks have 64 counters each to add up",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const auto blocks = static_cast<std::uint64_t>(c.at("cluster_size"));
         return blocks == 1 || (c.at("cluster_size") <= d.max_cluster_size && c.at("count_parts") != 0 &&
                                value_count(p) / divided(c) / blocks >= 64);
       },
       {"cluster_size", "count_parts"}},
      {"a thread has 64 bytes of keys at once, at most",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("loop_unroll_factor_count") * c.at("vector_width") *
                    static_cast<std::int64_t>(size_of(p.key)) <=
                64;
       },
       {"loop_unroll_factor_count", "vector_width"}},
      shared_memory_fits_block(count_bytes),
      {"blocks that count all fit the multiprocessors at once",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t blocks = c.at("count_blocks_per_sm");
         return blocks * c.at("count_threads") <= d.max_threads_per_sm &&
                blocks * (count_bytes(c, p) + 1024) <= d.shared_bytes_per_sm;
       },
       {"count_blocks_per_sm", "count_parts", "count_threads"}},
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration make_default(const Problem& problem, const DeviceInfo& device) {
  const std::int64_t widest = 16 / static_cast<std::int64_t>(size_of(problem.key));
  Configuration c{{},
                  {{"block_size_x", 256},
                   {"blocks_per_sm", 2},
                   {"vector_width", widest},
                   {"count_threads", 256},
                   {"count_blocks_per_sm", 1},
                   {"count_parts", 0},
                   {"cluster_size", 1},
                   {"loop_unroll_factor_count", 1},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  if (problem.n <= 2 * value_count(problem)) return c;
  // Many keys a value: the largest parts that shared memory has room for.
  c.parameters["count_threads"] =
      std::min<std::int64_t>(1024, std::bit_floor(static_cast<unsigned>(device.max_threads_per_block)));
  for (const std::int64_t parts : {1, 2, 4, 8}) {
    c.parameters["count_parts"] = parts;
    if (!make_space(problem, device).violation(c, problem, device)) break;
  }
  return c;
}

Plan make_plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) {
  PlanBuilder builder;
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const std::string codec = codec_arguments(problem.key, problem.order);
  const auto sms = static_cast<std::uint64_t>(device.sm_count);
  const auto vector = static_cast<std::uint64_t>(c.at("vector_width"));
  const std::uint64_t counters = group_count(problem) + value_count(problem);
  const Argument counts = builder.workspace(4 * counters);

  constexpr std::uint32_t clear_threads = 256;
  builder.launch(
      {"kernels/counting/count_values.cuh", fmt::format("bitune::clear_counts<{}>", clear_threads)},
      std::min(sms, parts_of(counters, clear_threads)), clear_threads, 0, {counts, u32_argument(counters)});

  const auto threads = static_cast<std::uint64_t>(c.at("count_threads"));
  const auto ranks = static_cast<std::uint64_t>(c.at("cluster_size"));
  const std::uint64_t fit = sms * static_cast<std::uint64_t>(c.at("count_blocks_per_sm"));
  const std::uint64_t most = std::max<std::uint64_t>(1, fit / (divided(c) * ranks));
  builder.launch({"kernels/counting/count_values.cuh",
                  fmt::format("bitune::count_values<{}, {}, {}, {}, {}, {}>", codec, threads, vector,
                              c.at("loop_unroll_factor_count"), c.at("count_parts"), ranks)},
                 divided(c) * ranks * std::min(most, parts_of(problem.n, ranks * threads * vector)),
                 static_cast<std::uint32_t>(threads), static_cast<std::uint64_t>(count_bytes(c, problem)),
                 {counts, input_argument(), u64_argument(problem.n)});

  const std::uint64_t writers = sms * static_cast<std::uint64_t>(c.at("blocks_per_sm"));
  const std::uint64_t share = parts_of(parts_of(problem.n, writers), vector) * vector;
  builder.launch({"kernels/counting/write_counted.cuh",
                  fmt::format("bitune::write_counted<{}, {}, {}>", codec, c.at("block_size_x"), vector)},
                 parts_of(problem.n, share), static_cast<std::uint32_t>(c.at("block_size_x")),
                 static_cast<std::uint64_t>(write_bytes(c, problem)),
                 {keys_argument(), counts, u64_argument(problem.n), u32_argument(share)});

  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.launches[1].cluster = static_cast<std::uint32_t>(ranks);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_counting

/// Keys of 8 and 16 bits, with which nothing travels, need not be moved: how often each value occurs says it
/// all (kernels/counting/counting.cuh). No sort by comparisons, but the right answer where there are more
/// keys than values.
const Variant& counting_variant() {
  static const DefinedVariant variant(
      {.name = "counting",
       .description = "keys of 8 and 16 bits are counted by value, and written anew in order; one array",
       .kernel_headers = {"kernels/counting/count_values.cuh", "kernels/counting/write_counted.cuh"},
       .supports = of_counting::can_sort,
       .suits = of_counting::is_best,
       .space = of_counting::make_space,
       .default_configuration = of_counting::make_default,
       .plan = of_counting::make_plan});
  return variant;
}

}  // namespace bitune
