// The variant `bucket_rows`: the first k keys of an array or of long rows, k being large, by one pass of the
// whole device over memory that puts candidates into buckets.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/topk/bucket_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/array_filter.hpp"
#include "runtime/variants/bucket_sizes.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_bucket_rows {
namespace {

constexpr std::string_view header = "kernels/topk/bucket_rows.cuh";
constexpr Kernel<Address, Address, U32, Address, OperandStride, Address, OperandStride, U32, U32, U32, U32>
    sample_kernel{header, "sample_buckets_of_first"};
constexpr Kernel<Address, U32, Address, U32, Address, Address, OperandStride, Address, OperandStride, U32,
                 U32>
    filter_kernel{header, "filter_to_buckets"};
constexpr FirstKeysKernel<U32, U32, Address, U32, Address, U32> sort_kernel{header, "sort_buckets"};

/// In the place of a minimum's rank: the whole sample is put in order.
constexpr std::uint64_t all_samples = ~std::uint32_t{0};

class BucketRowsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "bucket_rows"; }
  std::string_view description() const noexcept override {
    return "the first keys of an array or of long rows: one pass of the whole device that puts what is not "
           "behind a bound into buckets, both of which a random sample gives; a block puts a bucket in order";
  }
  std::vector<std::string_view> kernel_headers() const override { return {header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_top_k(problem) && device.warp_size == 32 && problem.n >= 512 &&
           problem.n <= ArrayFilter::longest_array && problem.k != 0 && default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace BucketRowsVariant::space(const Problem&, const DeviceInfo&) const {
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
      {"bucket_blocks_per_sm",
       {1, 2, 3, 4, 6, 8},
       "such blocks a multiprocessor that the compiler must leave registers for"},
      compared_as_double(),
      {"dependent_launch", {0, 1}, "whether each launch may begin while the one before it ends"},
  };
  ArrayFilter::add_to(space);
  const std::vector<Restriction> own = {
      {"there are twice as many keys as samples at least, and a block or a cluster of the device takes these",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t threads = sample_threads(c, p);
         return as_count(2 * c.at("samples")) <= p.n && threads >= 64 && threads <= d.max_threads_per_block &&
                c.at("sample_blocks") <= std::max(1, d.largest_cluster_size()) &&
                threads * (samples_per_thread(c, p) * merged_item_registers(p.key) + 50) <=
                    d.registers_per_block;
       },
       {"samples", "sample_blocks"}},
      {"the sample has a bound, a sample up to it for each bucket, and no more groups that tell it than "
       "threads; samples that are put in order have registers for themselves and their numbers, and 30 a "
       "thread besides",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::uint64_t rank = sample_rank(c, p);
         const std::int64_t threads = sample_threads(c, p);
         return rank <= as_count(c.at("samples")) && rank >= as_count(c.at("buckets")) &&
                sample_groups(c, p) <= threads * c.at("sample_blocks") &&
                sample_capacity(c, p) * (merged_item_registers(p.key) + 1) + 30 * threads <=
                    d.registers_per_block;
       },
       {"samples", "sample_blocks", "buckets"}},
      {"a block holds what its bucket has in 99 of 100 calls",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return overflow_chance(c, p, as_count(c.at("bucket_capacity"))) <= 0.01;
       },
       {"samples", "buckets", "bucket_capacity"}},
      {"a thread puts 2 candidates in order at least and 8 at most, 4 of 64-bit keys; 4 registers for each "
       "(16 of 64-bit keys) and 24 (44) besides fit a multiprocessor's, for bucket_blocks_per_sm blocks",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t threads = c.at("bucket_threads");
         const std::int64_t items = c.at("bucket_capacity") / threads;
         const bool wide = size_of(p.key) == 8;
         return items >= 2 && items <= (wide ? 4 : 8) && threads <= d.max_threads_per_block &&
                threads * c.at("bucket_blocks_per_sm") * (wide ? items * 16 + 44 : items * 4 + 24) <=
                    d.registers_per_block;
       },
       {"bucket_threads", "bucket_capacity", "bucket_blocks_per_sm"}},
      {"the buckets of each of several rows have room for no more than twice the row's keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return p.rows == 1 || as_count(c.at("buckets")) * room(c, p) <= 2 * p.n;
       },
       {"samples", "buckets", "bucket_capacity"}},
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

Configuration BucketRowsVariant::default_configuration(const Problem& problem,
                                                       const DeviceInfo& device) const {
  const SearchSpace all = space(problem, device);
  Configuration c{std::string(name()),
                  {{"samples", 256},
                   {"sample_blocks", 1},
                   {"buckets", 4},
                   {"block_size_x", std::min(512, device.max_threads_per_block)},
                   {"vectors_per_thread", ArrayFilter::default_vectors(problem)},
                   {"min_blocks_per_sm", 2},
                   {"bucket_threads", 0},
                   {"bucket_capacity", 0},
                   {"bucket_blocks_per_sm", 1},
                   {"compare_as_double", prefers_doubles(problem, device)},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // Of one array there is a bucket for each multiprocessor; of rows there are few, of as many candidates as
  // they have room for. Registers are left to the compiler: 64 a thread are too few.
  struct Buckets {
    std::int64_t capacity;
    int threads;
    std::array<std::int64_t, 8> numbers;
  };
  constexpr std::array<std::int64_t, 8> few = {4, 8, 16, 32, 64, 128, 256, 512};
  const Buckets of_array = {4096, 512, {128, 256, 512, 64, 32, 16, 8, 4}};
  const std::array<Buckets, 2> of_rows = {Buckets{2048, 256, few}, Buckets{4096, 512, few}};
  const std::int64_t least_of_cluster = problem.rows == 1 ? 4096 : 8192;
  const auto is_valid = [&](const Buckets& with) {
    const bool is_wide = size_of(problem.key) == 8;
    c.parameters["bucket_capacity"] = is_wide ? 2048 : with.capacity;
    c.parameters["bucket_threads"] = std::min(is_wide ? 512 : with.threads, device.max_threads_per_block);
    return std::any_of(with.numbers.begin(), with.numbers.end(), [&](std::int64_t buckets) {
      c.parameters["buckets"] = buckets;
      return !all.violation(c, problem, device);
    });
  };
  const auto is_valid_with = [&](std::int64_t samples) {
    c.parameters["samples"] = samples;
    c.parameters["sample_blocks"] = samples < least_of_cluster || device.max_cluster_size < 8 ? 1
                                    : samples > 32768 && device.largest_cluster_size() >= 16  ? 16
                                                                                              : 8;
    if (problem.rows == 1) return is_valid(of_array);
    return std::any_of(of_rows.begin(), of_rows.end(), is_valid);
  };
  // The fewest samples whose bound lets at most half as many keys more pass as are wanted (of rows a
  // quarter); or else the most.
  for (std::int64_t samples = 256; samples <= 65536; samples *= 2) {
    c.parameters["samples"] = samples;
    const std::uint64_t more = problem.k / (problem.rows == 1 ? 2 : 4);
    if (candidates(c, problem) <= problem.k + more && is_valid_with(samples)) return c;
  }
  for (std::int64_t samples = 65536; samples >= 256; samples /= 2) {
    if (is_valid_with(samples)) return c;
  }
  return c;
}

Plan BucketRowsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const std::uint64_t buckets = as_count(c.at("buckets"));
  const std::uint64_t of_bucket = room(c, problem);
  const std::uint64_t item_bytes = as_count(merged_item_bytes(problem.key));
  const std::uint64_t of_all = problem.rows * buckets;
  const Address last = builder.workspace(of_all * item_bytes);
  const Address counts = builder.workspace(of_all * 4 * as_count(layout::words_of_count()));
  const Address items = builder.workspace(of_all * of_bucket * item_bytes);
  const Address keys = address_of(Role::keys_in);
  const OperandStride stride{Role::keys_in};
  const Address lengths = address_of(Role::lengths);
  const OperandStride length_bytes{Role::lengths};

  const std::string form = merged_arguments(problem, c);
  const std::string carrying = fmt::format("{}, {}", form, carried_bytes(problem) != 0);
  const std::int64_t ranks = c.at("sample_blocks");
  const std::int64_t threads = sample_threads(c, problem);
  builder.launch(sample_kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}", carrying, threads, samples_per_thread(c, problem),
                             ranks, sample_groups(c, problem), sample_capacity(c, problem)),
                 {.blocks = problem.rows * as_count(ranks),
                  .threads = static_cast<std::uint32_t>(threads),
                  .shared_bytes = as_count(sample_bytes(c, problem)),
                  .cluster = static_cast<std::uint32_t>(ranks)},
                 last, counts, buckets, keys, stride, lengths, length_bytes, problem.n, problem.k,
                 sample_rank(c, problem),
                 orders_all(c, problem) ? all_samples : minimum_rank(sample_groups(c, problem), c, problem));
  const std::uint64_t blocks_of_row = shares(c, problem, device);
  builder.launch(filter_kernel,
                 fmt::format("{}, {}, {}, {}, {}", carrying, c.at("block_size_x"), c.at("vectors_per_thread"),
                             staged(c, problem), c.at("min_blocks_per_sm")),
                 {.blocks = problem.rows * blocks_of_row,
                  .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                  .shared_bytes = as_count(filter_bytes(c, problem))},
                 items, of_bucket, counts, buckets, last, keys, stride, lengths, length_bytes, problem.n,
                 blocks_of_row);
  launch_first_keys(
      builder, sort_kernel,
      fmt::format("{}, {}, {}, {}, {}, {}, {}", form, problem.value_bytes, problem.index_bytes,
                  c.at("bucket_threads"), c.at("bucket_capacity"), 2, c.at("bucket_blocks_per_sm")),
      {.blocks = of_all,
       .threads = static_cast<std::uint32_t>(c.at("bucket_threads")),
       .shared_bytes = as_count(sort_bytes(c, problem))},
      problem.n, problem.k, items, of_bucket, counts, buckets);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_bucket_rows

/// A sorted random sample gives a bound and the ends of buckets. The whole device streams the array past the
/// bound, and each candidate goes to its bucket, which a block puts in order and writes to its place
/// (kernels/topk/bucket_rows.cuh).
const Variant& bucket_rows_variant() {
  static const of_bucket_rows::BucketRowsVariant variant;
  return variant;
}

}  // namespace bitune
