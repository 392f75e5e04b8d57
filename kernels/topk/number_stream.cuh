#pragma once

// As key_stream.cuh, but keys that are floating-point numbers are compared as they are, and what passes the bound is copied to shared memory
// asynchronously: nothing that streams waits for it.

#include "kernels/topk/fetched_items.cuh"
#include "kernels/topk/key_stream.cuh"
#include "kernels/topk/number_limit.cuh"

namespace bitune {

/// Keys of a row, as KeyStream has them.
template <class Codec, class Row, int nt, int loads>
struct NumberStream : KeyStream<Codec, Row, nt, loads> {
  using Base = KeyStream<Codec, Row, nt, loads>;
  using Raw = typename Codec::Raw;
  using Form = typename Row::Form;
  using Item = typename Form::Item;
  using Base::chunk;
  using Base::count;
  using Base::head;
  using Base::item;
  using Base::length;
  using Base::row;
  using Base::vector;

  BITUNE_DEVICE NumberStream(const Row& of, u32 keys) : Base(of, keys) {}

  BITUNE_DEVICE void fetch(Item& slot, u32 i) const { bitune::fetch(row, slot, i); }

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

  /// The share of block `rank` of `ranks`.
  template <class Append>
  BITUNE_DEVICE void pass_share(Item bound, u32 rank, u32 ranks, const Append& append) const {
    pass(bound, static_cast<u32>(u64{count} * rank / ranks), static_cast<u32>(u64{count} * (rank + 1) / ranks), chunk, append);
    if (rank == 0 && warp_index() == 0) pass_ends(bound, append);
  }
};

}  // namespace bitune
