#include "runtime/variants/place_runs.hpp"

#include <algorithm>
#include <utility>

#include "kernels/merge/merge_layout.hpp"
#include "kernels/network/network_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune::place_runs {

std::int64_t run_size(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

std::int64_t tile_size(const Configuration& c) { return c.at("merge_threads") * c.at("merge_items"); }

std::int64_t run_bytes(const Configuration& c, const Problem& problem) {
  return layout::padded_bytes(run_size(c), merged_item_bytes(problem.key));
}

std::int64_t tile_bytes(const Configuration& c, const Problem& problem) {
  return layout::merge_tile_bytes(tile_size(c), merged_item_bytes(problem.key));
}

SearchSpace space(std::string variant) {
  SearchSpace space;
  space.variant = std::move(variant);
  space.parameters = {
      {"block_size_x", {64, 128, 256, 512}, "threads of a block that sorts a run"},
      {"items_per_thread", {4, 8, 16}, "keys a thread holds in registers, each with its place"},
      {"shuffle_steps", {0, 1, 2, 3}, "most steps on lane bits that go by shuffles at the end of a stage"},
      compared_as_double(),
      {"imad_quarters",
       {0, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm",
       {1, 2, 3, 4},
       "blocks that sort runs a multiprocessor that the compiler must leave registers for"},
      {"merge_threads", {64, 128, 256, 512}, "threads of a block that merges"},
      {"merge_items", {4, 8, 16}, "items a thread merges"},
      {"dependent_launch", {0, 1}, "whether each launch may begin while the one before it ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"a run is a whole number of tiles that are merged",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         return run_size(c) % tile_size(c) == 0 && c.at("merge_threads") <= d.max_threads_per_block;
       },
       {"block_size_x", "items_per_thread", "merge_threads", "merge_items"}},
      {"a run is shorter than the array, or the shortest there is",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return as_count(run_size(c)) < p.n || run_size(c) == 256;
       },
       {"block_size_x", "items_per_thread"}},
      placed_words_may_be_doubles(),
      places_fit_doubles(),
      shared_memory_fits_block([](const Configuration& c, const Problem& p) {
        return std::max(run_bytes(c, p), tile_bytes(c, p));
      }),
      placed_items_fit_registers(),
      blocks_fit_multiprocessor(run_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration default_configuration(const SearchSpace& all, const Problem& problem,
                                    const DeviceInfo& device) {
  const bool wide = size_of(problem.key) == 8;
  // A few short rows: shorter runs, so that more multiprocessors have one.
  const std::uint64_t keys = problem.n * std::min<std::uint64_t>(problem.rows, 1 << 20);
  const auto multiprocessors = static_cast<std::uint64_t>(device.sm_count);
  std::int64_t threads = 256;
  std::int64_t items = wide ? 8 : 16;
  while (threads > 64 && keys / as_count(threads * items) < multiprocessors) threads /= 2;
  if (as_count(threads * items) >= problem.n) {
    threads = 64;
    items = 4;
  }
  const std::int64_t merged = std::min<std::int64_t>(items, 8);
  Configuration c{all.variant,
                  {{"block_size_x", threads},
                   {"items_per_thread", items},
                   {"shuffle_steps", 2},
                   {"compare_as_double", prefers_doubles(problem, device)},
                   {"imad_quarters", 0},
                   {"min_blocks_per_sm", threads < 256 ? 1
                                         : wide        ? 4
                                                       : 3},
                   {"merge_threads", threads},
                   {"merge_items", merged},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  if (all.violation(c, problem, device)) c.parameters["min_blocks_per_sm"] = 1;
  return c;
}

}  // namespace bitune::place_runs
