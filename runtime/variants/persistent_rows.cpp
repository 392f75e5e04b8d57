// The variant `persistent_rows`: the first k keys of many rows that the registers of a block or a cluster
// hold, by blocks that stay and copy the next row meanwhile.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/topk/topk_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/cluster_choice.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_persistent_rows {
namespace {

constexpr FirstKeysKernel<U32, U32, U32> kernel{"kernels/topk/persistent_rows.cuh", "persistent_rows"};

/// What a block of 1024 threads holds, or two of 512: larger clusters wait for each other longer than rows
/// take. And what a warp holds soon enough by itself.
constexpr std::uint64_t longest_row = std::uint64_t{1} << 15;
constexpr std::uint64_t shortest_row = 1024;

/// Keys of a vector of 16 bytes, which a thread copies at once.
std::int64_t vector_keys(const Problem& problem) {
  return 16 / static_cast<std::int64_t>(size_of(problem.key));
}

/// Of keys in order the first k vectors are all candidates.
std::int64_t candidates(const Configuration& c, const Problem& problem) {
  return cluster_choice::candidates(c, problem, vector_keys(problem));
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return c.at("block_size_x") * c.at("items_per_thread") * static_cast<std::int64_t>(size_of(problem.key)) +
         cluster_choice::shared_bytes(c, problem, candidates(c, problem), true);
}

/// Blocks, or clusters of two, that run at once.
std::int64_t resident_clusters(const Configuration& c, const DeviceInfo& device) {
  return std::max<std::int64_t>(1, device.sm_count * c.at("min_blocks_per_sm") / c.at("cluster_size"));
}

class PersistentRowsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "persistent_rows"; }
  std::string_view description() const noexcept override {
    return "the first keys of many rows, each in the registers of a block or a cluster, which stay: the next "
           "row is copied to shared memory while keys are compared and candidates put in order";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    // Rows of narrow keys are read in less time than they are chosen from.
    if (!is_top_k(problem) || size_of(problem.key) < 4 || device.warp_size != 32 ||
        problem.n < shortest_row || problem.n > longest_row || problem.rows >= std::uint64_t{1} << 31 ||
        problem.k == 0 || problem.k > as_count(layout::minima_of_warp())) {
      return false;
    }
    return default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace PersistentRowsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"cluster_size", {1, 2}, "blocks a row"},
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads a block"},
      {"items_per_thread", {8, 16, 32}, "keys a thread holds in registers, and as many in shared memory"},
      cluster_choice::minima(),
      cluster_choice::candidate_factor(),
      compared_as_double(),
      {"min_blocks_per_sm",
       {1, 2, 3, 4, 6, 8, 12},
       "blocks a multiprocessor, for which the compiler must leave registers"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      cluster_fits_device(),
      {"the row fits the registers of the cluster, and fills more than half of them",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return cluster_choice::capacity(c) == cluster_choice::tile_for(p);
       },
       {"cluster_size", "block_size_x", "items_per_thread"}},
      {"a thread holds whole vectors of 16 bytes, and 16 keys of 64 bits at most",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return vector_keys(p) <= c.at("items_per_thread") &&
                (size_of(p.key) < 8 || c.at("items_per_thread") <= 16);
       },
       {"items_per_thread"}},
      {"where a row has two blocks, 40 registers besides its keys fit those that a thread has",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return c.at("cluster_size") == 1 ||
                registers_fit(c, c.at("items_per_thread") * word_bytes(p.key) / 4 + 40,
                              c.at("min_blocks_per_sm"), d);
       },
       {"cluster_size", "block_size_x", "items_per_thread", "min_blocks_per_sm"}},
      {"each thread has a group's minimum at most",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("minima") <= c.at("block_size_x") * c.at("cluster_size");
       },
       {"cluster_size", "block_size_x", "minima"}},
      placed_words_may_be_doubles(),
      shared_memory_fits_block(shared_bytes),
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
  };
  for (Restriction& restriction : cluster_choice::restrictions(candidates)) {
    space.restrictions.push_back(std::move(restriction));
  }
  return space;
}

Configuration PersistentRowsVariant::default_configuration(const Problem& problem,
                                                           const DeviceInfo& device) const {
  const std::int64_t tile = cluster_choice::tile_for(problem);
  const std::int64_t items = size_of(problem.key) == 8 ? 16 : 32;
  const SearchSpace all = space(problem, device);
  Configuration c{std::string(name()),
                  {{"cluster_size", 1},
                   {"block_size_x", 64},
                   {"items_per_thread", items},
                   {"minima", std::clamp<std::int64_t>(2 * cluster_choice::rounded_k(problem), 32,
                                                       layout::minima_of_warp())},
                   {"candidate_factor", 8},
                   {"compare_as_double", prefers_doubles(problem.key, device)},
                   {"min_blocks_per_sm", 12},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  for (const std::int64_t ranks : {1, 2}) {
    c.parameters["cluster_size"] = ranks;
    c.parameters["block_size_x"] = std::max<std::int64_t>(tile / ranks / items, 64);
    c.parameters["items_per_thread"] = tile / ranks / c.at("block_size_x");
    for (const std::int64_t blocks : {12, 8, 6, 4, 3, 2, 1}) {
      for (const std::int64_t factor : {8, 4, 2}) {
        c.parameters["min_blocks_per_sm"] = blocks;
        c.parameters["candidate_factor"] = factor;
        if (!all.violation(c, problem, device)) return c;
      }
    }
  }
  return c;
}

Plan PersistentRowsVariant::plan(const Problem& problem, const Configuration& c,
                                 const DeviceInfo& device) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const std::uint64_t clusters = std::min(problem.rows, as_count(resident_clusters(c, device)));
  launch_first_keys(
      builder, kernel,
      fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}", merged_arguments(problem, c), problem.value_bytes,
                  problem.index_bytes, c.at("block_size_x"), c.at("items_per_thread"), c.at("cluster_size"),
                  c.at("minima"), candidates(c, problem), 2, c.at("min_blocks_per_sm")),
      cluster_for_each(clusters, c, shared_bytes(c, problem)), problem.rows, problem.n, problem.k);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_persistent_rows

/// Blocks that stay take one row after the other, each in registers; the next one is on its way meanwhile
/// (kernels/topk/persistent_rows.cuh).
const Variant& persistent_rows_variant() {
  static const of_persistent_rows::PersistentRowsVariant variant;
  return variant;
}

}  // namespace bitune
