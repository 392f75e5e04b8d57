// The variant `samplesort`: keys are sent to the leaf that they belong to by splitters from a sample, and
// each leaf is sorted in registers.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/samplesort/samplesort_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_samplesort {
namespace {

constexpr Kernel<Address, Address, U32, Address, U64> sample_kernel{"kernels/samplesort/sample_sort.cuh",
                                                                    "sample_sort"};
constexpr Kernel<Address, Address, Address, U32, U32, Address, U32, Address, U64> partition_kernel{
    "kernels/samplesort/sample_partition.cuh", "sample_partition", true};
constexpr Kernel<Address, Address, Address, Address, U32, Address, U32> leaf_kernel{
    "kernels/samplesort/leaf_sort.cuh", "leaf_sort"};

/// Keys of a tile.
std::int64_t tile_size(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

/// Buckets, each of which should fill leaf_fill hundredths of a tile.
std::uint64_t bucket_count(const Configuration& c, const Problem& problem) {
  const auto expected = as_count(tile_size(c) * c.at("leaf_fill"));
  return parts_of(problem.n * 100, expected);
}

constexpr std::uint64_t most_buckets = 4096;

/// Levels of the search tree.
int tree_levels(const Configuration& c, const Problem& problem) {
  return std::max(6, ceil_log2(bucket_count(c, problem)));
}

/// An upper bound on the chance that some bucket has more keys than so many tiles hold. A bucket lies between
/// two splitters: every `apart`th key of a sorted random sample is one. Of as many neighbouring keys as the
/// tiles hold, the sample has `expected` on average. A bucket is larger than that only if the sample has
/// fewer than `apart` of them. Their number is about a Poisson variable, whose lower tail Chernoff bounds.
double overflow_chance(const Configuration& c, const Problem& problem, int tiles) {
  const double held = tiles * static_cast<double>(tile_size(c));
  const auto n = static_cast<double>(problem.n);
  if (n <= held) return 0;
  const auto buckets = static_cast<double>(bucket_count(c, problem));
  const auto samples = static_cast<double>(c.at("samples"));
  const double apart = std::floor(samples / buckets);
  const double expected = samples * held / n;
  if (apart < 1 || expected <= apart) return 1;
  return std::min(1.0, buckets * std::exp(apart - expected + apart * std::log(expected / apart)));
}

/// There is room for two tiles of each bucket; more is slow.
bool has_room(const Configuration& c, const Problem& problem) {
  return overflow_chance(c, problem, 2) <= 1e-6;
}

/// A bucket of more than a tile takes as long as two. Where all are sorted at once all of the sort does then:
/// in its median that does not show, but in its mean.
bool is_steady(const Configuration& c, const Problem& problem, const DeviceInfo& device) {
  const auto at_once = static_cast<std::uint64_t>(c.at("min_blocks_per_sm") * device.sm_count);
  return bucket_count(c, problem) > at_once || overflow_chance(c, problem, 1) <= 0.1;
}

/// How the sample is sorted: by a cluster of 8 blocks, or by one block.
struct SampleShape {
  std::int64_t ranks = 1;
  std::int64_t items = 8;
  std::int64_t threads = 0;
};

SampleShape sample_shape(const Configuration& c, const DeviceInfo& device) {
  SampleShape shape;
  if (device.max_cluster_size >= 8) shape.ranks = 8;
  while (c.at("samples") / shape.ranks / shape.items > 1024 && shape.items < 16) shape.items *= 2;
  shape.threads = c.at("samples") / shape.ranks / shape.items;
  return shape;
}

std::int64_t sample_bytes(const Configuration& c, const Problem& problem, const DeviceInfo& device) {
  const SampleShape shape = sample_shape(c, device);
  return padded_tile_bytes(shape.threads * shape.items, problem.key);
}

std::int64_t partition_bytes(const Configuration& c, const Problem& problem) {
  return layout::partition_parts(c.at("pass_threads"), c.at("pass_items"), tree_levels(c, problem),
                                 word_bytes(problem.key), static_cast<std::int64_t>(size_of(problem.key)))
      .bytes;
}

/// Blocks of the partition that should fit a multiprocessor: what a thread holds takes 40 registers, or 64.
std::int64_t partition_blocks(const Configuration& c, const Problem& problem, const DeviceInfo& device) {
  const bool little = c.at("pass_items") * word_bytes(problem.key) <= 32;
  const std::int64_t threads = std::min<std::int64_t>(little ? 1536 : 1024, device.max_threads_per_sm);
  return std::max<std::int64_t>(1, threads / c.at("pass_threads"));
}

std::int64_t leaf_bytes(const Configuration& c, const Problem& problem) {
  return layout::leaf_bytes(c.at("block_size_x"), c.at("items_per_thread"), word_bytes(problem.key));
}

class SamplesortVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "samplesort"; }
  std::string_view description() const noexcept override {
    return "splitters from a random sample; one pass brings every key to its bucket, which is sorted in "
           "registers";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {sample_kernel.header, partition_kernel.header, leaf_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override;
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace SamplesortVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"block_size_x", {128, 256, 512, 1024}, "threads of a block that sorts a bucket"},
      {"items_per_thread", {8, 16, 32}, "keys of a bucket that a thread holds in registers"},
      {"shuffle_steps", {1, 2}, "most steps on lane bits that go by shuffles at the end of a stage"},
      {"imad_quarters",
       {0, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm", {1, 2}, "blocks a multiprocessor that the compiler must leave registers for"},
      {"leaf_fill",
       {50, 60, 70, 80},
       "hundredths of a tile that a bucket should have; one with more than a tile takes twice as long"},
      {"samples", {4096, 16384, 32768, 65536, 131072}, "keys that the splitters are chosen from"},
      {"pass_threads", {512, 1024}, "threads of a block that brings keys to their buckets"},
      {"pass_items", {8, 16}, "keys that a thread brings to their buckets"},
      {"dependent_launch", {0, 1}, "1: each launch begins while the one before it ends (sm_90 on)"},
  };
  space.restrictions = {
      block_fits_device(),
      {"the array is longer than a tile, or than the smallest there is",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return as_count(tile_size(c)) < p.n || tile_size(c) == 1024;
       },
       {"block_size_x", "items_per_thread"}},
      {"there are at most 4096 buckets",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return bucket_count(c, p) <= most_buckets;
       },
       {"block_size_x", "items_per_thread", "leaf_fill"}},
      {"two tiles are too few for the keys of a bucket at most once in a million sorts",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) { return has_room(c, p); },
       {"block_size_x", "items_per_thread", "leaf_fill", "samples"}},
      {"where all buckets are sorted at once, one has more than a tile at most once in ten sorts",
       is_steady,
       {"block_size_x", "items_per_thread", "leaf_fill", "samples", "min_blocks_per_sm"}},
      {"the sample fits the registers of a block, or of a cluster of 8",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const SampleShape shape = sample_shape(c, d);
         return shape.threads <= d.max_threads_per_block &&
                shape.threads * (shape.items * word_bytes(p.key) / 4 + 32) <= d.registers_per_block;
       },
       {"samples"}},
      {"a block's shared memory holds its part of the sample",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return sample_bytes(c, p, d) <= d.shared_bytes_per_block_optin;
       },
       {"samples"}},
      {"pass_threads are at most the device's threads per block, and their keys fit its registers",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t registers = c.at("pass_items") * (word_bytes(p.key) / 4 + 1) + 32;
         return c.at("pass_threads") <= d.max_threads_per_block &&
                c.at("pass_threads") * registers <= d.registers_per_block;
       },
       {"pass_items", "pass_threads"}},
      shared_memory_fits_block(partition_bytes),
      shared_memory_fits_block(leaf_bytes),
      items_fit_registers("min_blocks_per_sm"),
      blocks_fit_multiprocessor(leaf_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration SamplesortVariant::default_configuration(const Problem& problem,
                                                       const DeviceInfo& device) const {
  const bool wide = size_of(problem.key) == 8;
  // Bound by what multiprocessors compute and by memory, and no longer by what comes before that.
  const bool is_large = problem.n >= std::uint64_t{1} << 23;
  Configuration c{std::string(name()),
                  {{"block_size_x", 128},
                   {"items_per_thread", wide ? 16 : 32},
                   {"shuffle_steps", 1},
                   {"imad_quarters", is_large ? 2 : 0},
                   {"min_blocks_per_sm", 1},
                   {"leaf_fill", 80},
                   {"samples", 4096},
                   {"pass_threads", 512},
                   {"pass_items", is_large ? 16 : 8},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  if (problem.n <= as_count(tile_size(c))) c.parameters["items_per_thread"] = 8;
  // Tiles grow while there are several buckets for each multiprocessor: short ones are quick, but many.
  while (c.at("block_size_x") < 1024 &&
         bucket_count(c, problem) > 8 * static_cast<std::uint64_t>(device.sm_count) &&
         2 * leaf_bytes(c, problem) <= device.shared_bytes_per_block_optin) {
    c.parameters["block_size_x"] *= 2;
  }
  // Sorting about a hundred samples a bucket, so that fewer outgrow their tile, pays where there is much to
  // sort.
  const auto enough = [&] {
    const std::uint64_t wanted = is_large ? 64 * bucket_count(c, problem) : 0;
    return as_count(c.at("samples")) >= wanted && has_room(c, problem) && is_steady(c, problem, device);
  };
  for (const std::int64_t more : {16384, 32768, 65536, 131072}) {
    if (!enough()) c.parameters["samples"] = more;
  }
  return c;
}

bool SamplesortVariant::supports(const Problem& problem, const DeviceInfo& device) const {
  if (!sorts_keys_alone(problem) || problem.rows > 1 || device.warp_size != 32 ||
      problem.n >= std::uint64_t{1} << 31) {
    return false;
  }
  return default_is_valid(problem, device);
}

Plan SamplesortVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const std::string codec = codec_arguments(problem.key, problem.order);
  const std::uint64_t buckets = bucket_count(c, problem);
  const std::uint64_t capacity = 2 * as_count(tile_size(c));
  const std::uint64_t counters = layout::bucket_counters(buckets);
  const std::uint64_t sample_count = as_count(c.at("samples"));

  const Address words = builder.workspace(buckets * capacity * size_of(problem.key));
  const Address spilled = builder.workspace(problem.n * size_of(problem.key));
  const Address counts = builder.workspace(counters * 4);
  const Address samples = builder.workspace(sample_count * as_count(word_bytes(problem.key)));

  const SampleShape shape = sample_shape(c, device);
  builder.launch(sample_kernel, fmt::format("{}, {}, {}, {}", codec, shape.threads, shape.items, shape.ranks),
                 {.blocks = as_count(shape.ranks),
                  .threads = static_cast<std::uint32_t>(shape.threads),
                  .shared_bytes = as_count(sample_bytes(c, problem, device)),
                  .cluster = static_cast<std::uint32_t>(shape.ranks)},
                 samples, counts, counters, input_address(), problem.n);

  const std::int64_t widest = std::min<std::int64_t>(8, 16 / static_cast<std::int64_t>(size_of(problem.key)));
  builder.launch(partition_kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}", codec, c.at("pass_threads"), c.at("pass_items"),
                             widest, tree_levels(c, problem), partition_blocks(c, problem, device)),
                 {.blocks = parts_of(problem.n, as_count(c.at("pass_threads") * c.at("pass_items"))),
                  .threads = static_cast<std::uint32_t>(c.at("pass_threads")),
                  .shared_bytes = as_count(partition_bytes(c, problem))},
                 words, spilled, counts, buckets, capacity, samples, sample_count, input_address(),
                 problem.n);

  builder.launch(leaf_kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}", codec, c.at("block_size_x"), c.at("items_per_thread"),
                             c.at("shuffle_steps"), c.at("imad_quarters"), c.at("min_blocks_per_sm")),
                 {.blocks = buckets,
                  .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                  .shared_bytes = as_count(leaf_bytes(c, problem))},
                 keys_address(), words, spilled, counts, capacity, samples, sample_count);

  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_samplesort

/// Every key is brought to its bucket in one pass over memory, and sorted once, in the registers of a block
/// (kernels/samplesort/sample_buckets.cuh). Where buckets end a random sample decides, so that no input is
/// known to be a bad one; keys that are frequent are counted instead.
const Variant& samplesort_variant() {
  static const of_samplesort::SamplesortVariant variant;
  return variant;
}

}  // namespace bitune
