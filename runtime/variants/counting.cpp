// The variant `counting`: keys of 8 and 16 bits are counted by value, and written anew.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernels/counting/counting_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/clear_counts.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_counting {
namespace {

constexpr Kernel<Address, Address, U64> count_kernel{"kernels/counting/count_values.cuh", "count_values",
                                                     true};
constexpr Kernel<Address, Address, U64, U32> write_kernel{"kernels/counting/write_counted.cuh",
                                                          "write_counted"};

std::int64_t key_bits(const Problem& problem) { return 8 * static_cast<std::int64_t>(size_of(problem.key)); }

std::uint64_t value_count(const Problem& problem) {
  return as_count(layout::counted_values(key_bits(problem)));
}

/// Among how many blocks the values are divided.
std::uint64_t divided(const Configuration& c) {
  return as_count(std::max<std::int64_t>(1, c.at("count_parts")));
}

std::int64_t count_bytes(const Configuration& c, const Problem& problem) {
  return 4 * layout::count_values_words(key_bits(problem), c.at("count_parts"));
}

std::int64_t write_bytes(const Configuration& c, const Problem& problem) {
  return 4 * layout::write_counted_words(key_bits(problem), c.at("block_size_x"));
}

class CountingVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "counting"; }
  std::string_view description() const noexcept override {
    return "keys of 8 and 16 bits are counted by value, and written anew in order; one array";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {clear_counts_kernel.header, count_kernel.header, write_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override;
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

bool CountingVariant::supports(const Problem& problem, const DeviceInfo& device) const {
  return sorts_keys_alone(problem) && problem.rows <= 1 && size_of(problem.key) <= 2 &&
         problem.n < std::uint64_t{1} << 31 && device.warp_size == 32 && device.max_threads_per_block >= 256;
}

SearchSpace CountingVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
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
         return divided(c) <= as_count(layout::counted_bins(key_bits(p)));
       },
       {"count_parts"}},
      {"values are counted in global memory where there are two keys for each at most: a frequent one's "
       "counter would be added to by all",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("count_parts") != 0 || p.n <= 2 * value_count(p);
       },
       {"count_parts"}},
      {"the device has clusters, whose blocks have 64 counters each to add up",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const auto blocks = as_count(c.at("cluster_size"));
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

Configuration CountingVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  const std::int64_t widest = 16 / static_cast<std::int64_t>(size_of(problem.key));
  Configuration c{std::string(name()),
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
    if (!space(problem, device).violation(c, problem, device)) break;
  }
  return c;
}

Plan CountingVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const std::string codec = codec_arguments(problem.key, problem.order);
  const auto sms = static_cast<std::uint64_t>(device.sm_count);
  const auto vector = as_count(c.at("vector_width"));
  const auto counters = as_count(layout::counters(key_bits(problem)));
  const Address counts = builder.workspace(4 * counters);
  append_clear_counts(builder, clear_counts_kernel, counts, counters, sms);

  const auto threads = as_count(c.at("count_threads"));
  const auto ranks = as_count(c.at("cluster_size"));
  const std::uint64_t fit = sms * as_count(c.at("count_blocks_per_sm"));
  const std::uint64_t most = std::max<std::uint64_t>(1, fit / (divided(c) * ranks));
  builder.launch(
      count_kernel,
      fmt::format("{}, {}, {}, {}, {}, {}", codec, threads, vector, c.at("loop_unroll_factor_count"),
                  c.at("count_parts"), ranks),
      {.blocks = divided(c) * ranks * std::min(most, parts_of(problem.n, ranks * threads * vector)),
       .threads = static_cast<std::uint32_t>(threads),
       .shared_bytes = as_count(count_bytes(c, problem)),
       .cluster = static_cast<std::uint32_t>(ranks)},
      counts, input_address(), problem.n);

  const std::uint64_t writers = sms * as_count(c.at("blocks_per_sm"));
  const std::uint64_t share = parts_of(parts_of(problem.n, writers), vector) * vector;
  builder.launch(write_kernel, fmt::format("{}, {}, {}", codec, c.at("block_size_x"), vector),
                 {.blocks = parts_of(problem.n, share),
                  .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                  .shared_bytes = as_count(write_bytes(c, problem))},
                 keys_address(), counts, problem.n, share);

  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_counting

/// Keys of 8 and 16 bits, with which nothing travels, need not be moved: how often each value occurs says it
/// all (kernels/counting/counting.cuh). No sort by comparisons, but the right answer where there are more
/// keys than values.
const Variant& counting_variant() {
  static const of_counting::CountingVariant variant;
  return variant;
}

}  // namespace bitune
