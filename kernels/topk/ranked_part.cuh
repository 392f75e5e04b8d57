#pragma once

// A few candidates of a row that has a part of a warp are put in order by counting, for each of them, how many are before it. No step
// waits for another one, as those of a network do.

#include "kernels/topk/candidates.cuh"

namespace bitune {

/// Reads neighbouring items at once, which are aligned to what they are together.
template <class Item, u32 N>
BITUNE_DEVICE void load_items(const Item* from, Item (&items)[N]) {
  if constexpr (sizeof(Item) == 8) {
    u64 words[N];
    load_vector(reinterpret_cast<const u64*>(from), words);
    BITUNE_UNROLL
    for (u32 i = 0; i < N; ++i) items[i] = Item(words[i]);
  } else if constexpr (sizeof(Item) == 4) {
    load_vector(from, items);
  } else {
    BITUNE_UNROLL
    for (u32 i = 0; i < N; ++i) items[i] = from[i];
  }
}

/// Adds 1 to `count` if a is before b.
template <class Item>
BITUNE_DEVICE void count_if_before(u32& count, Item a, Item b) {
  count += a < b ? 1 : 0;
}
BITUNE_DEVICE void count_if_before(u32& count, DoubleWord a, DoubleWord b) { add_if_less(count, double_of(a.bits), double_of(b.bits)); }

/// Puts `count` candidates in order, which nt threads share: at most `capacity`, for which there is room. read(slot) makes a candidate of
/// what is in its place. items: aligned to 16 bytes. All threads of the warp call it; a barrier of the warp is before and behind it.
template <class Form, int nt, int capacity, class Read>
BITUNE_DEVICE void rank_in_part(typename Form::Item* items, u32 count, const Read& read) {
  using Item = typename Form::Item;
  using Threads = RowThreads<nt>;
  constexpr u32 vt = capacity / nt;
  static_assert(!Threads::is_block && capacity == vt * nt);
  Item own[vt];
  BITUNE_UNROLL
  for (u32 r = 0; r < vt; ++r) {
    const u32 i = Threads::index() + r * nt;
    own[r] = last_item<Form>();
    if (i < count) own[r] = read(items[i]);
    items[i] = own[r];
  }
  Threads::sync();
  u32 before[vt] = {};
  constexpr u32 at_once = sizeof(Item) < 16 ? 16 / sizeof(Item) : 1;
  BITUNE_UNROLL
  for (u32 i = 0; i < capacity; i += at_once) {
    Item others[at_once];
    load_items(items + i, others);
    BITUNE_UNROLL
    for (u32 v = 0; v < at_once; ++v) {
      BITUNE_UNROLL
      for (u32 r = 0; r < vt; ++r) count_if_before(before[r], others[v], own[r]);
    }
  }
  Threads::sync();
  BITUNE_UNROLL
  for (u32 r = 0; r < vt; ++r) {
    if (Threads::index() + r * nt < count) items[before[r]] = own[r];
  }
  Threads::sync();
}

}  // namespace bitune
