#pragma once

// What follows filter_array where k is large: the candidates are sorted in runs, which others merge (kernels/merge/first_keys_runs.cuh).

#include "kernels/network/launch.cuh"
#include "kernels/topk/candidates.cuh"
#include "kernels/topk/placed_digits.cuh"

namespace bitune {

/// Usually nothing. But if there are fewer than k candidates, or more than there was room for, one block finds the k-th key digit by digit,
/// and makes the first k the candidates. The arguments are those of filter_array. Grid: one block. Dynamic shared memory: 257 numbers.
template <class Codec, class Payload, PlacedForm form, bool carries, int nt>
BITUNE_KERNEL(nt, 1)
settle_candidates(typename Placed<typename Codec::Word, form>::Item* items, u32 room, u32* count, const typename Codec::Raw* keys,
                  const u8* lengths, u64 length_bytes, u32 n, u32 k) {
  using Row = ResultRow<Codec, form, 0, carries ? 4 : 0>;
  using Item = typename Row::Item;
  using Digits = PlacedDigits<Codec, typename Row::Form>;
  begin_launch();
  const u32 length = counted_keys(lengths, length_bytes, 0, n);
  const u32 wanted = minimum(k, length);
  if (*count >= wanted && *count <= room) return;

  const Row row(0, nullptr, 0, keys, 0, nullptr, 0, nullptr, 0, nullptr, 0);
  u32* const counters = shared_memory<u32>();
  u32* const taken = counters + Digits::values;
  Digits digits;
  u32 left = wanted;  // the item is this one of those with its first digits
  if (thread_index() == 0) *taken = 0;
  for (int level = 0; level < Digits::levels; ++level) {
    for (u32 i = thread_index(); i < Digits::values; i += nt) counters[i] = 0;
    sync_block();
    for (u64 i = thread_index(); i < length; i += nt) {
      const Item item = row.item(static_cast<u32>(i));
      if (digits.matches(item, level)) atomic_add(counters + Digits::digit(item, level), 1);
    }
    sync_block();
    u32 digit = 0;
    while (counters[digit] < left) left -= counters[digit++];
    digits.set(digit, level);
    sync_block();
  }
  const Item bound = Row::Form::make(digits.key, digits.place);
  for (u64 i = thread_index(); i < length; i += nt) {
    const Item item = row.item(static_cast<u32>(i));
    if (!(bound < item)) items[atomic_add(taken, 1)] = item;
  }
  sync_block();  // for nobody: all have read the count before
  if (thread_index() == 0) *count = wanted;
}

/// Sorts the `count` candidates in runs of nt * vt, and keeps the first `kept` of each, one run behind the other. What a run lacks is behind
/// all keys. Grid: a block for every run that there is room for. Dynamic shared memory: RegisterTile::shared_words items.
template <class Codec, class Payload, PlacedForm form, int nt, int vt, int shuffle_steps, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
sort_candidates(typename Placed<typename Codec::Word, form>::Item* items_out,
                const typename Placed<typename Codec::Word, form>::Item* items_in, const u32* count, u32 kept) {
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Tile = RegisterTile<Item, PlacedComparator<0>, nt, vt, shuffle_steps>;
  begin_launch();
  const u64 begin = u64{block_index()} * Tile::nv;
  const u32 found = *count;
  Item items[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u64 i = begin + thread_index() + r * nt;
    items[r] = i < found ? items_in[i] : last_item<Form>();
  }
  if (begin < found) {  // else they are in order
    Item* const shared = shared_memory<Item>();
    Tile::sort(shared, items);
    Tile::template to_striped<1>(shared, items);
  }
  Item* const to = items_out + u64{block_index()} * kept;
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 i = thread_index() + r * nt;
    if (i < kept) to[i] = items[r];
  }
}

}  // namespace bitune
