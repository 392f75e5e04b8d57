#pragma once

// What is read and written of a segment whose keys have values or indices: as SegmentKeys, but each key with its place in the segment
// (placed_word.cuh). Values are fetched by place from the input, or from copies in shared memory; the bits of NaNs from the input. All
// that is read of the input is read before anything is written.

#include "kernels/network/carried_value.cuh"
#include "kernels/network/placed_word.cuh"
#include "kernels/segments/copied_range.cuh"
#include "kernels/segments/segments.cuh"
#include "kernels/segments/staged_places.cuh"

namespace bitune {

/// Writes keys if writes_keys; indices, the place of each key in its segment, of index_bytes each; and values, of value_bytes each: the
/// value that each key had at given_values. Of what has no bytes the pointers are not looked at. An output may be its own input.
template <class Codec, PlacedForm form, int value_bytes_, int index_bytes, bool writes_keys, int imad_quarters>
struct SegmentPairs {
  static constexpr int value_bytes = value_bytes_;
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  using Value = typename CarriedValue<value_bytes>::Type;
  using Index = typename CarriedValue<index_bytes>::Type;
  using Form = Placed<Word, form>;
  using Item = typename Form::Item;
  using Compare = PlacedComparator<imad_quarters>;
  static constexpr bool has_nans = writes_keys && NanWord<Codec>::exists;

  Raw* keys;
  const Raw* input;
  Value* values;
  const Value* given_values;
  Index* indices;

  template <int vt, int sure = 0>
  BITUNE_DEVICE void read(Segment segment, u32 first, u32 stride, Item (&items)[vt]) const {
    const Raw* const from = input + segment.begin + first;
    const u32 left = keys_from(segment, first);
    Raw raw[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (r >= sure) raw[r] = Codec::decode(Codec::padding);
      if (r < sure || r * stride < left) raw[r] = from[u64{stride} * r];
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r] = Form::make(TieCodec<Codec>::encode(raw[r]), first + r * stride);
  }

  template <int vt, int sure = 0>
  BITUNE_DEVICE void copy_values(Segment segment, u32 first, u32 stride, Value* copies) const {
    if constexpr (value_bytes != 0) {
      const Value* const from = given_values + segment.begin + first;
      Value* const to = copies + first;
      const u32 left = keys_from(segment, first);
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        if (r < sure || r * stride < left) copy_to_shared(to + r * stride, from + u64{stride} * r);
      }
    }
  }

  template <int vt, bool copied, int sure = 0, class ItemAt, class Barrier>
  BITUNE_DEVICE void write(Segment segment, u32 first, u32 stride, const ItemAt& item_at, const Value* copies, const Barrier& barrier,
                           bool is_segment_there = true) const {
    const u32 left = is_segment_there ? keys_from(segment, first) : 0;
    const auto is_there = [&](int r) { return r < sure ? is_segment_there : r * stride < left; };
    Value fetched[vt];
    if constexpr (value_bytes != 0 && !copied) {
      const Value* const from = given_values + segment.begin;
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        const u32 place = Form::place(item_at(r));  // whether it is there or not: then that takes no branch
        if (is_there(r)) fetched[r] = from[place];
      }
    }
    if constexpr (has_nans) {
      const Raw* const from = input + segment.begin;
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        if (!is_there(r) || !NanWord<Codec>::is(Form::key(item_at(r)))) continue;
        const u32 place = Form::place(item_at(r));
        item_at(r) = Form::make(Codec::encode(from[place]), place);
      }
    }
    if constexpr (value_bytes != 0 && copied) cp_async_wait_all();
    // All of a segment's values, and its NaNs, are read before any are written.
    if constexpr (value_bytes != 0 || has_nans) barrier();
    const u64 begin = segment.begin + first;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const Item item = item_at(r);
      const Raw key = Codec::decode(Form::key(item));
      const u64 place = begin + u64{stride} * r;
      if (!is_there(r)) continue;
      if constexpr (writes_keys) keys[place] = key;
      if constexpr (index_bytes != 0) indices[place] = Index{Form::place(item)};
      if constexpr (value_bytes != 0) values[place] = copied ? copies[Form::place(item)] : fetched[r];
    }
  }

  // The same by leading bits, as SegmentKeys has them.

  BITUNE_DEVICE static Word word_of(Raw key) { return TieCodec<Codec>::encode(key); }

  BITUNE_DEVICE void stage(const LanePlaces& places, Raw* copies, Value* copied_values) const {
    const Raw* const from = kept_address(input + places.segment.begin);
    const Value* const values_from = kept_address(given_values + places.segment.begin);
    places.each([&](u32 place) {
      copy_to_shared(copies + place, from + place);
      if constexpr (value_bytes != 0) copy_to_shared(copied_values + place, values_from + place);
    });
  }

  template <class PlaceAt>
  BITUNE_DEVICE void write_by_place(const LanePlaces& places, const PlaceAt& place_at, const Raw* copies, const Value* copied_values) const {
    struct Fetched {
      u32 from;
      Raw key;
      Value value;
    };
    Raw* const keys_to = kept_address(keys + places.segment.begin);
    Value* const values_to = kept_address(values + places.segment.begin);
    Index* const indices_to = kept_address(indices + places.segment.begin);
    const auto fetch = [&](u32 place) {
      Fetched fetched;
      fetched.from = place_at(place);
      if constexpr (writes_keys) fetched.key = copies[fetched.from];
      if constexpr (value_bytes != 0) fetched.value = copied_values[fetched.from];
      return fetched;
    };
    places.each_fetched(fetch, [&](u32 place, const Fetched& fetched) {
      if constexpr (writes_keys) keys_to[place] = fetched.key;
      if constexpr (index_bytes != 0) indices_to[place] = Index{fetched.from};
      if constexpr (value_bytes != 0) values_to[place] = fetched.value;
    });
  }

  static constexpr layout::CopiedParts copied_parts(int copied_keys) {
    return layout::copied_parts(copied_keys, sizeof(Raw), value_bytes, index_bytes);
  }

  BITUNE_DEVICE SegmentPairs of_copies(u64 begin, u8* shared, layout::CopiedParts parts) const {
    Raw* const of_keys = CopiedRange<Raw>::place(input + begin, shared);
    Value* of_values = nullptr;
    Index* of_indices = nullptr;
    if constexpr (value_bytes != 0) of_values = CopiedRange<Value>::place(given_values + begin, shared + parts.values);
    if constexpr (index_bytes != 0) of_indices = CopiedRange<Index>::place(indices + begin, shared + parts.indices);
    return {of_keys, of_keys, of_values, of_values, of_indices};
  }

  template <int nt>
  BITUNE_DEVICE void copy(u64 begin, u32 count, const SegmentPairs& copies) const {
    CopiedRange<Raw>::template read<nt>(input + begin, count, copies.keys);
    if constexpr (value_bytes != 0) CopiedRange<Value>::template read<nt>(given_values + begin, count, copies.values);
  }

  template <int nt>
  BITUNE_DEVICE void write_copies(u64 begin, u32 count, const SegmentPairs& copies) const {
    if constexpr (writes_keys) CopiedRange<Raw>::template write<nt>(keys + begin, count, copies.keys);
    if constexpr (value_bytes != 0) CopiedRange<Value>::template write<nt>(values + begin, count, copies.values);
    if constexpr (index_bytes != 0) CopiedRange<Index>::template write<nt>(indices + begin, count, copies.indices);
  }

  BITUNE_DEVICE void write_one(u64 place) const {
    if constexpr (writes_keys) {
      if (keys != input) keys[place] = input[place];
    }
    if constexpr (value_bytes != 0) {
      if (values != given_values) values[place] = given_values[place];
    }
    if constexpr (index_bytes != 0) indices[place] = Index{0};
  }
};

}  // namespace bitune
