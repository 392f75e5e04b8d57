// The variant `cluster_by_digits`: keys with values or indices, by digits, in the registers of a cluster of
// blocks.

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/radix/digit_cluster_layout.hpp"
#include "kernels/radix/radix_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_cluster_by_digits {
namespace {

constexpr CarriedKernel<U32> kernel{"kernels/radix/digit_cluster_sort.cuh", "digit_cluster_sort"};

constexpr std::array<std::int64_t, 9> items_of_threads = {1, 2, 3, 4, 5, 6, 8, 12, 16};
constexpr std::int64_t digit_bits = 8;
constexpr std::uint64_t longest_row = 65536;

/// A key with its value, or with its place where values have 16 bytes.
std::int64_t item_bytes(const Problem& problem) {
  return size_of(problem.key) == 8 || problem.value_bytes == 8 ? 16 : 8;
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return layout::digit_cluster_parts(
             c.at("block_size_x"), c.at("items_per_thread"), item_bytes(problem), c.at("cluster_size"),
             digit_bits,
             layout::digit_passes(8 * static_cast<std::int64_t>(size_of(problem.key)), digit_bits))
      .bytes;
}

class ClusterByDigitsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "cluster_by_digits"; }
  std::string_view description() const noexcept override {
    return "radix sort of keys with values or indices in the registers of a cluster of blocks, one launch; "
           "stable";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() != ShapeKind::segments && carries_one_thing(problem) && device.warp_size == 32 &&
           device.max_cluster_size >= 8 && device.max_threads_per_block >= 512 && problem.n <= longest_row;
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace ClusterByDigitsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"cluster_size", {4, 8, 16}, "blocks a cluster"},
      {"block_size_x", {256, 512}, "threads a block"},
      {"items_per_thread",
       {items_of_threads.begin(), items_of_threads.end()},
       "keys a thread holds in registers, each with its value or its place"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      cluster_fits_device(),
      {"a thread has the fewest items with which the cluster holds the row, of at most 65536",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t threads = c.at("block_size_x") * c.at("cluster_size");
         const std::int64_t items = c.at("items_per_thread");
         return items == fewest_items(items_of_threads, p, threads) && as_count(items * threads) >= p.n &&
                as_count(items * threads) <= longest_row;
       },
       {"cluster_size", "block_size_x", "items_per_thread"}},
      {"a thread's items, their places, and 24 registers besides fit a block's registers",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, c.at("items_per_thread") * (item_bytes(p) / 4 + 1) + 24, 1, d);
       },
       {"block_size_x", "items_per_thread"}},
      shared_memory_fits_block(shared_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration ClusterByDigitsVariant::default_configuration(const Problem& problem,
                                                            const DeviceInfo& device) const {
  const std::int64_t ranks = device.largest_cluster_size() >= 16 ? 16 : 8;
  const std::int64_t threads = problem.n <= 16384 ? 256 : 512;
  return {std::string(name()),
          {{"cluster_size", ranks},
           {"block_size_x", threads},
           {"items_per_thread", fewest_items(items_of_threads, problem, ranks * threads)},
           {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
}

Plan ClusterByDigitsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  launch_carrying(
      builder, kernel,
      fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}", codec_arguments(problem.key, problem.order),
                  problem.value_bytes, problem.index_bytes, writes_keys(problem), item_bytes(problem),
                  c.at("block_size_x"), c.at("items_per_thread"), c.at("cluster_size"), digit_bits),
      cluster_for_each(problem.rows, c, shared_bytes(c, problem)), problem.n);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_cluster_by_digits

/// Passes over digits in place of a network's steps, where a pass takes two trips between the blocks of a
/// cluster (sm_90 on; kernels/radix/digit_cluster_sort.cuh).
const Variant& cluster_by_digits_variant() {
  static const of_cluster_by_digits::ClusterByDigitsVariant variant;
  return variant;
}

}  // namespace bitune
