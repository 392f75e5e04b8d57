// The variant `cluster_by_place`: keys with values or indices in the registers of a cluster of blocks.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "kernels/cluster/cluster_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_cluster_by_place {
namespace {

constexpr Kernel<Address, OperandStride, Address, OperandStride, Address, OperandStride, Address,
                 OperandStride, Address, OperandStride, U32>
    kernel{"kernels/cluster/place_cluster_sort.cuh", "place_cluster_sort"};

/// Keys that a block holds.
std::int64_t share(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t item = placed_item_bytes(problem.key);
  return c.at("sending") != 0 ? layout::sending_cluster_bytes(c.at("block_size_x"), c.at("items_per_thread"),
                                                              c.at("cluster_size"), item)
                              : layout::padded_bytes(share(c), item);
}

/// The keys that clusters of this space hold at least: smaller arrays are one block's work.
constexpr std::uint64_t smallest_tile = 1024;

std::int64_t tile_for(std::uint64_t length) {
  return static_cast<std::int64_t>(std::max(smallest_tile, std::bit_ceil(length)));
}

class ClusterByPlaceVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "cluster_by_place"; }
  std::string_view description() const noexcept override {
    return "keys with their places in the registers of a cluster of blocks, one launch; values or indices; "
           "stable";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() != ShapeKind::segments && carries_one_thing(problem) && device.warp_size == 32 &&
           device.max_cluster_size >= 2 && problem.n <= 32768;
  }
  /// One array sooner than many rows, since the other multiprocessors are idle then.
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace ClusterByPlaceVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"cluster_size", {2, 4, 8, 16}, "blocks a cluster"},
      {"block_size_x", {64, 128, 256, 512}, "threads a block"},
      {"items_per_thread", {4, 8, 16, 32}, "keys a thread holds in registers, each with its place"},
      {"shuffle_steps", {0, 1, 2, 3, 5}, "most steps on lane bits that go by shuffles at the end of a stage"},
      {"compare_as_double",
       {0, 1},
       "whether a key of 32 bits and its place are compared as floating-point numbers"},
      {"imad_quarters",
       {0, 1, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"sending",
       {0, 1},
       "1: blocks send each other their items, asynchronously; 0: they read and write them, behind barriers "
       "of "
       "the cluster"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"the device allows clusters of that size",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         return c.at("cluster_size") <= d.largest_cluster_size();
       },
       {"cluster_size"}},
      {"the array fits the registers of the cluster, and fills more than half of them",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("cluster_size") * share(c) == tile_for(p.n);
       },
       {"cluster_size", "block_size_x", "items_per_thread"}},
      {"a thread has a key for each block of the cluster, or where they send, for every second one",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("cluster_size") <= c.at("items_per_thread") * (c.at("sending") != 0 ? 2 : 1);
       },
       {"cluster_size", "items_per_thread", "sending"}},
      {"what blocks send each other has at most 8 bytes: sending is 0 for keys of 64 bits",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("sending") == 0 || size_of(p.key) < 8;
       },
       {"sending"}},
      placed_words_may_be_doubles(),
      shared_memory_fits_block(shared_bytes),
      {"items, with a key and a value each, and 34 registers besides fit a block's registers",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t key = writes_keys(p) ? 1 : 0;
         const std::int64_t item = placed_item_registers(p.key) + key + (p.value_bytes + 3) / 4;
         return registers_fit(c, c.at("items_per_thread") * item + 34, 1, d);
       },
       {"items_per_thread", "block_size_x"}},
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration ClusterByPlaceVariant::default_configuration(const Problem& problem,
                                                           const DeviceInfo& device) const {
  const std::int64_t tile = tile_for(problem.n);
  // One array's blocks send each other items; many rows hide each other's barriers.
  const bool sends = problem.rows == 1 && size_of(problem.key) < 8;
  const std::int64_t most = sends ? device.largest_cluster_size() : std::min(8, device.max_cluster_size);
  // As many blocks as keep 128 threads busy each.
  std::int64_t ranks = 2;
  while (ranks < most && tile / ranks > 1024) ranks *= 2;
  const std::int64_t items = tile / ranks <= 4096 ? 8 : 16;
  return {std::string(name()),
          {{"cluster_size", ranks},
           {"block_size_x", tile / ranks / items},
           {"items_per_thread", items},
           {"shuffle_steps", 2},
           {"compare_as_double", prefers_doubles(problem.key, device)},
           {"imad_quarters", 0},
           {"sending", sends ? 1 : 0},
           {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
}

Plan ClusterByPlaceVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const auto ranks = as_count(c.at("cluster_size"));
  builder.launch(
      kernel,
      fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}, {}, {}, {}, {}, {}, {}",
                  codec_arguments(problem.key, problem.order),
                  placed_form(problem.key, c.at("compare_as_double") != 0), problem.value_bytes,
                  problem.index_bytes, writes_keys(problem), c.at("block_size_x"), c.at("items_per_thread"),
                  ranks, c.at("shuffle_steps"), c.at("imad_quarters"), c.at("sending") != 0),
      {.blocks = problem.rows * ranks,
       .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
       .shared_bytes = as_count(shared_bytes(c, problem)),
       .cluster = static_cast<std::uint32_t>(ranks)},
      address_of(Role::keys_out), OperandStride{Role::keys_out}, address_of(Role::keys_in),
      OperandStride{Role::keys_in}, address_of(Role::values_out), OperandStride{Role::values_out},
      address_of(Role::values_in), OperandStride{Role::values_in}, address_of(Role::indices_out),
      OperandStride{Role::indices_out}, problem.n);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_cluster_by_place

/// One launch for arrays, and rows, of up to 16 blocks' registers, on GPUs with distributed shared memory
/// (sm_90 on; kernels/cluster/place_cluster_sort.cuh).
const Variant& cluster_by_place_variant() {
  static const of_cluster_by_place::ClusterByPlaceVariant variant;
  return variant;
}

}  // namespace bitune
