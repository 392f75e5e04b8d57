// The variant `bucket_array`: the first k keys of one long array, k being large, by one pass of the whole
// device over memory that puts candidates into buckets.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/network/network_layout.hpp"
#include "kernels/topk/bucket_layout.hpp"
#include "kernels/topk/topk_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/array_filter.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"
#include "runtime/variants/sampling.hpp"

namespace bitune {
namespace of_bucket_array {
namespace {

constexpr std::string_view header = "kernels/topk/bucket_array.cuh";
constexpr Kernel<Address, Address, U32, Address, Address, OperandStride, U32, U32, U32, U32> sample_kernel{
    header, "sample_buckets_of_first"};
constexpr Kernel<Address, U32, Address, U32, Address, Address, Address, OperandStride, U32> filter_kernel{
    header, "filter_to_buckets"};
constexpr Kernel<Address, Address, Address, Address, Address, Address, OperandStride, U32, U32, Address, U32,
                 Address, U32>
    sort_kernel{header, "sort_buckets"};

/// Candidates that a block puts together before they go to their buckets.
constexpr std::int64_t staged = 1024;

/// Threads of a block that takes samples: each takes 8 at most, and few threads one.
std::int64_t sample_threads(const Configuration& c) {
  const std::int64_t of_block = c.at("samples") / c.at("sample_blocks");
  return std::max(of_block / 8, std::min<std::int64_t>(of_block, 256));
}

std::int64_t samples_per_thread(const Configuration& c) {
  return c.at("samples") / c.at("sample_blocks") / sample_threads(c);
}

std::uint64_t sample_rank(const Configuration& c, const Problem& problem) {
  return sampling::bound_rank(as_count(c.at("samples")), problem.k, problem.n);
}

/// Which of so many minima tells what is put in order of a sample. Of keys in order each sample has a group
/// for itself, so that it is no less than the sample's rank.
std::uint64_t minimum_rank(std::int64_t groups, const Configuration& c, const Problem& problem) {
  const std::uint64_t rank = sample_rank(c, problem);
  return std::max(rank, sampling::minimum_behind(as_count(groups), rank));
}

/// Whether that is one of the first three quarters of the minima: then up to twice as many samples are up to
/// it.
bool has_near_minimum(std::int64_t groups, const Configuration& c, const Problem& problem) {
  return 4 * minimum_rank(groups, c, problem) <= 3 * as_count(groups);
}

/// Groups of samples whose minima tell what is put in order; 0 where too many samples are.
std::int64_t sample_groups(const Configuration& c, const Problem& problem) {
  for (const std::int64_t groups : {64, 128, 256, 512}) {
    if (has_near_minimum(groups, c, problem)) return groups;
  }
  return minimum_rank(512, c, problem) + 8 <= 512 ? 512 : 0;
}

/// Up to the last but eight of 512 minima there are 2,130 samples on average, and 180 more or fewer.
std::int64_t sample_capacity(const Configuration& c, const Problem& problem) {
  const std::int64_t groups = sample_groups(c, problem);
  return std::max(2 * sample_threads(c), (has_near_minimum(groups, c, problem) ? 4 : 8) * groups);
}

std::int64_t sample_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t item = merged_item_bytes(problem.key);
  const std::int64_t word = size_of(problem.key) == 8 ? 8 : 4;
  const std::int64_t threads = sample_threads(c);
  return layout::sampled_buckets(threads, sample_groups(c, problem), sample_capacity(c, problem), item, word)
      .bytes;
}

/// Samples from one bucket's end to the next one's, at most.
std::uint64_t samples_of_bucket(const Configuration& c, const Problem& problem) {
  return parts_of(sample_rank(c, problem), as_count(c.at("buckets")));
}

/// The chance that any bucket has more candidates than that.
double overflow_chance(const Configuration& c, const Problem& problem, std::uint64_t candidates) {
  return static_cast<double>(c.at("buckets")) * sampling::overflow_chance(as_count(c.at("samples")),
                                                                          samples_of_bucket(c, problem),
                                                                          candidates, problem.n);
}

/// Candidates of a bucket that the workspace has room for: no bucket has more, but once in a million times.
std::uint64_t room(const Configuration& c, const Problem& problem) {
  auto candidates = as_count(c.at("bucket_capacity"));
  while (candidates < problem.n && overflow_chance(c, problem, candidates) > sampling::accepted_chance)
    candidates += candidates / 4;
  return std::min(candidates, problem.n);
}

std::int64_t sort_bytes(const Configuration& c, const Problem& problem) {
  return layout::sorted_bucket(c.at("bucket_threads"), c.at("bucket_capacity"),
                               merged_item_bytes(problem.key))
      .bytes;
}

std::int64_t filter_bytes(const Configuration& c, const Problem& problem) {
  return layout::bucketing_bytes(staged, c.at("buckets"), merged_item_bytes(problem.key));
}

class BucketArrayVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "bucket_array"; }
  std::string_view description() const noexcept override {
    return "the first keys of one long array: one pass of the whole device that puts what is not behind a "
           "bound into buckets, both of which a random sample gives; a block puts a bucket in order";
  }
  std::vector<std::string_view> kernel_headers() const override { return {header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    if (!ArrayFilter::can_filter(problem, device) || problem.n < 512 || problem.k > problem.n / 4 ||
        problem.k == 0) {
      return false;
    }
    return default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace BucketArrayVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"samples",
       {256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536},
       "random keys, of which the bound and the ends of the buckets are taken"},
      {"sample_blocks", {1, 8, 16}, "blocks that take the sample"},
      {"buckets", {4, 8, 16, 32, 64, 128, 256, 512}, "buckets of candidates"},
      {"bucket_threads", {64, 128, 256, 512, 1024}, "threads of the block that puts a bucket in order"},
      {"bucket_capacity", {512, 1024, 2048, 4096, 8192}, "candidates that such a block holds"},
      compared_as_double(),
      {"dependent_launch", {0, 1}, "whether each launch may begin while the one before it ends"},
  };
  ArrayFilter::add_to(space);
  const std::vector<Restriction> own = {
      {"there are twice as many keys as samples at least, and a block or a cluster of the device takes these",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t threads = sample_threads(c);
         return as_count(2 * c.at("samples")) <= p.n && threads >= 64 && threads <= d.max_threads_per_block &&
                c.at("sample_blocks") <= std::max(1, d.largest_cluster_size()) &&
                threads * (samples_per_thread(c) * merged_item_registers(p.key) + 50) <=
                    d.registers_per_block;
       },
       {"samples", "sample_blocks"}},
      {"the sample has a bound, a sample up to it for each bucket, and at most 512 groups that tell it, no "
       "more than "
       "threads",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::uint64_t rank = sample_rank(c, p);
         const std::int64_t groups = sample_groups(c, p);
         return rank <= as_count(c.at("samples")) && rank >= as_count(c.at("buckets")) && groups != 0 &&
                groups <= sample_threads(c) * c.at("sample_blocks");
       },
       {"samples", "sample_blocks", "buckets"}},
      {"a block holds what its bucket has in 99 of 100 calls",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return overflow_chance(c, p, as_count(c.at("bucket_capacity"))) <= 0.01;
       },
       {"samples", "buckets", "bucket_capacity"}},
      {"a thread puts 2 candidates in order at least and 8 at most, 4 of 64-bit keys; 8 registers for each "
       "(16 of 64-bit keys) and 44 besides fit a block's",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t threads = c.at("bucket_threads");
         const std::int64_t items = c.at("bucket_capacity") / threads;
         const bool wide = size_of(p.key) == 8;
         return items >= 2 && items <= (wide ? 4 : 8) && threads <= d.max_threads_per_block &&
                threads * (items * (wide ? 16 : 8) + 44) <= d.registers_per_block;
       },
       {"bucket_threads", "bucket_capacity"}},
      placed_words_may_be_doubles(),
      places_fit_doubles(),
      shared_memory_fits_block(sample_bytes),
      shared_memory_fits_block(sort_bytes),
      shared_memory_fits_block(filter_bytes),
      blocks_fit_multiprocessor(filter_bytes),
      dependent_launch_fits_device(),
  };
  space.restrictions.insert(space.restrictions.end(), own.begin(), own.end());
  return space;
}

Configuration BucketArrayVariant::default_configuration(const Problem& problem,
                                                        const DeviceInfo& device) const {
  const SearchSpace all = space(problem, device);
  Configuration c{std::string(name()),
                  {{"samples", 256},
                   {"sample_blocks", 1},
                   {"buckets", 4},
                   {"block_size_x", std::min(512, device.max_threads_per_block)},
                   {"vectors_per_thread", ArrayFilter::default_vectors(problem)},
                   {"min_blocks_per_sm", 2},
                   {"bucket_threads", std::min(512, device.max_threads_per_block)},
                   {"bucket_capacity", size_of(problem.key) == 8 ? 2048 : 4096},
                   {"compare_as_double", prefers_doubles(problem, device)},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // The fewest samples that make buckets of which blocks hold all.
  for (std::int64_t samples = 256; samples <= 65536; samples *= 2) {
    c.parameters["samples"] = samples;
    c.parameters["sample_blocks"] = samples < 4096 || device.max_cluster_size < 8            ? 1
                                    : samples > 32768 && device.largest_cluster_size() >= 16 ? 16
                                                                                             : 8;
    for (const std::int64_t buckets : {128, 256, 32, 8, 4}) {
      c.parameters["buckets"] = buckets;
      if (!all.violation(c, problem, device)) return c;
    }
  }
  return c;
}

Plan BucketArrayVariant::plan(const Problem& problem, const Configuration& c,
                              const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const std::uint64_t buckets = as_count(c.at("buckets"));
  const std::uint64_t of_bucket = room(c, problem);
  const std::uint64_t item_bytes = as_count(merged_item_bytes(problem.key));
  const Address last = builder.workspace(buckets * item_bytes);
  const Address counts = builder.workspace(buckets * 4 * as_count(layout::words_of_count()));
  const Address items = builder.workspace(buckets * of_bucket * item_bytes);
  const Address keys = address_of(Role::keys_in);
  const Address lengths = address_of(Role::lengths);
  const OperandStride length_bytes{Role::lengths};

  const std::string form = merged_arguments(problem, c);
  const std::string carrying = fmt::format("{}, {}", form, carried_bytes(problem) != 0);
  const std::int64_t ranks = c.at("sample_blocks");
  const std::int64_t threads = sample_threads(c);
  builder.launch(sample_kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}", carrying, threads, samples_per_thread(c), ranks,
                             sample_groups(c, problem), sample_capacity(c, problem)),
                 {.blocks = as_count(ranks),
                  .threads = static_cast<std::uint32_t>(threads),
                  .shared_bytes = as_count(sample_bytes(c, problem)),
                  .cluster = static_cast<std::uint32_t>(ranks)},
                 last, counts, buckets, keys, lengths, length_bytes, problem.n, problem.k,
                 sample_rank(c, problem), minimum_rank(sample_groups(c, problem), c, problem));
  builder.launch(filter_kernel,
                 fmt::format("{}, {}, {}, {}, {}", carrying, c.at("block_size_x"), c.at("vectors_per_thread"),
                             staged, c.at("min_blocks_per_sm")),
                 {.blocks = ArrayFilter::blocks(problem, c, device),
                  .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                  .shared_bytes = as_count(filter_bytes(c, problem))},
                 items, of_bucket, counts, buckets, last, keys, lengths, length_bytes, problem.n);
  builder.launch(sort_kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}, {}", form, problem.value_bytes, problem.index_bytes,
                             c.at("bucket_threads"), c.at("bucket_capacity"), 2, 1),
                 {.blocks = buckets,
                  .threads = static_cast<std::uint32_t>(c.at("bucket_threads")),
                  .shared_bytes = as_count(sort_bytes(c, problem))},
                 address_of(Role::keys_out), keys, address_of(Role::values_out), address_of(Role::values_in),
                 address_of(Role::indices_out), lengths, length_bytes, problem.n, problem.k, items, of_bucket,
                 counts, buckets);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_bucket_array

/// A sorted random sample gives a bound and the ends of buckets. The whole device streams the array past the
/// bound, and each candidate goes to its bucket, which a block puts in order and writes to its place
/// (kernels/topk/bucket_array.cuh).
const Variant& bucket_array_variant() {
  static const of_bucket_array::BucketArrayVariant variant;
  return variant;
}

}  // namespace bitune
