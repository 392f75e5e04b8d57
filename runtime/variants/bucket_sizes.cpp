#include "runtime/variants/bucket_sizes.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/topk/bucket_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/variants/array_filter.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/sampling.hpp"

namespace bitune::of_bucket_rows {
namespace {

constexpr std::array<std::int64_t, 4> group_counts = {64, 128, 256, 512};

/// Whether that is one of the first three quarters of the minima: then up to twice as many samples are up to
/// it.
bool has_near_minimum(std::int64_t groups, const Configuration& c, const Problem& problem) {
  return 4 * minimum_rank(groups, c, problem) <= 3 * as_count(groups);
}

/// Samples from one bucket's end to the next one's, at most.
std::uint64_t samples_of_bucket(const Configuration& c, const Problem& problem) {
  return parts_of(sample_rank(c, problem), as_count(c.at("buckets")));
}

}  // namespace

std::uint64_t sample_rank(const Configuration& c, const Problem& problem) {
  return sampling::bound_rank(as_count(c.at("samples")), problem.k, problem.n);
}

std::uint64_t minimum_rank(std::int64_t groups, const Configuration& c, const Problem& problem) {
  const std::uint64_t rank = sample_rank(c, problem);
  return std::max(rank, sampling::minimum_behind(as_count(groups), rank));
}

bool orders_all(const Configuration& c, const Problem& problem) {
  return minimum_rank(group_counts.back(), c, problem) + 8 > as_count(group_counts.back());
}

std::int64_t sample_groups(const Configuration& c, const Problem& problem) {
  if (orders_all(c, problem)) return group_counts.front();
  const auto* const near = std::find_if(group_counts.begin(), group_counts.end(), [&](std::int64_t groups) {
    return has_near_minimum(groups, c, problem);
  });
  return near == group_counts.end() ? group_counts.back() : *near;
}

std::int64_t sample_threads(const Configuration& c, const Problem& problem) {
  const std::int64_t of_block = c.at("samples") / c.at("sample_blocks");
  return std::max(of_block / 8, std::min<std::int64_t>(of_block, orders_all(c, problem) ? 1024 : 512));
}

std::int64_t samples_per_thread(const Configuration& c, const Problem& problem) {
  return c.at("samples") / c.at("sample_blocks") / sample_threads(c, problem);
}

/// Up to the last but eight of 512 minima there are 2,130 samples on average, and 180 more or fewer.
std::int64_t sample_capacity(const Configuration& c, const Problem& problem) {
  const std::int64_t groups = sample_groups(c, problem);
  const std::int64_t usual = (has_near_minimum(groups, c, problem) ? 4 : 8) * groups;
  return std::max(2 * sample_threads(c, problem), orders_all(c, problem) ? c.at("samples") : usual);
}

std::int64_t sample_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t item = merged_item_bytes(problem.key);
  const std::int64_t threads = sample_threads(c, problem);
  return layout::sampled_buckets(threads, sample_groups(c, problem), sample_capacity(c, problem), item,
                                 word_bytes(problem.key))
      .bytes;
}

double overflow_chance(const Configuration& c, const Problem& problem, std::uint64_t candidates) {
  return static_cast<double>(c.at("buckets")) * sampling::overflow_chance(as_count(c.at("samples")),
                                                                          samples_of_bucket(c, problem),
                                                                          candidates, problem.n);
}

std::uint64_t candidates(const Configuration& c, const Problem& problem) {
  const std::uint64_t samples = as_count(c.at("samples"));
  return std::min(sample_rank(c, problem), samples) * problem.n / samples;
}

std::int64_t staged(const Configuration& c, const Problem& problem) {
  const std::uint64_t of_chunk = candidates(c, problem) * ArrayFilter::chunk_keys(problem, c) / problem.n;
  return static_cast<std::int64_t>(
      std::clamp<std::uint64_t>(std::bit_ceil(of_chunk + of_chunk / 4), 1024, 4096));
}

std::uint64_t shares(const Configuration& c, const Problem& problem, const DeviceInfo& device) {
  const std::uint64_t at_once = as_count(c.at("min_blocks_per_sm") * device.sm_count);
  const std::uint64_t blocks =
      std::max(parts_of(at_once, problem.rows),
               parts_of(candidates(c, problem), as_count(staged(c, problem)) * 3 / 4));
  return std::min(blocks, parts_of(problem.n, ArrayFilter::chunk_keys(problem, c)));
}

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
  return layout::bucketing_bytes(staged(c, problem), c.at("buckets"), merged_item_bytes(problem.key));
}

}  // namespace bitune::of_bucket_rows
