// The variant `multiway`: sorted runs, split exactly where buckets begin, and each bucket sorted in
// registers.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/definition.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/network_plan.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_multiway {
namespace {

/// Keys that a block holds.
std::int64_t share_size(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

/// Keys of a run, and of a bucket.
std::int64_t tile_size(const Configuration& c) { return share_size(c) * c.at("cluster_size"); }

constexpr std::int64_t smallest_tile = 64 * 4;

/// How many runs, and as many buckets, a row has.
std::uint64_t tile_count(const Configuration& c, const Problem& problem) {
  const auto tile = static_cast<std::uint64_t>(tile_size(c));
  return parts_of(problem.n, tile);
}

/// Splitting takes a place in every run for every bucket: it grows with the square of this.
constexpr std::uint64_t most_tiles = 4096;

/// Where the pieces of all runs begin and end, a word for every warp twice, and one for all threads that
/// gather together (bucket_gather.cuh).
std::int64_t piece_bytes(std::int64_t pieces, std::int64_t threads, std::int64_t gather_lanes) {
  return 4 * (2 * pieces + 2 * threads / 32 + threads / gather_lanes);
}

/// Keys of the longest run that the registers and the shared memory of a block hold on the device.
std::int64_t largest_tile(KeyType key, const DeviceInfo& device) {
  const std::int64_t threads =
      std::min<std::int64_t>(1024, std::bit_floor(static_cast<unsigned>(device.max_threads_per_block)));
  std::int64_t tile = threads * 128 / word_bytes(key);
  const std::int64_t besides = piece_bytes(most_tiles, 1024, 4);
  while (tile > smallest_tile && padded_tile_bytes(tile, key) + besides > device.shared_bytes_per_block_optin)
    tile /= 2;
  return tile;
}

/// Ranks are 32-bit numbers.
std::uint64_t most_keys(KeyType key, const DeviceInfo& device) {
  return std::min<std::uint64_t>(std::numeric_limits<std::uint32_t>::max(),
                                 most_tiles * static_cast<std::uint64_t>(largest_tile(key, device)));
}

/// Whether a thread has registers for what splitting holds, as compiled for sm_75 to sm_121: 128 of them, or
/// for seven pivots, five of 64 bits, in a kernel of its own 256.
bool splitting_fits_registers(const Configuration& c, const Problem& problem, const DeviceInfo& device) {
  if (c.at("split_levels") > 0) {
    const bool many = c.at("split_pivots") > (size_of(problem.key) == 8 ? 3 : 5);
    return c.at("split_threads") * (many ? 256 : 128) <= device.registers_per_block;
  }
  return c.at("block_size_x") * c.at("min_blocks_per_sm") * 128 <= device.registers_per_sm;
}

std::int64_t run_bytes(const Configuration& c, const Problem& problem) {
  return padded_tile_bytes(share_size(c), problem.key);
}

/// RankSearch's fixed_words and words_per_run (rank_search.cuh).
std::int64_t splitter_bytes(std::int64_t threads, std::int64_t groups, std::int64_t pivots, std::int64_t runs,
                            KeyType key) {
  const std::int64_t warps = threads / 32;
  const std::int64_t few = std::min<std::int64_t>(threads / groups, 256);
  const std::int64_t group_words = (2 * few + 2 * warps / groups * (pivots + 7) + 3) / 4 * 4;
  return (2 * warps + groups * few) * word_bytes(key) + 4 * groups * (group_words + (1 + pivots) * runs);
}

/// What WindowSplitter has besides (window_splitter.cuh).
std::int64_t window_bytes(std::int64_t window, std::int64_t runs, KeyType key) {
  return window == 0 ? 0 : 16 + 2 * runs * (4 + window * static_cast<std::int64_t>(size_of(key)) + 16);
}

/// Bytes of GridBarrier::words (grid_barrier.cuh).
constexpr std::uint64_t barrier_bytes = 32;

/// Whether the blocks that sort the buckets split the runs themselves.
bool splits_in_buckets(const Configuration& c) { return c.at("split_levels") == 0; }

/// A tile, or what splitting takes before it is there; then what tells of the pieces.
std::int64_t bucket_bytes(const Configuration& c, const Problem& problem) {
  const auto pieces = static_cast<std::int64_t>(tile_count(c, problem));
  const std::int64_t threads = c.at("block_size_x");
  std::int64_t bytes = run_bytes(c, problem);
  if (splits_in_buckets(c)) {
    bytes = std::max(bytes, splitter_bytes(threads, 2, c.at("split_pivots"), pieces, problem.key) +
                                window_bytes(c.at("split_window"), pieces, problem.key));
  }
  return bytes + piece_bytes(pieces, threads, c.at("gather_lanes"));
}

/// RankSearch's memory, and where the runs are cut (multiway_split.cuh).
std::int64_t split_bytes(const Configuration& c, const Problem& problem) {
  const auto runs = static_cast<std::int64_t>(tile_count(c, problem));
  return splitter_bytes(c.at("split_threads"), 1, c.at("split_pivots"), runs, problem.key) + 4 * runs;
}

/// Boundaries of one level between two of the level above, and one. Precondition: there are levels.
std::uint64_t fan_out(const Configuration& c, const Problem& problem) {
  const auto buckets = static_cast<double>(tile_count(c, problem));
  const double root = std::pow(buckets, 1.0 / static_cast<double>(c.at("split_levels")));
  return std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::ceil(root)));
}

/// Whether blocks that split the runs themselves have room for the shortest windows of them.
bool windows_fit(Configuration c, const Problem& problem, const DeviceInfo& device,
                 std::int64_t window = 64) {
  c.parameters["split_window"] = window;
  const std::int64_t bytes = bucket_bytes(c, problem);
  return bytes <= device.shared_bytes_per_block_optin &&
         c.at("min_blocks_per_sm") * (bytes + 1024) <= device.shared_bytes_per_sm;
}

bool can_sort(const Problem& problem, const DeviceInfo& device) {
  return sorts_keys_alone(problem) && device.warp_size == 32 && problem.n <= most_keys(problem.key, device);
}

/// What is too long for a cluster's shared memory, or for a single one of them to be the faster one.
bool is_best(const Problem& problem, const DeviceInfo&) {
  const std::uint64_t bytes = problem.n * static_cast<std::uint64_t>(word_bytes(problem.key));
  return bytes > (problem.rows == 1 ? 64u << 10 : 512u << 10);
}

SearchSpace make_space(const Problem&, const DeviceInfo&) {
  SearchSpace space;
  space.parameters = {
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads of a block that sorts a run or a bucket"},
      {"cluster_size", {1, 2}, "blocks that sort a run or a bucket together (sm_90 on)"},
      {"items_per_thread", {4, 8, 16, 32}, "keys a thread holds in registers"},
      {"shuffle_steps", {1, 2}, "most steps on lane bits that go by shuffles at the end of a stage"},
      {"vector_width", {1, 2, 4}, "neighbouring keys a thread loads and stores at once"},
      {"imad_quarters",
       {0, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm", {1, 2}, "blocks a multiprocessor that the compiler must leave registers for"},
      {"gather_lanes", {4, 8, 32}, "threads that fetch a bucket's piece of one run"},
      {"split_threads", {128, 256, 512}, "threads of a block that splits the runs at one rank"},
      {"split_pivots", {3, 5, 7}, "values tried in a round of splitting"},
      {"split_levels",
       {0, 1, 2},
       "launches of splitting: ranks far apart first, those between them within; 0: in the blocks that sort "
       "buckets"},
      {"split_chain", {1, 4}, "ranks that a block splits the runs at, each from where the one before is"},
      {"split_window",
       {0, 64, 96},
       "keys of each run that are copied to shared memory, from around where it is likely to be split; 0: "
       "searched where they are"},
      {"cooperative",
       {0, 1},
       "1: one launch whose blocks are all resident, with a barrier of the grid between runs and buckets"},
      {"dependent_launch",
       {0, 1, 2},
       "1: each launch begins while the one before it runs (sm_90 on); 2: while that one stores"},
  };
  space.restrictions = {
      block_fits_device(),
      vector_fits_access(),
      {"the device has clusters, which pay where a block has its most items and runs are split beforehand",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         return c.at("cluster_size") == 1 ||
                (c.at("cluster_size") <= d.max_cluster_size && c.at("items_per_thread") == 32 &&
                 c.at("block_size_x") >= 256 && !splits_in_buckets(c));
       },
       {"block_size_x", "cluster_size", "items_per_thread", "split_levels"}},
      {"the array is longer than a run, or than the smallest there is",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return static_cast<std::uint64_t>(tile_size(c)) < p.n || tile_size(c) == smallest_tile;
       },
       {"block_size_x", "cluster_size", "items_per_thread"}},
      {"there are at most 4096 runs",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return tile_count(c, p) <= most_tiles;
       },
       {"block_size_x", "cluster_size", "items_per_thread"}},
      {"a thread holds a whole number of vectors",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("vector_width") <= c.at("items_per_thread");
       },
       {"items_per_thread", "vector_width"}},
      {"more than one level of splitting needs more than 32 buckets a level",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("split_levels") <= 1 || tile_count(c, p) > std::uint64_t{32}
                                                                    << (c.at("split_levels") - 1);
       },
       {"block_size_x", "cluster_size", "items_per_thread", "split_levels"}},
      {"where there are no levels, split_threads is 256 and split_chain 1, which tell nothing then; where "
       "there are, split_window is 0",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return splits_in_buckets(c) ? c.at("split_threads") == 256 && c.at("split_chain") == 1
                                     : c.at("split_window") == 0;
       },
       {"split_chain", "split_levels", "split_threads", "split_window"}},
      {"blocks that split runs of keys of 4 bytes at most have windows of them, where these fit: without, "
       "keys "
       "that are equal or in order would take twice as long",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return !splits_in_buckets(c) || c.at("split_window") != 0 || size_of(p.key) > 4 ||
                !windows_fit(c, p, d);
       },
       {"block_size_x", "items_per_thread", "min_blocks_per_sm", "split_levels", "split_pivots",
        "split_window"}},
      {"split_threads are at most the device's threads per block",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         return c.at("split_threads") <= d.max_threads_per_block;
       },
       {"split_threads"}},
      {"splitting fits the registers of its threads",
       splitting_fits_registers,
       {"block_size_x", "min_blocks_per_sm", "split_levels", "split_pivots", "split_threads"}},
      shared_memory_fits_block(bucket_bytes),
      shared_memory_fits_block(split_bytes),
      items_fit_registers("min_blocks_per_sm"),
      blocks_fit_multiprocessor(bucket_bytes),
      dependent_launch_fits_device(),
      {"one launch has no splitting between and none that it depends on, and its blocks fit the device at "
       "once",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return c.at("cooperative") == 0 ||
                (d.cooperative_launch && c.at("split_levels") == 0 && c.at("dependent_launch") == 0 &&
                 tile_count(c, p) * p.rows <=
                     static_cast<std::uint64_t>(d.sm_count * c.at("min_blocks_per_sm")));
       },
       {"block_size_x", "cluster_size", "cooperative", "dependent_launch", "items_per_thread",
        "min_blocks_per_sm", "split_levels"}},
  };
  return space;
}

Configuration make_default(const Problem& problem, const DeviceInfo& device) {
  const bool wide = size_of(problem.key) == 8;
  const std::int64_t word = word_bytes(problem.key);
  // Runs of 4 KB are as quick as shorter ones. They grow while there are more of them than multiprocessors,
  // but past half of what registers hold only where there would be too many: the pieces of a bucket get
  // short, and splitting slow.
  const std::int64_t largest = largest_tile(problem.key, device);
  std::int64_t tile = smallest_tile;
  const auto count = [&] { return parts_of(problem.n, static_cast<std::uint64_t>(tile)); };
  while (tile < largest && tile * word < 4096 && count() > 2) tile *= 2;
  while (tile < largest && count() > static_cast<std::uint64_t>(device.sm_count) &&
         (tile < largest / 2 || count() > 1024)) {
    tile *= 2;
  }
  // 256 threads a block, as far as a thread has 32 to 128 bytes of keys then.
  const std::int64_t items = std::min(std::clamp(tile / 256, 32 / word, 128 / word), tile / 64);
  const std::int64_t vector = wide ? 2 : 4;
  // Short runs are bound by waiting, not by work: launches overlap, and few threads search for many.
  const bool is_short = tile * word <= 16 << 10;
  Configuration c{{},
                  {{"block_size_x", tile / items},
                   {"cluster_size", 1},
                   {"items_per_thread", items},
                   {"shuffle_steps", is_short ? 2 : 1},
                   {"vector_width", vector},
                   {"imad_quarters", 0},
                   {"min_blocks_per_sm", tile / items <= 128 ? 2 : 1},
                   {"gather_lanes", is_short ? 4 : 8},
                   {"split_threads", 256},
                   {"split_pivots", tile * word < 64 << 10 ? 3 : 5},
                   {"split_levels", count() > 256 ? 1 : 0},
                   {"split_chain", 1},
                   {"split_window", 64},
                   {"cooperative", 0},
                   {"dependent_launch", device.compute_major < 9 ? 0
                                        : is_short               ? 2
                                                                 : 1}}};
  if (!splits_in_buckets(c) || !windows_fit(c, problem, device)) {
    c.parameters["split_window"] = 0;
  } else if (tile * word == 32 << 10 && windows_fit(c, problem, device, 96)) {
    // Many blocks would take a second turn with windows of 64. And the next launch's would take the place of
    // those that are still to come.
    c.parameters["split_window"] = 96;
    c.parameters["dependent_launch"] = 0;
  }
  return c;
}

Plan make_plan(const Problem& problem, const Configuration& c, const DeviceInfo&) {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const auto tile = static_cast<std::uint64_t>(tile_size(c));
  const std::uint64_t tiles = tile_count(c, problem);
  const auto threads = static_cast<std::uint32_t>(c.at("block_size_x"));
  const Argument runs = builder.workspace(problem.rows * tiles * tile * size_of(problem.key));

  const std::string tile_arguments =
      fmt::format("{}, {}, {}, {}, {}, {}, {}", codec_arguments(problem.key, problem.order), threads,
                  c.at("items_per_thread"), c.at("shuffle_steps"), c.at("vector_width"),
                  c.at("imad_quarters"), c.at("min_blocks_per_sm"));
  if (c.at("cooperative") == 1) {
    builder.launch_rows(
        {"kernels/multiway/multiway_sort.cuh",
         fmt::format("bitune::cooperative_multiway<{}, {}, {}, {}>", tile_arguments, c.at("gather_lanes"),
                     c.at("split_pivots"), c.at("split_window"))},
        tiles, threads, static_cast<std::uint64_t>(bucket_bytes(c, problem)),
        {keys_argument(), input_argument(), runs, builder.workspace(barrier_bytes), u64_argument(problem.n)});
    Plan plan = builder.take();
    plan.launches.back().cooperative = true;
    plan.out_of_place = true;
    return plan;
  }

  // The matrix of multiway_split.cuh; where there is none, an argument that nothing reads.
  const Argument splits =
      splits_in_buckets(c) ? runs : builder.workspace(problem.rows * (tiles - 1) * tiles * 4);
  const auto ranks = static_cast<std::uint64_t>(c.at("cluster_size"));
  const auto pass = [&](std::uint32_t index, std::int64_t shared_bytes) {
    builder.launch_rows(
        {"kernels/multiway/multiway_sort.cuh",
         fmt::format("bitune::multiway_sort<{}, {}, {}, {}, {}, {}>", tile_arguments,
                     c.at("dependent_launch") == 2, c.at("cluster_size"), c.at("gather_lanes"),
                     splits_in_buckets(c) ? c.at("split_pivots") : 0, c.at("split_window"))},
        tiles * ranks, threads, static_cast<std::uint64_t>(shared_bytes),
        {keys_argument(), input_argument(), runs, splits, u64_argument(problem.n), u32_argument(index)});
  };
  pass(0, run_bytes(c, problem));

  // The boundaries of a level are the multiples of its step that are not of the step above.
  const KernelSource split{"kernels/multiway/multiway_split.cuh",
                           fmt::format("bitune::multiway_split<{}, {}, {}, {}>", size_of(problem.key),
                                       c.at("split_threads"), c.at("split_pivots"), c.at("split_chain"))};
  std::uint64_t parent_step = 0;
  for (std::int64_t level = c.at("split_levels"); level > 0; --level) {
    std::uint64_t step = 1;
    for (std::int64_t below = 1; below < level; ++below) step *= fan_out(c, problem);
    if (step >= tiles) continue;
    const std::uint64_t multiples = (tiles - 1) / step;
    const std::uint64_t intervals = parent_step == 0 ? 1 : parts_of(tiles, parent_step);
    const std::uint64_t blocks = parent_step == 0 ? multiples : intervals * (parent_step / step - 1);
    const auto chain = static_cast<std::uint64_t>(c.at("split_chain"));
    builder.launch_rows(split, parts_of(blocks, chain), static_cast<std::uint32_t>(c.at("split_threads")),
                        static_cast<std::uint64_t>(split_bytes(c, problem)),
                        {splits, runs, u64_argument(problem.n), u32_argument(tile), u32_argument(tiles),
                         u32_argument(step), u32_argument(parent_step)});
    parent_step = step;
  }

  pass(1, bucket_bytes(c, problem));

  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.launches.front().cluster = static_cast<std::uint32_t>(ranks);
  plan.launches.back().cluster = static_cast<std::uint32_t>(ranks);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_multiway

/// Two passes over memory, whatever the length: runs are sorted in the registers of a block each, as long as
/// fits; every bucket of as many keys is gathered from all runs and sorted likewise. Between them the runs
/// are split exactly at the buckets' ranks (kernels/multiway/multiway_split.cuh), so that no input has
/// unequal buckets.
const Variant& multiway_variant() {
  static const DefinedVariant variant(
      {.name = "multiway",
       .description = "sorted runs in registers, split exactly at the ranks where buckets begin; each bucket "
                      "is gathered "
                      "from all runs and sorted in registers",
       .kernel_headers = {"kernels/multiway/multiway_sort.cuh", "kernels/multiway/multiway_split.cuh"},
       .supports = of_multiway::can_sort,
       .suits = of_multiway::is_best,
       .space = of_multiway::make_space,
       .default_configuration = of_multiway::make_default,
       .plan = of_multiway::make_plan});
  return variant;
}

}  // namespace bitune
