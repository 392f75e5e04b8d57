#pragma once

// A row's keys streaming through registers, past a bound (bound_words.cuh). The places of those that are not behind it are passed on. Their
// keys are copied meanwhile: nothing that streams waits for that.

#include "kernels/topk/bound_words.cuh"
#include "kernels/topk/result_row.cuh"
#include "kernels/topk/row_threads.cuh"

namespace bitune {

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
  BITUNE_DEVICE void fetch(Item& slot, u32 i) const { row.fetch(slot, i); }
  BITUNE_DEVICE Item fetched(const Item& slot) const { return row.fetched(slot); }

  /// Streams the vectors from `first` to before `last`: the chunk at `first`, and those that are `step` vectors behind one another. Each
  /// thread that has candidates calls append(bits, place): a bit for each, and place(bit) is where it stands.
  template <class Append>
  BITUNE_DEVICE void pass(Item bound, u32 first, u32 last, u64 step, const Append& append) const {
    for (u64 base = first; base < last; base += step) {
      const u64 begin = head + base * vector;
      const auto limit = limit_of<Codec, typename Row::Order, Form>(bound, begin, begin + u64{chunk} * vector);
      if (!limit.passes) return;  // nor does anything that follows
      const u32 mine = static_cast<u32>(base) + thread_index();
      const Raw* const keys = row.keys + head + u64{mine} * vector;
      Raw raw[loads * vector];
      u32 bits = 0;
      const auto compare = [&](const auto& with) {
        BITUNE_UNROLL
        for (int r = 0; r < loads * vector; ++r) bits |= with.passes(raw[r]) ? u32{1} << r : 0;
      };
      const WordLimit<Codec> word{limit.limit};
      if (last - base >= chunk) {
        BITUNE_UNROLL
        for (int r = 0; r < loads * vector; r += vector) load_vector(keys + r * nt, *reinterpret_cast<Raw(*)[vector]>(raw + r));
        if constexpr (NumberLimit<Codec>::exists) {
          const NumberLimit<Codec> number(limit.limit);
          if (number.is_exact()) {
            compare(number);
          } else {
            compare(word);
          }
        } else {
          compare(word);
        }
      } else {
        const u32 here = mine < last ? minimum((last - mine + nt - 1) / nt, u32{loads}) : 0;
        BITUNE_UNROLL
        for (int r = 0; r < loads * vector; ++r) raw[r] = 0;
        BITUNE_UNROLL
        for (int r = 0; r < loads * vector; r += vector) {
          if (r < static_cast<int>(here) * vector) load_vector(keys + r * nt, *reinterpret_cast<Raw(*)[vector]>(raw + r));
        }
        compare(word);
        bits &= static_cast<u32>((u64{1} << here * vector) - 1);
      }
      if (bits == 0) continue;
      const auto place_of = [&](u32 r) { return head + (mine + r / vector * nt) * vector + r % vector; };
      if (limit.straddles) {
        for (u32 left = bits; left != 0; left &= left - 1) {
          if (bound < item(place_of(lowest_bit(left)))) bits ^= left & (0 - left);
        }
      }
      if (bits != 0) append(bits, place_of);
    }
  }

  /// By one warp: the keys that are in no vector, of which there are fewer than 32.
  template <class Append>
  BITUNE_DEVICE void pass_ends(Item bound, const Append& append) const {
    const u32 place = lane() < head ? lane() : lane() + count * vector;
    if (lane() < length - count * vector && !(bound < item(place))) append(1, [&](u32 /*bit*/) { return place; });
  }

  /// Where the share of block `rank` of `ranks` begins, which ends where the next one does.
  BITUNE_DEVICE u32 share(u32 rank, u32 ranks) const { return static_cast<u32>(u64{count} * rank / ranks); }

  template <class Append>
  BITUNE_DEVICE void pass_share(Item bound, u32 rank, u32 ranks, const Append& append) const {
    pass(bound, share(rank, ranks), share(rank + 1, ranks), chunk, append);
    if (rank == 0 && warp_index() == 0) pass_ends(bound, append);
  }
};

/// Candidates of another pass, in memory, that stream in the same way.
template <class Item, int nt, int loads>
struct ItemStream {
  const Item* items;
  u32 length;

  BITUNE_DEVICE Item item(u32 i) const { return items[i]; }
  BITUNE_DEVICE void fetch(Item& slot, u32 i) const { slot = items[i]; }
  BITUNE_DEVICE Item fetched(const Item& slot) const { return slot; }

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
      if (bits != 0) append(bits, [&](u32 r) { return static_cast<u32>(mine + r * nt); });
    }
  }
};

}  // namespace bitune
