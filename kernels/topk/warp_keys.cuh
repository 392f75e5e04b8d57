#pragma once

// The keys of a row in a block's registers, so that the keys of a warp are next to each other. They can be put elsewhere in the order of
// their places.

#include "kernels/topk/block_ends.cuh"
#include "kernels/topk/bound_words.cuh"
#include "kernels/topk/register_bits.cuh"
#include "kernels/topk/result_row.cuh"

namespace bitune {

/// A thread's keys of a row of at most nt * vt: register r is at first() + r * 32.
template <class Codec, class Order, int nt, int vt>
struct WarpKeys {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  static constexpr int registers = vt;
  static constexpr int neighbours = 1;
  static constexpr u32 warps = nt / warp_size;
  static_assert(vt <= 32);

  Word words[vt];

  BITUNE_DEVICE static u32 first() { return warp_index() * (warp_size * vt) + lane(); }
  BITUNE_DEVICE static u32 place(u32 r) { return first() + r * warp_size; }
  BITUNE_DEVICE static constexpr bool are_vectors() { return false; }

  /// What the row lacks is its first key once more.
  BITUNE_DEVICE void load(const Raw* row, u32 length) {
    Raw raw[vt];
    const Raw* const mine = row + first();
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) raw[r] = place(r) < length ? mine[r * warp_size] : Raw{0};
    if (length < u32{nt} * vt && length != 0) {
      const Raw any = row[0];
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) raw[r] = place(r) < length ? raw[r] : any;
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) words[r] = Order::encode(raw[r]);
  }

  /// The registers whose places are `from` to `end`: a bit for each.
  BITUNE_DEVICE static u32 within(u32 from, u32 end) { return before(end) & ~before(from); }

  BITUNE_DEVICE u32 equal_to(Word word) const {
    return registers_where<vt>([&](int r) { return words[r] == word; });
  }

  /// The registers whose words are below `bound`, or equal it and stand before the place `end` of a row of that length.
  BITUNE_DEVICE u32 not_behind(Word bound, u32 end, u32 length) const {
    u32 bits = registers_where<vt>([&](int r) { return words[r] <= bound; });
    if (end < length) bits &= before(end) | ~equal_to(bound);
    return bits & before(length);
  }

  /// The smallest and the largest word of all threads. shared: two words a warp. A barrier of the block.
  BITUNE_DEVICE void find_ends(Word* shared, Word& low, Word& high) const {
    Word both[2] = {words[0], words[0]};
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) {
      both[0] = minimum(both[0], words[r]);
      both[1] = maximum(both[1], words[r]);
    }
    BlockEnds<Word, nt>::find(both, shared);
    low = both[0];
    high = both[1];
  }

  /// Calls put(i, r) for each register r with its bit: i counts all of them in the order of their places. How many there are. shared: a
  /// number a warp. A barrier of the block.
  template <class Put>
  BITUNE_DEVICE static u32 put_in_order(u32 bits, u32* shared, const Put& put) {
    u32 of_this_warp[1] = {bit_count(bits)};
    warp_sum_each(of_this_warp);
    if (lane() == 0) shared[warp_index()] = of_this_warp[0];
    sync_block();
    u32 all = 0;
    u32 to = 0;
    for (u32 warp = 0; warp < warps; ++warp) {
      if (warp == warp_index()) to = all;
      all += shared[warp];
    }
    const u32 lanes = lanes_before();
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const bool is_put = (bits >> r & 1) != 0;
      const u32 those = lanes_where(is_put);
      if (is_put) put(to + bit_count(those & lanes), r);
      to += bit_count(those);
    }
    return all;
  }

 private:
  /// The registers before a place.
  BITUNE_DEVICE static u32 before(u32 end) {
    if (end <= first()) return 0;
    return first_registers(minimum((end - first() + warp_size - 1) / warp_size, u32{vt}));
  }
};

}  // namespace bitune
