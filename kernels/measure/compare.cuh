#pragma once

// Compares results on the device, so that verifying costs no copy to the host.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// Adds to `mismatches` the number of i < n with actual[i] != expected[i]. Any grid of blocks of at most `nt` threads.
/// Word has the size of a key, as keys may have no larger alignment.
template <class Word, u32 nt>
BITUNE_KERNEL(nt, 0)
compare_words(const Word* actual, const Word* expected, u64 n, u64* mismatches) {
  const u64 stride = u64{block_count()} * block_size();
  u64 found = 0;
  for (u64 i = u64{block_index()} * block_size() + thread_index(); i < n; i += stride) {
    if (actual[i] != expected[i]) ++found;
  }
  if (found != 0) atomic_add(mismatches, found);
}

}  // namespace bitune
