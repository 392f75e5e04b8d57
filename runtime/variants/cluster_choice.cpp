#include "runtime/variants/cluster_choice.hpp"

#include <algorithm>
#include <bit>

#include "kernels/topk/cluster_choice_layout.hpp"
#include "kernels/topk/topk_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune::cluster_choice {
namespace {

/// Registers that a thread has: for the keys of a row, beside minima as they are sorted, whose shuffles take
/// copies; or for candidates as they are sorted; and a few more on newer devices.
std::int64_t registers(const Configuration& c, const Problem& problem, std::int64_t candidates,
                       const DeviceInfo& device) {
  const std::int64_t wide = word_bytes(problem.key) / 4;
  const std::int64_t keys = c.at("items_per_thread") * wide;
  const std::int64_t minima = c.at("minima") / 32 * wide;
  const std::int64_t sorted = sorted_items(c, candidates) * placed_item_registers(problem.key);
  if (wide == 2) return keys + 2 * std::max(sorted, minima) + 44;
  return std::max(keys + 2 * minima + 24, sorted + 28) + (device.compute_major >= 10 ? 6 : 0);
}

}  // namespace

std::int64_t sorted_items(const Configuration& c, std::int64_t candidates) {
  return candidates / (candidates < 2 * c.at("block_size_x") ? 32 : c.at("block_size_x"));
}

std::int64_t rounded_k(const Problem& problem) { return static_cast<std::int64_t>(std::bit_ceil(problem.k)); }

std::int64_t tile_for(const Problem& problem) { return static_cast<std::int64_t>(std::bit_ceil(problem.n)); }

std::int64_t capacity(const Configuration& c) {
  return c.at("cluster_size") * c.at("block_size_x") * c.at("items_per_thread");
}

Restriction row_fills_cluster() {
  constexpr std::int64_t smallest_share = 1024;
  return {
      "the row fits the registers of the cluster, and fills more than half of them; a block has 1024 keys "
      "at least",
      [](const Configuration& c, const Problem& p, const DeviceInfo&) {
        return capacity(c) == tile_for(p) && capacity(c) >= smallest_share * c.at("cluster_size");
      },
      {"cluster_size", "block_size_x", "items_per_thread"}};
}

std::int64_t candidates(const Configuration& c, const Problem& problem, std::int64_t vector) {
  std::int64_t count = rounded_k(problem) * std::max(c.at("candidate_factor"), vector);
  while (!layout::is_sorted_by(c.at("block_size_x"), count)) count *= 2;
  return count;
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem, std::int64_t candidates,
                          bool stays) {
  return layout::cluster_choice(c.at("block_size_x"), c.at("minima"), candidates,
                                merged_item_bytes(problem.key), word_bytes(problem.key), stays)
      .bytes;
}

Parameter minima() {
  return {"minima", {32, 64, 128, 256, 512}, "groups of a row's keys whose smallest ones bound the first k"};
}

Parameter candidate_factor() {
  return {"candidate_factor", {2, 4, 8}, "candidates that there is room for, for each of the first k"};
}

std::vector<Restriction> restrictions(Candidates candidates) {
  return {
      {"there are at least k groups of keys, and no more than 8 times as many as a power of two from k on, "
       "or the fewest there are",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("minima") >= rounded_k(p) &&
                (c.at("minima") <= 8 * rounded_k(p) || c.at("minima") == 32);
       },
       {"minima"}},
      {"a thread sorts 16 candidates at most, 8 of 64-bit keys",
       [candidates](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return sorted_items(c, candidates(c, p)) <= (size_of(p.key) == 8 ? 8 : 16);
       },
       {"block_size_x", "candidate_factor"}},
      {"the keys, twice a thread's minima and 24 registers besides, or its candidates and 28 (6 more from "
       "compute capability 10.0 on), fit a block's registers, and min_blocks_per_sm times a "
       "multiprocessor's; of 64-bit keys the keys, twice what is sorted, and 44",
       [candidates](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, registers(c, p, candidates(c, p), d), c.at("min_blocks_per_sm"), d);
       },
       {"block_size_x", "items_per_thread", "minima", "candidate_factor", "min_blocks_per_sm"}},
  };
}

}  // namespace bitune::cluster_choice
