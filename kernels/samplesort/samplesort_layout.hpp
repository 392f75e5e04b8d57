#pragma once

/// \file
/// Sizes of the samplesort variant's data.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// u32 in memory that count keys: two for each bucket (BucketCounts), and one for what is spilled.
constexpr unsigned long long bucket_counters(unsigned long long buckets) { return 2 * buckets + 1; }

/// Where the parts of sample_partition's shared memory begin, and how many bytes they are together.
struct PartitionParts {
  Size tree;    ///< SplitterTree's; GroupPrefixSum's is in front of it
  Size here;    ///< two u32 for each word of the tree
  Size tile;    ///< the keys, in their own size
  Size owners;  ///< a u16 for each key
  Size bytes;
};

constexpr PartitionParts partition_parts(Size threads, Size items, Size tree_levels, Size word_bytes, Size key_bytes) {
  const Size tree_words = Size{1} << tree_levels;
  const Size tree = rounded_up(4 * prefix_sum_words(threads), 16);
  const Size here = tree + tree_words * word_bytes;
  const Size tile = here + 2 * tree_words * 4;
  const Size owners = tile + threads * items * key_bytes;
  return {tree, here, tile, owners, owners + threads * items * 2};
}

/// Bytes of BucketOfBlock.
constexpr Size bucket_of_block_bytes() { return 20; }

/// Shared memory of leaf_sort: a tile, then a BucketOfBlock.
constexpr Size leaf_bytes(Size threads, Size items, Size word_bytes) {
  return padded_bytes(threads * items, word_bytes) + bucket_of_block_bytes();
}

}  // namespace bitune::layout
