#pragma once

// Neighbouring keys or values that a block copies to its shared memory, and back: 16 bytes at a time, wherever they begin.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// Items of global memory, and their place in shared memory, which is as far from a multiple of 16 bytes. All nt threads of the block copy them.
template <class T>
struct CopiedRange {
  static constexpr u32 of_vector = 16 / sizeof(T);

  /// Where the items at `global` lie in `shared`, which is aligned to 16 bytes and has layout::copied_bytes.
  BITUNE_DEVICE static T* place(const T* global, u8* shared) { return reinterpret_cast<T*>(shared + (reinterpret_cast<u64>(global) & 15)); }

  /// Starts to copy `count` items there. Before they are read: cp_async_wait_all, and a barrier.
  template <int nt>
  BITUNE_DEVICE static void read(const T* global, u32 count, T* shared) {
    each_vector<nt>(shared, count, [&](u32 i) { cp_async_16(shared + i, global + i); }, [&](u32 i) { shared[i] = global[i]; });
  }

  /// Copies them to `global`, which may lie otherwise than what was read.
  template <int nt>
  BITUNE_DEVICE static void write(T* global, u32 count, const T* shared) {
    if (((reinterpret_cast<u64>(global) ^ reinterpret_cast<u64>(shared)) & 15) != 0) {
      BITUNE_UNROLL_N(1)
      for (u32 i = thread_index(); i < count; i += nt) global[i] = shared[i];
      return;
    }
    each_vector<nt>(
        shared, count,
        [&](u32 i) {
          T items[of_vector];
          load_vector(shared + i, items);
          store_vector(global + i, items);
        },
        [&](u32 i) { global[i] = shared[i]; });
  }

 private:
  /// Calls whole(i) for each 16 bytes that have items i and those behind it alone, and part(i) for each item of those at both ends.
  template <int nt, class Whole, class Part>
  BITUNE_DEVICE static void each_vector(const T* shared, u32 count, const Whole& whole, const Part& part) {
    const u32 before = static_cast<u32>(reinterpret_cast<u64>(shared) & 15) / sizeof(T);
    BITUNE_UNROLL_N(1)
    for (u32 end = (thread_index() + 1) * of_vector; end < before + count + of_vector; end += nt * of_vector) {
      const u32 first = maximum(end - of_vector, before) - before;
      const u32 last = minimum(end - before, count);
      if (last - first == of_vector) {
        whole(first);
      } else {
        BITUNE_UNROLL_N(1)
        for (u32 i = first; i < last; ++i) part(i);
      }
    }
  }
};

}  // namespace bitune
