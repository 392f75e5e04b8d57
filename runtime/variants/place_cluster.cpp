#include "runtime/variants/place_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/cluster/place_cluster_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune::place_cluster {
namespace {

/// Keys that a block holds.
std::int64_t share(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

/// The keys that clusters of this space hold at least: smaller arrays are one block's work.
constexpr std::uint64_t smallest_tile = 1024;

std::int64_t tile_for(std::uint64_t length) {
  return static_cast<std::int64_t>(std::max(smallest_tile, std::bit_ceil(length)));
}

}  // namespace

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  // Of the first keys, values are few, and fetched from memory.
  return layout::place_cluster_parts(c.at("block_size_x"), c.at("items_per_thread"), c.at("cluster_size"),
                                     placed_item_bytes(problem.key),
                                     is_top_k(problem) ? 0 : problem.value_bytes, c.at("sending") != 0)
      .bytes;
}

SearchSpace space(std::string variant, Restriction registers, std::int64_t most_sent) {
  SearchSpace space;
  space.variant = std::move(variant);
  space.parameters = {
      {"cluster_size", {2, 4, 8, 16}, "blocks a cluster"},
      {"block_size_x", {64, 128, 256, 512}, "threads a block"},
      {"items_per_thread", {4, 8, 16, 32}, "keys a thread holds in registers, each with its place"},
      {"shuffle_steps", {0, 1, 2, 3, 5}, "most steps on lane bits that go by shuffles at the end of a stage"},
      compared_as_double(),
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
      cluster_fits_device(),
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
      {fmt::format("what blocks send each other has at most {} bytes", most_sent),
       [most_sent](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("sending") == 0 || placed_item_bytes(p.key) <= most_sent;
       },
       {"sending"}},
      placed_words_may_be_doubles(),
      shared_memory_fits_block(shared_bytes),
      std::move(registers),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration default_configuration(std::string variant, const Problem& problem, const DeviceInfo& device) {
  const std::int64_t tile = tile_for(problem.n);
  // One array's blocks send each other items; many rows hide each other's barriers.
  const bool sends = problem.rows == 1 && size_of(problem.key) < 8;
  const std::int64_t most = sends ? device.largest_cluster_size() : std::min(8, device.max_cluster_size);
  // As many blocks as keep 128 threads busy each.
  std::int64_t ranks = 2;
  while (ranks < most && tile / ranks > 1024) ranks *= 2;
  const std::int64_t items = tile / ranks <= 4096 ? 8 : 16;
  return {std::move(variant),
          {{"cluster_size", ranks},
           {"block_size_x", tile / ranks / items},
           {"items_per_thread", items},
           {"shuffle_steps", 2},
           {"compare_as_double", prefers_doubles(problem.key, device)},
           {"imad_quarters", 0},
           {"sending", sends ? 1 : 0},
           {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
}

}  // namespace bitune::place_cluster
