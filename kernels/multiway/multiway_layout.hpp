#pragma once

/// \file
/// Sizes of the multiway variant's data: what splitting runs and gathering a bucket keep in shared memory.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// RankSearch's shared memory, in u32: for the groups together, and for each run besides. `groups` groups of a block's threads each search
/// a rank of their own.
struct RankSearchParts {
  Size few;             ///< keys that are ranked among each other, at most
  Size extremes_words;  ///< two keys of each warp
  Size few_words;       ///< keys of all groups
  Size group_words;     ///< of each group: two u32 for each of the few keys, and the sums
  Size fixed_words;     ///< all of the above
  Size words_per_run;
};

constexpr RankSearchParts rank_search_parts(Size threads, Size groups, Size pivots, Size word_bytes) {
  const Size of_group = threads / groups;
  const Size few = of_group < 256 ? of_group : 256;
  const Size extremes = 2 * warps_of(threads) * (word_bytes / 4);
  const Size few_words = groups * few * (word_bytes / 4);
  const Size sums = sum_words(of_group, pivots) + sum_words(of_group, 6) + prefix_sum_words(of_group);
  const Size group_words = rounded_up(2 * few + sums, 4);
  return {few, extremes, few_words, group_words, extremes + few_words + groups * group_words, groups * (1 + pivots)};
}

/// Keys that are copied to a window at once, of 16 bytes together.
constexpr Size window_vector(Size key_bytes) { return 16 / key_bytes; }

/// Keys from one window to the next, so that the same place of neighbouring windows is in different banks.
constexpr Size window_pitch(Size window, Size key_bytes) { return window + window_vector(key_bytes); }

/// u32 that WindowSplitter keeps besides RankSearch's: for alignment, and for each run its window and where that begins.
constexpr Size window_fixed_words() { return 4; }
constexpr Size window_words_per_run(Size groups, Size window, Size key_bytes) {
  return groups * (1 + window_pitch(window, key_bytes) * key_bytes / 4);
}

/// u32 that splitting takes of a block's shared memory; window 0: runs are searched where they are.
constexpr Size splitter_words(Size threads, Size groups, Size pivots, Size window, Size runs, Size word_bytes, Size key_bytes) {
  const RankSearchParts parts = rank_search_parts(threads, groups, pivots, word_bytes);
  const Size words = parts.fixed_words + parts.words_per_run * runs;
  if (window == 0) return words;
  return words + window_fixed_words() + window_words_per_run(groups, window, key_bytes) * runs;
}

/// u32 of multiway_split: what splitting takes, and where each run is cut.
constexpr Size split_words(Size threads, Size pivots, Size runs, Size word_bytes) {
  return splitter_words(threads, 1, pivots, 0, runs, word_bytes, word_bytes) + runs;
}

/// u32 that tell of the pieces of a bucket: where each begins and ends, GroupPrefixSum's, and the first run of each part that `lanes` threads
/// gather.
constexpr Size piece_words(Size pieces, Size threads, Size lanes) {
  return 2 * pieces + prefix_sum_words(threads) + threads / lanes;
}

/// Places where the runs of a row are cut, between each two of its buckets, of which there are as many as runs.
constexpr unsigned long long split_places(unsigned long long runs) { return (runs - 1) * runs; }

}  // namespace bitune::layout
