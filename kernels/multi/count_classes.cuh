#pragma once

// Counting before a rank's keys are split: one reading of them counts the digits of each class, which whoever sorts the class wants, and the
// items of each class in each tile. From the latter follows where each tile's items go.

#include "kernels/multi/split_bounds.cuh"
#include "kernels/network/block_sum.cuh"
#include "kernels/network/tile_io.cuh"
#include "kernels/radix/radix_digits.cuh"

namespace bitune {

/// Counts of each class in one register, or in two or three.
template <u32 classes>
struct ClassNumbers {
  static constexpr bool few = classes <= 3;
  static constexpr int bits = few ? 10 : 9;
  static constexpr u32 of_word = few ? 3 : 7;
  static constexpr u32 count = (classes + of_word - 1) / of_word;
  static constexpr u32 limit = u32{1} << bits;  ///< of a count
  using Word = typename Storage<few ? 4 : 8>::Raw;

  Word words[count] = {};

  /// Of a class, and adds 1 to it.
  BITUNE_DEVICE u32 take(u32 found) {
    u32 number = 0;
    BITUNE_UNROLL
    for (u32 i = 0; i < count; ++i) {
      if (count != 1 && found / of_word != i) continue;
      const u32 shift = (count == 1 ? found : found % of_word) * bits;
      number = static_cast<u32>(words[i] >> shift) & (limit - 1);
      words[i] += Word{1} << shift;
    }
    return number;
  }
  BITUNE_DEVICE u32 at(u32 found) const { return static_cast<u32>(words[found / of_word] >> (found % of_word * bits)) & (limit - 1); }
  BITUNE_DEVICE void add(u32 found, u32 number) { words[found / of_word] += Word{number} << (found % of_word * bits); }

  /// Makes each the sum over the lanes before this one. Returns the sums over all lanes.
  BITUNE_DEVICE ClassNumbers add_up() {
    ClassNumbers sums;
    BITUNE_UNROLL
    for (u32 i = 0; i < count; ++i) {
      const Word own = words[i];
      BITUNE_UNROLL
      for (u32 distance = 1; distance < warp_size; distance *= 2) {
        const Word less = shuffle(words[i], lane() - distance);
        if (lane() >= distance) words[i] += less;
      }
      sums.words[i] = shuffle(words[i], warp_size - 1);
      words[i] -= own;
    }
    return sums;
  }
};

/// Counts in so many tiles from `first_tile` on. Adds to digit_counts[class][pass][digit] how many keys have that digit. Writes to
/// tile_counts[class][tile] how many keys of a class each tile has. keys: n, the first of which has the index `first` in the whole. Each warp takes some tiles.
/// Counters have `copies` in shared memory, a power of two: layout::count_classes_words. Any grid of blocks of nt threads.
template <class Order, class Payload, int parts, int nt, int bits, int copies>
BITUNE_KERNEL(nt, 1)
count_classes(u64* digit_counts, u32* tile_counts, const typename Order::Raw* keys, u64 n, u64 first, const SplitBound* bounds, u32 first_tile,
              u32 tiles) {
  using Raw = typename Order::Raw;
  using Digit = Digits<Order, bits>;
  constexpr u32 classes = layout::split_classes(parts);
  constexpr u32 nv = layout::split_tile();
  constexpr u32 of_class = Digit::passes * Digit::values;
  constexpr u32 counters = classes * of_class * copies;
  constexpr int loads = 8;
  constexpr u32 items = nv / warp_size;  // of a lane
  static_assert(items % loads == 0 && items < ClassNumbers<classes>::limit && counters % warp_size == 0);
  u32* const all = shared_memory<u32>();
  u32* const mine = all + lane() % copies;
  for (u32 i = thread_index(); i < counters; i += nt) all[i] = 0;
  sync_block();
  const u32 warps = block_count() * (nt / warp_size);
  for (u32 tile = block_index() * (nt / warp_size) + warp_index(); tile < tiles; tile += warps) {
    const u64 begin = u64{first_tile + tile} * nv;
    const u32 count = items_in_tile(begin, n, nv);
    ClassBounds<Order, classes> of_classes;
    of_classes.load(bounds, first + begin + lane(), warp_size);
    ClassNumbers<classes> counted;
    const auto add = [&](Raw raw, i32 item) {
      const auto word = Order::encode(raw);
      const u32 found = of_classes.class_of(word, item);
      counted.take(found);
      u32* const of_found = mine + found * (of_class * copies);
      BITUNE_UNROLL
      for (u32 pass = 0; pass < Digit::passes; ++pass) atomic_add(of_found + (pass * Digit::values + Digit::of(word, pass)) * copies, 1);
    };
    const Raw* const from = keys + begin + lane();
    if (count == nv) {
      for (u32 some = 0; some < items; some += loads) {
        Raw raw[loads];
        BITUNE_UNROLL
        for (int l = 0; l < loads; ++l) raw[l] = from[(some + l) * warp_size];
        BITUNE_UNROLL
        for (int l = 0; l < loads; ++l) add(raw[l], static_cast<i32>(some) + l);
      }
    } else {
      for (u32 item = 0; item * warp_size + lane() < count; ++item) add(from[item * warp_size], static_cast<i32>(item));
    }
    u32 sums[classes];
    BITUNE_UNROLL
    for (u32 i = 0; i < classes; ++i) sums[i] = counted.at(i);
    warp_sum_each(sums);
    BITUNE_UNROLL
    for (u32 i = 0; i < classes; ++i) {
      if (lane() == i) tile_counts[u64{i} * tiles + tile] = sums[i];
    }
  }
  sync_block();
  for (u32 i = thread_index(); i < counters; i += nt) {  // whole warps
    u32 count = all[i];
    BITUNE_UNROLL
    for (u32 distance = 1; distance < copies; distance *= 2) count += shuffle_xor(count, distance);
    if (lane() % copies == 0 && count != 0) atomic_add(digit_counts + i / copies, u64{count});
  }
}

/// Of so many tiles, makes of tile_counts[class][tile] where each tile's items of a class begin: bases[class][tile]. counts: of each class, is written;
/// before it are those of earlier tiles, `earlier` times, which come before in a class at a cut. A block of nt threads for each class.
template <int nt>
BITUNE_KERNEL(nt, 1)
place_tiles(u64* bases, u64* counts, u32 earlier, u64 counts_stride, const u32* tile_counts, u32 tiles) {
  using Group = ThreadGroup<nt, 1>;
  const u32* const from = tile_counts + u64{block_index()} * tiles;
  u64* const to = bases + u64{block_index()} * tiles;
  const u32 of_thread = (tiles + nt - 1) / nt;
  const u32 begin = minimum(thread_index() * of_thread, tiles);
  const u32 end = minimum(begin + of_thread, tiles);
  u64 sum = 0;
  for (u32 i = begin; i < end; ++i) sum += from[i];
  // By halves: sums of a block have 32 bits.
  GroupPrefixSum<Group> low(shared_memory<u32>());
  constexpr u32 half = 1 << 20;
  u64 base = low(static_cast<u32>(sum % half));
  GroupPrefixSum<Group> high(shared_memory<u32>() + low.words);
  base += u64{half} * high(static_cast<u32>(sum / half));
  if (end == tiles && begin < end) counts[block_index()] = base + sum;
  if (layout::is_at_cut(block_index())) {
    for (u32 i = 1; i <= earlier; ++i) base += (counts - i * counts_stride)[block_index()];
  }
  for (u32 i = begin; i < end; ++i) {
    to[i] = base;
    base += from[i];
  }
}

}  // namespace bitune
