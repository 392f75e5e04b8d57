// The variant `bin_cluster`: the first k keys of rows and arrays that a cluster holds in registers, where k
// is hundreds and thousands.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "kernels/topk/bin_cluster_layout.hpp"
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
namespace of_bin_cluster {
namespace {

constexpr FirstKeysKernel<U32, U32> kernel{"kernels/topk/bin_cluster.cuh", "bin_cluster"};

constexpr std::uint64_t most_wanted = 6144;

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return layout::bin_cluster(c.at("block_size_x"), c.at("cluster_size"), c.at("candidates"),
                             merged_item_bytes(problem.key), word_bytes(problem.key))
      .bytes;
}

/// Registers that a thread has: for its keys; or for its candidates, and where in its bin each is.
std::int64_t registers(const Configuration& c, const Problem& problem) {
  const std::int64_t wide = word_bytes(problem.key) / 4;
  const std::int64_t candidates =
      c.at("candidates") / c.at("block_size_x") * (merged_item_registers(problem.key) + 1);
  return std::max(c.at("items_per_thread") * wide + 32, candidates + (wide == 2 ? 52 : 40));
}

class BinClusterVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "bin_cluster"; }
  std::string_view description() const noexcept override {
    return "the first keys of rows and arrays in the registers of a cluster of blocks, where k is large: "
           "keys are counted in bins, and what is not behind the last one that is wanted is put in order by "
           "bins";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_top_k(problem) && device.warp_size == 32 && device.max_cluster_size >= 2 &&
           problem.n >= cluster_choice::shortest_row && problem.n <= cluster_choice::longest_row &&
           problem.k != 0 && problem.k <= most_wanted && default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace BinClusterVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"cluster_size", {2, 4, 8, 16}, "blocks a row"},
      {"block_size_x", {128, 256, 512, 1024}, "threads a block"},
      {"items_per_thread", {4, 8, 16, 32}, "keys a thread holds in registers"},
      {"candidates", {512, 1024, 2048, 4096, 8192}, "keys that there is room for to be put in order"},
      {"counts_minima", {0, 1}, "1: of the keys of each thread the smallest one is counted; 0: all are"},
      compared_as_double(),
      {"min_blocks_per_sm",
       {1, 2, 3, 4},
       "blocks a multiprocessor that the compiler must leave registers for"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      cluster_fits_device(),
      cluster_choice::row_fills_cluster(),
      {"a thread holds 16 keys of 64 bits at most",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return size_of(p.key) < 8 || c.at("items_per_thread") <= 16;
       },
       {"items_per_thread"}},
      {"there is room for a third more than the first k keys, and for eight times as many at most, or the "
       "least there is",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::uint64_t candidates = as_count(c.at("candidates"));
         return 3 * candidates >= 4 * p.k && (candidates <= 8 * p.k || candidates == 512);
       },
       {"candidates"}},
      {"a thread has a candidate at least, and sorts 16 at most, 8 of 64-bit keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t candidates = c.at("candidates");
         return candidates >= c.at("block_size_x") &&
                cluster_choice::sorted_items(c, candidates) <= (size_of(p.key) == 8 ? 8 : 16) &&
                layout::is_sorted_by(c.at("block_size_x"), candidates);
       },
       {"block_size_x", "candidates"}},
      {"minima are counted of as many threads at least as keys are wanted",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("counts_minima") == 0 ||
                as_count(c.at("cluster_size") * c.at("block_size_x")) >= std::min(p.n, p.k);
       },
       {"cluster_size", "block_size_x", "counts_minima"}},
      {"the keys and 32 registers besides, or the candidates, where in its bin each is, and 40 (52 of 64-bit "
       "keys), fit a block's registers, and min_blocks_per_sm times a multiprocessor's",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, registers(c, p), c.at("min_blocks_per_sm"), d);
       },
       {"block_size_x", "items_per_thread", "candidates", "min_blocks_per_sm"}},
      placed_words_may_be_doubles(),
      shared_memory_fits_block(shared_bytes),
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

/// As many blocks a row as leave each 8192 keys, if all rows take at most half of the multiprocessors; else
/// as few as hold it, of as many threads as there may be.
Configuration BinClusterVariant::default_configuration(const Problem& problem,
                                                       const DeviceInfo& device) const {
  const std::int64_t tile = cluster_choice::tile_for(problem);
  const std::uint64_t of_row =
      static_cast<std::uint64_t>(device.sm_count) / 2 / std::max<std::uint64_t>(1, problem.rows);
  const std::int64_t most_ranks = std::min({static_cast<std::int64_t>(device.largest_cluster_size()),
                                            tile / 8192, static_cast<std::int64_t>(std::bit_floor(of_row))});
  Configuration c{std::string(name()),
                  {{"cluster_size", 2},
                   {"block_size_x", 1024},
                   {"items_per_thread", 32},
                   {"candidates", 8192},
                   {"counts_minima", 0},
                   {"compare_as_double", prefers_doubles(problem.key, device)},
                   {"min_blocks_per_sm", 1},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  const SearchSpace all = space(problem, device);
  for (std::int64_t ranks = std::max<std::int64_t>(2, most_ranks); ranks <= 16; ranks *= 2) {
    c.parameters["cluster_size"] = ranks;
    for (const std::int64_t threads :
         problem.rows == 1 ? std::array{512, 1024, 256, 128} : std::array{1024, 512, 256, 128}) {
      c.parameters["block_size_x"] = threads;
      c.parameters["items_per_thread"] = tile / ranks / threads;
      c.parameters["counts_minima"] = as_count(ranks * threads) >= problem.k ? 1 : 0;
      for (std::int64_t candidates = 512; candidates <= 8192; candidates *= 2) {
        // With less, what a bin of the bound has besides makes another count.
        if (as_count(candidates) < 2 * problem.k && candidates < 8192) continue;
        c.parameters["candidates"] = candidates;
        if (!all.violation(c, problem, device)) return c;
      }
    }
  }
  return c;
}

Plan BinClusterVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  launch_first_keys(
      builder, kernel,
      fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}", merged_arguments(problem, c), problem.value_bytes,
                  problem.index_bytes, c.at("block_size_x"), c.at("items_per_thread"), c.at("cluster_size"),
                  c.at("candidates"), c.at("counts_minima"), 2, c.at("min_blocks_per_sm")),
      cluster_for_each(problem.rows, c, shared_bytes(c, problem)), problem.n, problem.k);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_bin_cluster

/// One launch for thousands of the first keys of arrays, and of a few rows, of up to 16 blocks' registers, on
/// GPUs with distributed shared memory (sm_90 on; kernels/topk/bin_cluster.cuh).
const Variant& bin_cluster_variant() {
  static const of_bin_cluster::BinClusterVariant variant;
  return variant;
}

}  // namespace bitune
