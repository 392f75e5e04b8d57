#include "runtime/variants/multiway_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/key_type.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/multiway_sizes.hpp"

namespace bitune::of_multiway {
namespace {

constexpr RowsKernel<Address, Address, U64, U32, U32, U32, U32> split_kernel{split_header, "multiway_split"};

/// Runs of 4 KB are as quick as shorter ones. They grow while there are more of them than multiprocessors.
/// Past half of what registers hold they grow only where there would be too many: a bucket's pieces get short
/// then, and splitting slow.
std::int64_t default_tile(const Problem& problem, const DeviceInfo& device) {
  const std::int64_t largest = largest_tile(problem.key, device);
  std::int64_t tile = smallest_tile;
  const auto count = [&] { return parts_of(problem.n, as_count(tile)); };
  while (tile < largest && tile * word_bytes(problem.key) < 4096 && count() > 2) tile *= 2;
  while (tile < largest && count() > static_cast<std::uint64_t>(device.sm_count) &&
         (tile < largest / 2 || count() > 1024)) {
    tile *= 2;
  }
  return tile;
}

}  // namespace

Configuration default_of(std::string variant, const Problem& problem, const DeviceInfo& device) {
  const bool wide = size_of(problem.key) == 8;
  const std::int64_t word = word_bytes(problem.key);
  const std::int64_t tile = default_tile(problem, device);
  // 256 threads a block, as far as a thread has 32 to 128 bytes of keys then.
  const std::int64_t items = std::min(std::clamp(tile / 256, 32 / word, 128 / word), tile / 64);
  // Short runs are bound by waiting, not by work: launches overlap, and few threads search for many.
  const bool is_short = tile * word <= 16 << 10;
  const bool in_buckets = parts_of(problem.n, as_count(tile)) <= 256;
  Configuration c{std::move(variant),
                  {{"block_size_x", tile / items},
                   {"items_per_thread", items},
                   {"shuffle_steps", is_short ? 2 : 1},
                   {"vector_width", wide ? 2 : 4},
                   {"imad_quarters", 0},
                   {"min_blocks_per_sm", tile / items <= 128 ? 2 : 1},
                   {"gather_lanes", is_short ? 4 : 8},
                   {"split_threads", in_buckets || wide ? 256 : 128},
                   {"split_pivots", tile * word < 64 << 10 ? 3 : 5},
                   {"split_levels", in_buckets ? 0 : 1},
                   {"split_window", 64},
                   {"dependent_launch", device.compute_major < 9 ? 0
                                        : is_short               ? 2
                                                                 : 1}}};
  if (!in_buckets || !windows_fit(c, problem, device)) {
    c.parameters["split_window"] = 0;
  } else if (tile * word == 32 << 10 && windows_fit(c, problem, device, 96)) {
    // With windows of 64, many blocks would have to move them. The next launch waits here, since its blocks
    // would take the place of those that are still to come.
    c.parameters["split_window"] = 96;
    c.parameters["dependent_launch"] = 0;
  }
  return c;
}

void append_splitting(PlanBuilder& builder, const Problem& problem, const Configuration& c, Address runs,
                      Address splits) {
  const std::uint64_t tiles = tile_count(c, problem);
  std::uint64_t parent_step = 0;
  for (std::int64_t level = c.at("split_levels"); level > 0; --level) {
    std::uint64_t step = 1;
    for (std::int64_t below = 1; below < level; ++below) step *= fan_out(c, problem);
    if (step >= tiles) continue;
    const std::uint64_t multiples = (tiles - 1) / step;
    const std::uint64_t intervals = parent_step == 0 ? 1 : parts_of(tiles, parent_step);
    const std::uint64_t boundaries = parent_step == 0 ? multiples : intervals * (parent_step / step - 1);
    builder.launch(split_kernel,
                   fmt::format("{}, {}, {}, 1", encoded_codec(problem.key, problem.order),
                               c.at("split_threads"), c.at("split_pivots")),
                   {.blocks = boundaries,
                    .threads = static_cast<std::uint32_t>(c.at("split_threads")),
                    .shared_bytes = as_count(split_bytes(c, problem))},
                   splits, runs, problem.n, as_count(tile_size(c)), tiles, step, parent_step);
    parent_step = step;
  }
}

}  // namespace bitune::of_multiway
