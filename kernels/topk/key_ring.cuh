#pragma once

// Rows that stream through shared memory, one behind the other, while memory never waits.
//
// Each thread has a ring of its own there. It reads nothing but what it has copied itself, so it waits for no other thread. Its copies run
// ahead by `stages` chunks, also into the rows that follow. So keys arrive while candidates are put in order.

#include "kernels/topk/key_stream.cuh"

namespace bitune {

/// The rows that a block or a cluster takes: `first`, and every `step`-th one behind it.
struct RowTurns {
  u32 first;
  u32 step;
  u32 rows;
};

/// Row: ResultRow. Rows' shares and lengths come from share(index): the KeyStream of a row. A block is `rank` of `ranks`. Shared memory: `bytes`.
template <class Codec, int nt, int loads, int stages, class Share>
struct KeyRing {
  using Raw = typename Codec::Raw;
  static constexpr int vector = 16 / static_cast<int>(sizeof(Raw));
  static constexpr u32 chunk = u32{nt} * loads;  // vectors
  static constexpr u32 stage_bytes = chunk * 16;
  static constexpr u32 bytes = stage_bytes * stages;

  u8* own;            ///< the thread's first slot
  const Share& share;
  RowTurns turns;
  u32 ahead_row;
  u32 ahead;          ///< the next vector of this thread to be copied, in that row
  u32 ahead_end;
  const Raw* ahead_keys;
  u32 stage = 0;      ///< where the oldest chunk begins, in bytes

  BITUNE_DEVICE KeyRing(u8* shared, const Share& of, RowTurns which)
      : own(shared + thread_index() * 16), share(of), turns(which), ahead_row(which.first) {
    open_row();
    BITUNE_UNROLL_N(1)
    for (u32 at = 0; at < bytes; at += stage_bytes) copy_chunk(at);
  }

  BITUNE_DEVICE const Raw* slot(u32 i) const { return reinterpret_cast<const Raw*>(own + stage + i * (nt * 16)); }

  /// Waits for the oldest chunk.
  BITUNE_DEVICE void wait() const { cp_async_wait_but<stages - 1>(); }

  /// The oldest chunk has been read.
  BITUNE_DEVICE void advance() {
    copy_chunk(stage);
    stage = stage + stage_bytes == bytes ? 0 : stage + stage_bytes;
  }

 private:
  BITUNE_DEVICE void open_row() {
    for (; ahead_row < turns.rows; ahead_row += turns.step) {
      const auto of = share(ahead_row);
      if (of.first >= of.last) continue;
      ahead = of.first + thread_index();
      ahead_end = of.last;
      ahead_keys = of.vectors;
      return;
    }
  }

  BITUNE_DEVICE void copy_chunk(u32 to) {
    if (ahead_row < turns.rows) {
      const Raw* const from = ahead_keys + u64{ahead} * vector;
      BITUNE_UNROLL
      for (int i = 0; i < loads; ++i) {
        if (ahead + i * nt < ahead_end) cp_async_16(own + to + i * (nt * 16), from + i * (nt * vector));
      }
      ahead += chunk;
      if (ahead - thread_index() >= ahead_end) {
        ahead_row += turns.step;
        open_row();
      }
    }
    cp_async_commit();
  }
};

}  // namespace bitune
