#pragma once

/// \file
/// Sizes of what gives the first k keys of rows by buckets (bucket_rows.cuh).

#include "kernels/topk/bins_layout.hpp"
#include "kernels/topk/topk_layout.hpp"

namespace bitune::layout {

/// How far apart buckets' counts lie, in words: each has memory's smallest unit for itself.
constexpr Size words_of_count() { return 8; }

/// Shared memory of filter_to_buckets: candidates and the buckets' ends; a number of each of both, and one more.
constexpr Size bucketing_bytes(Size staged, Size buckets, Size item_bytes) {
  return (staged + buckets) * (item_bytes + 4) + 16;
}

/// Where the parts of a block's shared memory in sample_buckets_of_first begin, behind sampled_minima and the candidates, and how many bytes
/// all are together.
struct SampledBuckets {
  Size bins;
  Size bound;  ///< an item
  Size count;  ///< a number
  Size sums;   ///< GroupPrefixSum's
  Size bytes;
};

constexpr SampledBuckets sampled_buckets(Size threads, Size groups, Size capacity, Size item_bytes, Size word_bytes) {
  const Size bins = rounded_up(padded_bytes(capacity, item_bytes), 16);
  const Size bound = bins + row_bins(threads, item_bytes).bytes;
  const Size count = bound + 16;
  const Size sums = count + 16;
  const Size all = sums + 4 * prefix_sum_words(threads);
  return {bins, bound, count, sums, sampled_minima(threads, groups, word_bytes).bytes + all};
}

/// Where the parts of a block's shared memory in sort_buckets begin, behind the candidates, and how many bytes they are together.
struct SortedBucket {
  Size bins;
  Size sums;  ///< GroupSum's of three numbers, GroupPrefixSum's, and two numbers
  Size bytes;
};

constexpr SortedBucket sorted_bucket(Size threads, Size capacity, Size item_bytes) {
  const Size bins = rounded_up(padded_bytes(capacity, item_bytes), 16);
  const Size sums = bins + row_bins(threads, item_bytes).bytes;
  return {bins, sums, rounded_up(sums + 4 * (sum_words(threads, 3) + prefix_sum_words(threads) + 2), 16)};
}

}  // namespace bitune::layout
