#pragma once

// A row's keys streaming through registers, past a bound (bound_words.cuh). What is not behind it is passed on with its place.

#include "kernels/topk/bound_words.cuh"
#include "kernels/topk/result_row.cuh"
#include "kernels/topk/row_threads.cuh"

namespace bitune {

/// The number of the lowest bit that is set.
BITUNE_DEVICE u32 lowest_bit(u32 bits) { return bit_count((bits & (0 - bits)) - 1); }

/// Keys of a row, of which blocks of nt threads take chunks of nt * loads vectors of 16 bytes. Vectors begin at the row's first aligned one.
/// A few keys at both ends of the row are in none.
template <class Codec, class Row, int nt, int loads>
struct KeyStream {
  using Raw = typename Codec::Raw;
  using Form = typename Row::Form;
  using Item = typename Form::Item;
  static constexpr int vector = 16 / static_cast<int>(sizeof(Raw));
  static constexpr u32 chunk = u32{nt} * loads;  // vectors
  static_assert(loads * vector <= 32);

  const Row& row;
  u32 length;
  u32 head;   ///< keys before the first vector
  u32 count;  ///< vectors

  BITUNE_DEVICE KeyStream(const Row& of, u32 keys) : row(of), length(keys) {
    const u32 offset = static_cast<u32>(reinterpret_cast<u64>(row.keys) / sizeof(Raw)) % vector;
    head = minimum((vector - offset) % vector, length);
    count = (length - head) / vector;
  }

  BITUNE_DEVICE Item item(u32 i) const { return row.item(i); }

  /// Streams the vectors from `first` to before `last`: the chunk at `first`, and those that are `step` vectors behind one another. Calls
  /// append(bits, item) where any lane of a warp has candidates, by all its lanes: a bit for each, and item(bit) is what it is.
  template <class Append>
  BITUNE_DEVICE void pass(Item bound, u32 first, u32 last, u64 step, const Append& append) const {
    for (u64 base = first; base < last; base += step) {
      const u64 begin = head + base * vector;
      const auto limit = limit_of<Codec, typename Row::Order, Form>(bound, begin, begin + u64{chunk} * vector);
      if (!limit.passes) return;  // nor does anything that follows
      const u32 mine = static_cast<u32>(base) + thread_index();
      const Raw* const keys = row.keys + (head + u64{mine} * vector);
      Raw raw[loads * vector];
      u32 bits = 0;
      const auto compare = [&] {
        BITUNE_UNROLL
        for (int r = 0; r < loads * vector; ++r) bits |= Codec::encode(raw[r]) <= limit.limit ? u32{1} << r : 0;
      };
      if (last - base >= chunk) {
        BITUNE_UNROLL
        for (int r = 0; r < loads * vector; r += vector) load_vector(keys + r * nt, *reinterpret_cast<Raw(*)[vector]>(raw + r));
        compare();
      } else {
        const u32 here = mine < last ? minimum((last - mine + nt - 1) / nt, u32{loads}) : 0;
        BITUNE_UNROLL
        for (int r = 0; r < loads * vector; ++r) raw[r] = 0;
        BITUNE_UNROLL
        for (int r = 0; r < loads * vector; r += vector) {
          if (r < static_cast<int>(here) * vector) load_vector(keys + r * nt, *reinterpret_cast<Raw(*)[vector]>(raw + r));
        }
        compare();
        bits &= static_cast<u32>((u64{1} << here * vector) - 1);
      }
      const auto item_of = [&](u32 r) { return row.item(head + (mine + r / vector * nt) * vector + r % vector); };
      if (limit.straddles) {
        for (u32 left = bits; left != 0; left &= left - 1) {
          if (bound < item_of(lowest_bit(left))) bits ^= left & (0 - left);
        }
      }
      if (!all_of_warp(bits == 0)) append(bits, item_of);
    }
  }

  /// By one warp: the keys that are in no vector, of which there are fewer than 32.
  template <class Append>
  BITUNE_DEVICE void pass_ends(Item bound, const Append& append) const {
    const u32 place = lane() < head ? lane() : lane() + count * vector;
    const bool passes = lane() < length - count * vector && !(bound < row.item(place));
    append(passes ? 1 : 0, [&](u32 /*bit*/) { return row.item(place); });
  }

  /// The share of block `rank` of `ranks`.
  template <class Append>
  BITUNE_DEVICE void pass_share(Item bound, u32 rank, u32 ranks, const Append& append) const {
    pass(bound, static_cast<u32>(u64{count} * rank / ranks), static_cast<u32>(u64{count} * (rank + 1) / ranks), chunk, append);
    if (rank == 0 && warp_index() == 0) pass_ends(bound, append);
  }
};

/// Candidates of another pass, in memory, that stream in the same way.
template <class Item, int nt, int loads>
struct ItemStream {
  const Item* items;
  u32 length;

  BITUNE_DEVICE Item item(u32 i) const { return items[i]; }

  template <class Append>
  BITUNE_DEVICE void pass_share(Item bound, u32 rank, u32 ranks, const Append& append) const {
    const u32 last = static_cast<u32>(u64{length} * (rank + 1) / ranks);
    for (u64 base = u64{length} * rank / ranks; base < last; base += u64{nt} * loads) {
      const u64 mine = base + thread_index();
      Item loaded[loads];
      BITUNE_UNROLL
      for (int r = 0; r < loads; ++r) loaded[r] = items[minimum<u64>(mine + r * nt, last - 1)];
      u32 bits = 0;
      BITUNE_UNROLL
      for (int r = 0; r < loads; ++r) bits |= mine + r * nt < last && !(bound < loaded[r]) ? u32{1} << r : 0;
      if (!all_of_warp(bits == 0)) append(bits, [&](u32 r) { return items[mine + r * nt]; });
    }
  }
};

}  // namespace bitune
