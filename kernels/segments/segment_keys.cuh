#pragma once

// What is read and written of a segment: here keys alone. segment_pairs.cuh has what travels with values or indices. Both have the same
// members, which the kernels on segments are made of.

#include "kernels/network/codec.cuh"
#include "kernels/network/comparator.cuh"
#include "kernels/segments/copied_range.cuh"
#include "kernels/segments/segments.cuh"
#include "kernels/segments/staged_places.cuh"

namespace bitune {

/// Keys alone, from input to keys, which may be the same. Compare: of items.
template <class Codec, int imad_quarters>
struct SegmentKeys {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  using Item = Word;
  using Compare = Comparator<imad_quarters>;
  using Value = u8;
  static constexpr int value_bytes = 0;

  Raw* keys;
  const Raw* input;

  /// The items of the segment's places first + r * stride. Places behind its end have an item that is behind all others. sure: how many of
  /// them no segment lacks that is read so.
  template <int vt, int sure = 0>
  BITUNE_DEVICE void read(Segment segment, u32 first, u32 stride, Item (&items)[vt]) const {
    const Raw* from = input + segment.begin + first;
    const u32 left = keys_from(segment, first);
    Raw raw[vt];
    // All loads before the first use, into registers that hold padding (row_tile.cuh).
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (r >= sure) raw[r] = Codec::decode(Codec::padding);
      if (r < sure || r * stride < left) raw[r] = from[u64{stride} * r];
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = Codec::encode(raw[r]);
  }

  /// Starts to copy the values at these places to the same places of `copies`, in shared memory, for whoever writes them.
  template <int vt, int sure = 0>
  BITUNE_DEVICE void copy_values(Segment /*segment*/, u32 /*first*/, u32 /*stride*/, Value* /*copies*/) const {}

  /// Writes the items that belong to these places, which are in shared memory: item_at(r). All threads of the segment call it. `barrier`:
  /// among them. copies: of the values, if `copied`. is_there: else nothing is written.
  template <int vt, bool copied, int sure = 0, class ItemAt, class Barrier>
  BITUNE_DEVICE void write(Segment segment, u32 first, u32 stride, const ItemAt& item_at, const Value* /*copies*/,
                           const Barrier& /*barrier*/, bool is_there = true) const {
    Raw* to = keys + segment.begin + first;
    const u32 left = is_there ? keys_from(segment, first) : 0;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const Raw key = Codec::decode(item_at(r));  // whether it is written or not: then that takes no branch
      if (r < sure ? is_there : r * stride < left) to[u64{stride} * r] = key;
    }
  }

  // The same by leading bits (leading_bits.cuh):

  /// What a key is compared by.
  BITUNE_DEVICE static Word word_of(Raw key) { return Codec::encode(key); }

  /// Starts to copy the keys at these places to the same places of `copies`, in shared memory.
  BITUNE_DEVICE void stage(const LanePlaces& places, Raw* copies, Value* /*copied_values*/) const {
    const Raw* const from = kept_address(input + places.segment.begin);
    places.each([&](u32 place) { copy_to_shared(copies + place, from + place); });
  }

  /// Writes to these places the keys that are at place_at(place) of the copies.
  template <class PlaceAt>
  BITUNE_DEVICE void write_by_place(const LanePlaces& places, const PlaceAt& place_at, const Raw* copies, const Value* /*copied_values*/) const {
    Raw* const to = kept_address(keys + places.segment.begin);
    places.each_fetched([&](u32 place) { return copies[place_at(place)]; }, [&](u32 place, Raw key) { to[place] = key; });
  }

  static constexpr layout::CopiedParts copied_parts(int copied_keys) { return layout::copied_parts(copied_keys, sizeof(Raw), 0, 0); }

  /// Of copies of the keys from `begin` on: reads and writes them in shared memory, which has copied_parts. There `begin` is place 0.
  BITUNE_DEVICE SegmentKeys of_copies(u64 begin, u8* shared, layout::CopiedParts /*parts*/) const {
    Raw* const copies = CopiedRange<Raw>::place(input + begin, shared);
    return {copies, copies};
  }

  /// Starts to copy `count` keys to where of_copies finds them. Before they are read: cp_async_wait_all, and a barrier.
  template <int nt>
  BITUNE_DEVICE void copy(u64 begin, u32 count, const SegmentKeys& copies) const {
    CopiedRange<Raw>::template read<nt>(input + begin, count, copies.keys);
  }

  /// Writes them where they belong.
  template <int nt>
  BITUNE_DEVICE void write_copies(u64 begin, u32 count, const SegmentKeys& copies) const {
    CopiedRange<Raw>::template write<nt>(keys + begin, count, copies.keys);
  }

  /// A segment of one key.
  BITUNE_DEVICE void write_one(u64 place) const {
    if (keys != input) keys[place] = input[place];
  }
};

}  // namespace bitune
