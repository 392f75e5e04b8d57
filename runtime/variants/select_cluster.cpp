// The variant `select_cluster`: the first k keys of rows and arrays that a cluster holds in registers,
// without sorting them.

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
namespace of_select_cluster {
namespace {

constexpr FirstKeysKernel<U32, U32> kernel{"kernels/topk/select_cluster.cuh", "select_cluster"};

std::int64_t candidates(const Configuration& c, const Problem& problem) {
  return cluster_choice::candidates(c, problem);
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return cluster_choice::shared_bytes(c, problem, candidates(c, problem), false);
}

class SelectClusterVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "select_cluster"; }
  std::string_view description() const noexcept override {
    return "the first keys of rows and arrays in the registers of a cluster of blocks: a bound from minima "
           "of "
           "groups of keys; only what is not behind it is put in order";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    if (!is_top_k(problem) || device.warp_size != 32 || device.max_cluster_size < 2 ||
        problem.n < cluster_choice::shortest_row || problem.n > cluster_choice::longest_row ||
        problem.k > as_count(layout::minima_of_warp())) {
      return false;
    }
    return default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace SelectClusterVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"cluster_size", {2, 4, 8, 16}, "blocks a row"},
      {"block_size_x", {128, 256, 512, 1024}, "threads a block"},
      {"items_per_thread", {4, 8, 16, 32}, "keys a thread holds in registers"},
      {"vector_width", {1, 2, 4, 8}, "neighbouring keys a thread loads at once"},
      cluster_choice::minima(),
      cluster_choice::candidate_factor(),
      compared_as_double(),
      {"min_blocks_per_sm",
       {1, 2, 3, 4},
       "blocks a multiprocessor that the compiler must leave registers for"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      vector_fits_access(),
      cluster_fits_device(),
      cluster_choice::row_fills_cluster(),
      {"a thread holds whole vectors, and 16 keys of 64 bits at most",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("vector_width") <= c.at("items_per_thread") &&
                (size_of(p.key) < 8 || c.at("items_per_thread") <= 16);
       },
       {"items_per_thread", "vector_width"}},
      {"there is room for the first k vectors: of keys in order all of them are candidates",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("vector_width") == 1 ||
                c.at("vector_width") * static_cast<std::int64_t>(p.k) <= candidates(c, p);
       },
       {"block_size_x", "vector_width", "candidate_factor"}},
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

Configuration SelectClusterVariant::default_configuration(const Problem& problem,
                                                          const DeviceInfo& device) const {
  const std::int64_t tile = cluster_choice::tile_for(problem);
  const auto key_bytes = static_cast<std::int64_t>(size_of(problem.key));
  const std::int64_t most_items = key_bytes == 8 ? 16 : 32;
  // As many blocks a row as there are multiprocessors, if that leaves them 4096 keys each; else as few as
  // hold it.
  std::int64_t ranks = 2;
  while (ranks < device.largest_cluster_size() &&
         ((problem.rows * as_count(2 * ranks) <= as_count(device.sm_count) && tile / ranks >= 8192) ||
          tile / ranks > 512 * most_items)) {
    ranks *= 2;
  }
  // Threads of a few rows hold few keys each, so that loads and minima take less time.
  const bool few = problem.rows * as_count(ranks) <= as_count(device.sm_count);
  std::int64_t items = few ? 8 : most_items;
  while (items > 4 && tile / ranks / items < 128) items /= 2;
  while (items < most_items && tile / ranks / items > 512) items *= 2;
  if (tile / ranks / items > 512) items = tile / ranks / 1024;
  Configuration c{std::string(name()),
                  {{"cluster_size", ranks},
                   {"block_size_x", tile / ranks / items},
                   {"items_per_thread", items},
                   {"vector_width", std::min<std::int64_t>({items, 16 / key_bytes, 4})},
                   {"minima", std::clamp<std::int64_t>(2 * cluster_choice::rounded_k(problem), 32,
                                                       layout::minima_of_warp())},
                   {"candidate_factor", 8},
                   {"compare_as_double", prefers_doubles(problem.key, device)},
                   {"min_blocks_per_sm", few ? 1 : 2},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  const SearchSpace all = space(problem, device);
  while (c.at("candidate_factor") > 2 && all.violation(c, problem, device))
    c.parameters["candidate_factor"] /= 2;
  while (c.at("vector_width") > 1 && all.violation(c, problem, device)) c.parameters["vector_width"] /= 2;
  while (c.at("min_blocks_per_sm") > 1 && all.violation(c, problem, device))
    --c.parameters["min_blocks_per_sm"];
  return c;
}

Plan SelectClusterVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  launch_first_keys(builder, kernel,
                    fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}", merged_arguments(problem, c),
                                problem.value_bytes, problem.index_bytes, c.at("block_size_x"),
                                c.at("items_per_thread"), c.at("vector_width"), c.at("cluster_size"),
                                c.at("minima"), candidates(c, problem), 2, c.at("min_blocks_per_sm")),
                    cluster_for_each(problem.rows, c, shared_bytes(c, problem)), problem.n, problem.k);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_select_cluster

/// One launch for arrays, and rows, of up to 16 blocks' registers, on GPUs with distributed shared memory
/// (sm_90 on; kernels/topk/select_cluster.cuh).
const Variant& select_cluster_variant() {
  static const of_select_cluster::SelectClusterVariant variant;
  return variant;
}

}  // namespace bitune
