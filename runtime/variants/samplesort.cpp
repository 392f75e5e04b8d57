// The variant `samplesort`: keys are sent to the leaf that they belong to by splitters from a sample, and
// each leaf is sorted in registers.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "model/key_type.hpp"
#include "runtime/variants/definition.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/network_plan.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace {

/// Keys that a leaf has room for.
std::int64_t tile_size(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

constexpr std::uint64_t most_leaves = 8192;

std::uint64_t full_leaves(const Configuration& c, const Problem& problem) {
  const auto tile = static_cast<std::uint64_t>(tile_size(c));
  return (problem.n + tile - 1) / tile;
}

/// Into how many stretches the buckets are divided for packing: of about 16 leaves, so that those which end
/// them, half full, are few.
std::uint64_t stretch_count(const Configuration& c, const Problem& problem) {
  return std::bit_floor(std::clamp<std::uint64_t>(full_leaves(c, problem) / 16, 1,
                                                  static_cast<std::uint64_t>(c.at("splitters")) / 16));
}

/// How many leaves there may be: in a stretch, two neighbours have more than a tile's keys together, or one
/// of them is the last; and a bucket of equal keys has one more than tiles that it fills (sample_leaves.cuh).
std::uint64_t leaf_bound(const Configuration& c, const Problem& problem) {
  return 3 * (full_leaves(c, problem) + stretch_count(c, problem));
}

/// The chance that some bucket of different keys does not fit a leaf. A bucket is what lies between every
/// `oversampling`th key of a random sample: the keys of a sort are to those of a sample as time is to the
/// events of a Poisson process, of which fewer than `oversampling` fall into a tile then.
double overflow_chance(const Configuration& c, const Problem& problem) {
  const double splitters = static_cast<double>(c.at("splitters"));
  const double expected = static_cast<double>(c.at("oversampling")) * splitters *
                          static_cast<double>(tile_size(c)) / static_cast<double>(problem.n);
  double term = std::exp(-expected);
  double fewer = 0;
  for (std::int64_t events = 0; events < c.at("oversampling"); ++events) {
    fewer += term;
    term *= expected / static_cast<double>(events + 1);
  }
  return splitters * fewer;
}

constexpr double bearable_chance = 1e-6;

/// How the sample is sorted: by a cluster of 8 blocks, or by one block.
struct SampleShape {
  std::int64_t ranks = 1;
  std::int64_t items = 8;
  std::int64_t threads = 0;
};

SampleShape sample_shape(const Configuration& c, const DeviceInfo& device) {
  const std::int64_t samples = c.at("splitters") * c.at("oversampling");
  SampleShape shape;
  if (device.max_cluster_size >= 8 && samples >= 2048) shape.ranks = 8;
  while (samples / shape.ranks / shape.items > 512 && shape.items < 32) shape.items *= 2;
  shape.threads = samples / shape.ranks / shape.items;
  return shape;
}

std::int64_t sample_bytes(const Configuration& c, const Problem& problem, const DeviceInfo& device) {
  const SampleShape shape = sample_shape(c, device);
  return padded_tile_bytes(shape.threads * shape.items, problem.key);
}

/// SplitterTree's memory, and a counter for each bucket (sample_buckets.cuh).
std::int64_t count_bytes(const Configuration& c, const Problem& problem) {
  return c.at("splitters") * (word_bytes(problem.key) + 8);
}

/// Each sums at least 4 buckets up.
std::int64_t leaves_threads(const Configuration& c) {
  return std::min<std::int64_t>(1024, c.at("splitters") / 2);
}

/// See sample_leaves.cuh.
std::int64_t leaves_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t buckets = 2 * c.at("splitters");
  return 4 * (4 * leaves_threads(c) / 32 + buckets + leaves_threads(c) + 1) +
         8 * static_cast<std::int64_t>(stretch_count(c, problem)) + 3 * 2 * buckets;
}

/// See sample_scatter.cuh.
std::int64_t scatter_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t keys = c.at("pass_threads") * c.at("scatter_items");
  return (4 * 2 * c.at("pass_threads") / 32 + 15) / 16 * 16 +
         8 * static_cast<std::int64_t>(leaf_bound(c, problem)) +
         keys * (static_cast<std::int64_t>(size_of(problem.key)) + 2);
}

/// Threads a multiprocessor that the registers of a pass's threads allow, as compiled for sm_75 to sm_121:
/// 32, or 64 of them.
std::int64_t resident_threads(std::int64_t items, std::int64_t most_items) {
  return items > most_items ? 1024 : 2048;
}

/// Blocks of a pass that should fit a multiprocessor.
std::int64_t pass_blocks(const Configuration& c, const DeviceInfo& device, std::int64_t threads) {
  return std::max<std::int64_t>(
      1, std::min<std::int64_t>(threads, device.max_threads_per_sm) / c.at("pass_threads"));
}

std::int64_t leaf_bytes(const Configuration& c, const Problem& problem) {
  return padded_tile_bytes(tile_size(c), problem.key);
}

/// Where the two passes over memory cost less than sorting all keys a second time.
bool is_best(const Problem& problem, const DeviceInfo&) {
  return problem.n * static_cast<std::uint64_t>(word_bytes(problem.key)) >= 8u << 20;
}

SearchSpace make_space(const Problem&, const DeviceInfo&) {
  SearchSpace space;
  space.parameters = {
      {"block_size_x", {128, 256, 512, 1024}, "threads of a block that sorts a leaf"},
      {"items_per_thread", {8, 16, 32}, "keys of a leaf that a thread holds in registers"},
      {"shuffle_steps", {1, 2}, "most steps on lane bits that go by shuffles at the end of a stage"},
      {"imad_quarters",
       {0, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm", {1, 2}, "blocks a multiprocessor that the compiler must leave registers for"},
      {"splitters", {256, 512, 1024, 2048, 4096, 8192}, "parts that the splitters divide the keys into"},
      {"oversampling", {2, 4, 8, 16}, "keys of the sample for each splitter"},
      {"pass_threads", {512, 1024}, "threads of a block that counts or scatters keys"},
      {"count_items", {4, 8, 16}, "keys a thread finds the buckets of at once"},
      {"scatter_items", {8, 16}, "keys a thread sends to their leaves at once"},
      {"dependent_launch", {0, 1}, "1: each launch begins while the one before it ends (sm_90 on)"},
  };
  space.restrictions = {
      block_fits_device(),
      {"the array is longer than a leaf, or than the smallest there is",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return static_cast<std::uint64_t>(tile_size(c)) < p.n || tile_size(c) == 1024;
       },
       {"block_size_x", "items_per_thread"}},
      {"there are at most 8192 leaves",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return leaf_bound(c, p) <= most_leaves;
       },
       {"block_size_x", "items_per_thread"}},
      {"a leaf is too small for the keys between two splitters at most once in a million sorts",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return overflow_chance(c, p) <= bearable_chance;
       },
       {"block_size_x", "items_per_thread", "oversampling", "splitters"}},
      {"the sample fits the registers of a block, or of a cluster of 8",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         const SampleShape shape = sample_shape(c, d);
         return shape.threads >= 32 && shape.threads <= d.max_threads_per_block;
       },
       {"oversampling", "splitters"}},
      {"a block's shared memory holds its part of the sample",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return sample_bytes(c, p, d) <= d.shared_bytes_per_block_optin;
       },
       {"oversampling", "splitters"}},
      {"a thread's searches for 16 keys of 64 bits do not fit its registers",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("count_items") <= 8 || word_bytes(p.key) == 4;
       },
       {"count_items"}},
      shared_memory_fits_block(count_bytes),
      shared_memory_fits_block(leaves_bytes),
      shared_memory_fits_block(scatter_bytes),
      shared_memory_fits_block(leaf_bytes),
      items_fit_registers("min_blocks_per_sm"),
      blocks_fit_multiprocessor(leaf_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration make_default(const Problem& problem, const DeviceInfo& device) {
  const bool wide = size_of(problem.key) == 8;
  const std::int64_t items = wide ? 16 : 32;
  Configuration c{{},
                  {{"block_size_x", 128},
                   {"items_per_thread", items},
                   {"shuffle_steps", 1},
                   {"imad_quarters", 0},
                   {"min_blocks_per_sm", 1},
                   {"splitters", 256},
                   {"oversampling", 4},
                   {"pass_threads", 512},
                   {"count_items", 8},
                   {"scatter_items", 8},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  if (problem.n <= static_cast<std::uint64_t>(tile_size(c))) c.parameters["items_per_thread"] = 8;
  // Leaves grow while there are several for each multiprocessor: long ones are dear, short ones many.
  const auto leaves = [&] { return problem.n / static_cast<std::uint64_t>(tile_size(c)); };
  while (c.at("block_size_x") < 1024 && leaves() > 4 * static_cast<std::uint64_t>(device.sm_count) &&
         2 * leaf_bytes(c, problem) <= device.shared_bytes_per_block_optin) {
    c.parameters["block_size_x"] *= 2;
  }
  while (c.at("splitters") < 8192 && overflow_chance(c, problem) > bearable_chance)
    c.parameters["splitters"] *= 2;
  while (c.at("oversampling") < 16 && overflow_chance(c, problem) > bearable_chance)
    c.parameters["oversampling"] *= 2;
  return c;
}

bool can_sort(const Problem& problem, const DeviceInfo& device) {
  if (problem.operation != Operation::sort || problem.value != ValueType::none || problem.rows > 1 ||
      device.warp_size != 32 || problem.n >= std::uint64_t{1} << 31) {
    return false;
  }
  return !make_space(problem, device).violation(make_default(problem, device), problem, device);
}

Plan make_plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) {
  PlanBuilder builder;
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const std::string codec = codec_arguments(problem.key, problem.order);
  const auto splitters = static_cast<std::uint64_t>(c.at("splitters"));
  const auto leaves = leaf_bound(c, problem);
  const Argument leaf_argument = u32_argument(leaves);

  std::uint64_t room = 0;
  const auto allocate = [&](std::uint64_t bytes) {
    const Argument argument{Argument::Kind::workspace, room};
    room += (bytes + 255) / 256 * 256;
    return argument;
  };
  const Argument words = allocate(problem.n * size_of(problem.key));
  const Argument buckets = allocate((problem.n + 8) * 2);
  const Argument totals = allocate(2 * splitters * 4);
  const Argument sorted = allocate(splitters * static_cast<std::uint64_t>(word_bytes(problem.key)));
  const Argument tables = allocate((1 + 4 * leaves) * 4 + 2 * splitters * 2);

  const SampleShape shape = sample_shape(c, device);
  builder.launch({"kernels/sample_splitters.cuh",
                  fmt::format("bitune::sample_splitters<{}, {}, {}, {}, {}>", codec, shape.threads,
                              shape.items, shape.ranks, c.at("oversampling"))},
                 static_cast<std::uint64_t>(shape.ranks), static_cast<std::uint32_t>(shape.threads),
                 static_cast<std::uint64_t>(sample_bytes(c, problem, device)),
                 {sorted, totals, u32_argument(2 * splitters), input_argument(), u64_argument(problem.n)});

  const auto threads = static_cast<std::uint32_t>(c.at("pass_threads"));
  const auto tiles = [&](std::int64_t items) {
    const std::uint64_t tile = threads * static_cast<std::uint64_t>(items);
    return (problem.n + tile - 1) / tile;
  };
  // The widest accesses, of the keys and of their buckets' numbers, which have two bytes.
  const auto vector = [&](std::int64_t items) {
    return std::min<std::int64_t>(
        items, 16 / std::max<std::int64_t>(2, static_cast<std::int64_t>(size_of(problem.key))));
  };
  const std::int64_t counting = resident_threads(c.at("count_items"), word_bytes(problem.key) == 8 ? 4 : 8);
  const auto count_shared = static_cast<std::uint64_t>(count_bytes(c, problem));
  const std::int64_t count_blocks = pass_blocks(c, device, counting);
  // As many blocks as fit the device at once: each adds its counts to the totals once.
  const std::uint64_t fitting = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(device.shared_bytes_per_sm) / (count_shared + 1024), 1,
      static_cast<std::uint64_t>(count_blocks));
  builder.launch({"kernels/sample_buckets.cuh",
                  fmt::format("bitune::sample_count<{}, {}, {}, {}, {}, {}>", codec, threads,
                              c.at("count_items"), vector(c.at("count_items")), splitters, count_blocks)},
                 std::min(tiles(c.at("count_items")), fitting * static_cast<std::uint64_t>(device.sm_count)),
                 threads, count_shared, {buckets, totals, sorted, input_argument(), u64_argument(problem.n)});
  builder.launch({"kernels/sample_leaves.cuh",
                  fmt::format("bitune::sample_leaves<{}, {}>", leaves_threads(c), splitters)},
                 1, static_cast<std::uint32_t>(leaves_threads(c)),
                 static_cast<std::uint64_t>(leaves_bytes(c, problem)),
                 {tables, leaf_argument, totals, u32_argument(static_cast<std::uint64_t>(tile_size(c))),
                  u32_argument(stretch_count(c, problem))});
  builder.launch({"kernels/sample_scatter.cuh",
                  fmt::format("bitune::sample_scatter<{}, {}, {}, {}, {}>", codec, threads,
                              c.at("scatter_items"), vector(c.at("scatter_items")),
                              pass_blocks(c, device, resident_threads(c.at("scatter_items"), 8)))},
                 tiles(c.at("scatter_items")), threads, static_cast<std::uint64_t>(scatter_bytes(c, problem)),
                 {words, buckets, tables, leaf_argument, input_argument(), u64_argument(problem.n)});
  builder.launch({"kernels/leaf_sort.cuh",
                  fmt::format("bitune::leaf_sort<{}, {}, {}, {}, {}, {}>", codec, c.at("block_size_x"),
                              c.at("items_per_thread"), c.at("shuffle_steps"), c.at("imad_quarters"),
                              c.at("min_blocks_per_sm"))},
                 leaves, static_cast<std::uint32_t>(c.at("block_size_x")),
                 static_cast<std::uint64_t>(leaf_bytes(c, problem)),
                 {keys_argument(), words, tables, leaf_argument, sorted});

  Plan plan = builder.take();
  for (Launch& launch : plan.launches) launch.dependent = c.at("dependent_launch") != 0;
  plan.launches.front().cluster = static_cast<std::uint32_t>(shape.ranks);
  plan.workspace_bytes = room;
  plan.out_of_place = true;
  return plan;
}

}  // namespace

/// Every key is sorted once, in the registers of a block, after two passes over memory that bring it to its
/// leaf: a count of the keys between splitters, and their scattering (kernels/sample_buckets.cuh).
const Variant& samplesort_variant() {
  static const DefinedVariant variant(
      {.name = "samplesort",
       .description =
           "splitters from a random sample; the keys between them are counted, sent to leaves of a tile "
           "each, and sorted there in registers",
       .kernel_headers = {"kernels/sample_splitters.cuh", "kernels/sample_buckets.cuh",
                          "kernels/sample_leaves.cuh", "kernels/sample_scatter.cuh", "kernels/leaf_sort.cuh"},
       .supports = can_sort,
       .suits = is_best,
       .space = make_space,
       .default_configuration = make_default,
       .plan = make_plan});
  return variant;
}

}  // namespace bitune
