#pragma once

// Candidates: keys with their places, among which the first k of a row are, in shared memory. They come in any order, and are sorted at
// the end. No two are equal, so that their order is that of the result.

#include "kernels/network/placed_word.cuh"
#include "kernels/network/register_tile.cuh"
#include "kernels/topk/result_row.cuh"
#include "kernels/topk/row_threads.cuh"
#include "kernels/topk/topk_layout.hpp"

namespace bitune {

/// An item that no other one is behind.
template <class Form>
BITUNE_DEVICE typename Form::Item last_item() {
  return Form::make(static_cast<decltype(Form::key(typename Form::Item{}))>(~u64{0}), ~u32{0});
}

/// At most `capacity` candidates of a row that has nt threads. Shared memory: padded_bytes of them.
template <class Form, int nt, int capacity, int shuffle_steps>
struct Candidates {
  using Item = typename Form::Item;
  using Threads = RowThreads<nt>;
  static constexpr int padding_shift = RegisterTile<Item, PlacedComparator<0>, 1, 1, 0>::padding_shift;
  static_assert(is_power_of_two(capacity) && layout::is_sorted_by(nt, capacity));

  Item* items;

  BITUNE_DEVICE Item& operator[](u32 i) const { return items[i + (i >> padding_shift)]; }

  /// Sorts the `count` candidates. All threads of the block call it, behind a barrier, and a barrier follows.
  ///
  /// `size`: items that the network has. There is one for every power of two from `least` on, so that a few do not wait for the largest.
  template <int least, int size = least>
  BITUNE_DEVICE void sort(u32 count) const {
    if constexpr (!layout::is_sorted_by(nt, size)) {
      sort<least, 2 * size>(count);
    } else {
      if constexpr (2 * size <= capacity) {
        if (!Threads::all_rows(count <= size)) return sort<least, 2 * size>(count);
      }
      sort_in_network<size>(count);
    }
  }

  /// Writes the first k of the sorted candidates. `count`: how many of them the row has.
  template <class Row>
  BITUNE_DEVICE void write_first(const Row& row, u32 k, u32 count) const {
    for (u32 i = Threads::index(); i < k; i += nt) {
      if (i < count) {
        row.write(i, (*this)[i]);
      } else {
        row.fill(i);
      }
    }
  }
 private:
  template <int size>
  BITUNE_DEVICE void sort_in_network(u32 count) const {
    constexpr bool by_warp = Threads::is_block && (size <= layout::sorted_by_warp() || size < 2 * nt);
    constexpr int threads = by_warp ? static_cast<int>(warp_size) : nt;
    constexpr int steps = threads <= static_cast<int>(warp_size) ? log2_of(threads) : shuffle_steps;
    constexpr int vt = size / threads;
    using Tile = RegisterTile<Item, PlacedComparator<0>, threads, vt, steps, (threads > static_cast<int>(warp_size))>;
    if (!by_warp || warp_index() == 0) {
      const u32 thread = Tile::thread_in_group();
      Item sorted[vt];
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) sorted[r] = thread + r * threads < count ? (*this)[thread + r * threads] : last_item<Form>();
      Tile::template barrier<false>();
      Tile::sort(items, sorted);
      Tile::template write<0, false>(items, sorted);
    }
    Threads::sync();
  }
};

}  // namespace bitune
