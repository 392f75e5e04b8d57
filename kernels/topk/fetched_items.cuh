#pragma once

// Keys of a row that are copied to shared memory asynchronously, each with its place beside it.

#include "kernels/topk/result_row.cuh"

namespace bitune {

/// Begins to copy the key at a place: for `fetched`, behind cp_async_wait_all. Whoever has just read the key waits for nothing.
template <class Row>
BITUNE_DEVICE void fetch(const Row& row, typename Row::Item& slot, u32 place) {
  if constexpr (sizeof(slot) == sizeof(KeyAndPlace)) {
    slot.place = place;
    cp_async(&slot.key, row.keys + place);
  } else if constexpr (sizeof(slot) == 8 && sizeof(typename Row::Raw) == 4) {
    u32* const words = reinterpret_cast<u32*>(&slot);
    words[0] = place;
    cp_async(words + 1, row.keys + place);
  } else {
    slot = row.item(place);
  }
}

template <class Row>
BITUNE_DEVICE typename Row::Item fetched(const typename Row::Item& slot) {
  if constexpr (sizeof(slot) == sizeof(KeyAndPlace)) {
    return Row::Form::make(Row::Order::encode(slot.key), slot.place);
  } else if constexpr (sizeof(slot) == 8 && sizeof(typename Row::Raw) == 4) {
    const u32* const words = reinterpret_cast<const u32*>(&slot);
    return Row::Form::make(Row::Order::encode(words[1]), words[0]);
  } else {
    return slot;
  }
}

}  // namespace bitune
