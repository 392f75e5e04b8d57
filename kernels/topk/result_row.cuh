#pragma once

// What a call of top_k asks for: the first k keys of each row, in order, with what travels with them.

#include "kernels/network/carried_value.cuh"
#include "kernels/network/first_keys.cuh"

namespace bitune {

/// A row of the call: where it is read and where its result goes. Outputs overlap no input.
template <class Codec, PlacedForm form, int value_bytes, int index_bytes>
struct ResultRow {
  using Raw = typename Codec::Raw;
  using Value = typename CarriedValue<value_bytes>::Type;
  using Index = typename CarriedValue<index_bytes>::Type;
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Order = FirstKeysCodec<Codec, value_bytes + index_bytes != 0>;

  const Raw* keys;
  const Value* values;
  Raw* keys_out;  ///< null where indices alone are asked for
  Value* values_out;
  Index* indices_out;

  BITUNE_DEVICE ResultRow(u64 row, Raw* all_keys_out, u64 keys_out_stride, const Raw* all_keys, u64 keys_stride, Value* all_values_out,
                          u64 values_out_stride, const Value* all_values, u64 values_stride, Index* all_indices_out, u64 indices_out_stride)
      : keys(all_keys + row * keys_stride), values(nullptr), keys_out(nullptr), values_out(nullptr), indices_out(nullptr) {
    if (index_bytes == 0 || all_keys_out != nullptr) keys_out = all_keys_out + row * keys_out_stride;
    if constexpr (value_bytes != 0) {
      values = all_values + row * values_stride;
      values_out = all_values_out + row * values_out_stride;
    }
    if constexpr (index_bytes != 0) indices_out = all_indices_out + row * indices_out_stride;
  }

  /// The key at a place, and the place.
  BITUNE_DEVICE Item item(u32 place) const { return Form::make(Order::encode(keys[place]), place); }

  /// Begins to copy the key at a place to shared memory, and writes the place beside it: for `fetched`, behind cp_async_wait_all. Whoever
  /// has just read the key waits for nothing.
  BITUNE_DEVICE void fetch(Item& slot, u32 place) const {
    if constexpr (form == PlacedForm::planes) {
      slot.place = place;
      cp_async(&slot.key, keys + place);
    } else if constexpr (sizeof(Item) == 8 && sizeof(Raw) == 4) {
      u32* const words = reinterpret_cast<u32*>(&slot);
      words[0] = place;
      cp_async(words + 1, keys + place);
    } else {
      slot = item(place);
    }
  }

  BITUNE_DEVICE Item fetched(const Item& slot) const {
    if constexpr (form == PlacedForm::planes) {
      return Form::make(Order::encode(slot.key), slot.place);
    } else if constexpr (sizeof(Item) == 8 && sizeof(Raw) == 4) {
      const u32* const words = reinterpret_cast<const u32*>(&slot);
      return Form::make(Order::encode(words[1]), words[0]);
    } else {
      return slot;
    }
  }

  /// Writes what belongs to the item, a key and its place in the row, to place i of the result.
  BITUNE_DEVICE void write(u32 i, Item item) const {
    const u32 place = Form::place(item);
    if (index_bytes == 0 || keys_out != nullptr) keys_out[i] = Order::decode(Form::key(item), keys, place, ~u32{0});
    if constexpr (value_bytes != 0) values_out[i] = values[place];
    if constexpr (index_bytes != 0) indices_out[i] = place;
  }

  /// Fills place i of the result, for which the row has no key.
  BITUNE_DEVICE void fill(u32 i) const {
    if (index_bytes == 0 || keys_out != nullptr) keys_out[i] = Codec::decode(Order::last);
    if constexpr (value_bytes != 0) values_out[i] = Value{};
    if constexpr (index_bytes != 0) indices_out[i] = no_index<Index>();
  }
};

/// What Row::fetch leaves in a slot, of a key that a register has.
template <class Row>
BITUNE_DEVICE typename Row::Item slot_of(typename Row::Raw raw, u32 place) {
  using Item = typename Row::Item;
  if constexpr (sizeof(Item) > 8) {
    return {raw, place};
  } else if constexpr (sizeof(Item) == 8 && sizeof(raw) == 4) {
    return Item(u64{raw} << 32 | place);
  } else {
    return Row::Form::make(Row::Order::encode(raw), place);
  }
}

}  // namespace bitune
