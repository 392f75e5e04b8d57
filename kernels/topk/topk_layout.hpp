#pragma once

/// \file
/// Sizes of what the kernels that choose the first k keys keep in shared memory and in the workspace.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Threads of a warp sort so many candidates by themselves; more are for the whole block, where each of its threads has two at least.
constexpr Size sorted_by_warp() { return 128; }

/// Whether so many candidates (a power of two) are a network of a row's threads: each has one at least, and those of a warp 16 at most.
constexpr bool is_sorted_by(Size threads, Size size) {
  return threads <= 32 ? size >= threads : size >= 2 * threads || (size >= 32 && size <= 512);
}

/// The same of minima, which are shorter.
constexpr Size minima_by_warp() { return 256; }

/// Where the parts of a row's shared memory in select_rows begin, and how many bytes they are together. The minima lie where the
/// candidates come afterwards.
struct SelectedRow {
  Size bound;  ///< two words, where a row has a block
  Size sums;   ///< GroupPrefixSum's
  Size bytes;
};

/// threads: of a row. minima: of each thread. capacity: candidates of a row.
constexpr SelectedRow selected_row(Size threads, Size minima, Size capacity, Size item_bytes, Size word_bytes) {
  const bool is_block = threads > 32;
  const Size candidates = padded_bytes(capacity, item_bytes);
  const Size all_minima = is_block ? padded_bytes(threads * minima, word_bytes) : 0;
  const Size bound = rounded_up(candidates > all_minima ? candidates : all_minima, 16);
  const Size sums = bound + (is_block ? 16 : 0);
  return {bound, sums, rounded_up(sums + (is_block ? 4 * prefix_sum_words(threads) : 0), 16)};
}

/// As many minima are sorted by the threads of one warp.
constexpr Size minima_of_warp() { return 512; }

/// Groups of samples that so many threads (a power of two) have at most, whose minima give a bound.
constexpr Size most_groups(Size threads) { return threads < minima_of_warp() ? threads : minima_of_warp(); }

/// Threads that count together how many of so many minima are below one of them, each in vectors of some.
constexpr Size ranking_shares(Size threads, Size minima, Size vector) {
  Size shares = 8;
  while (shares > 1 && (shares * minima > threads || shares * vector > minima)) shares /= 2;
  return shares;
}

/// As many candidates are put in order by counting which of them are before each other.
constexpr Size ranked_candidates() { return 224; }

/// The same of a row that has a part of a warp.
constexpr Size ranked_by_part() { return 16; }

/// Where all minima of SampledKeys begin in a block's shared memory, behind those of its threads, and how many bytes both are together.
struct SampledMinima {
  Size minima;
  Size bytes;
};

constexpr SampledMinima sampled_minima(Size threads, Size groups, Size word_bytes) {
  const Size minima = rounded_up(threads * (word_bytes + 4), 16);
  return {minima, rounded_up(minima + groups * (word_bytes + 4), 16)};
}

/// Where the parts of a block's shared memory in bin_rows begin, and how many bytes they are together. Candidates come first, or the
/// sample: samples that are sorted, or what their minima need.
struct FilteredRow {
  Size bound;  ///< an item
  Size count;  ///< a number
  Size sums;   ///< GroupPrefixSum's
  Size bytes;
};

constexpr FilteredRow filtered_row(Size threads, Size sample_bytes, Size capacity, Size item_bytes) {
  const Size candidates = padded_bytes(capacity, item_bytes);
  const Size bound = rounded_up(candidates > sample_bytes ? candidates : sample_bytes, 16);
  const Size count = bound + 16;
  const Size sums = count + 16;
  return {bound, count, sums, rounded_up(sums + 4 * prefix_sum_words(threads), 16)};
}

/// Shared memory of filter_array: candidates, and three numbers.
constexpr Size staged_bytes(Size staged, Size item_bytes) { return staged * item_bytes + 16; }

}  // namespace bitune::layout
