#pragma once

// The passes of the variant `multiway_by_place`: those of multiway_sort.cuh over words of 64 bits. A word holds a key and, below it, the
// key's place in its row (placed_word.cuh). So no two words are equal, and the sort is stable. The first pass makes words of keys. The last
// one writes keys and indices, and fetches values by place.
//
// values_in_word: a value of at most 4 bytes takes the place's bits. Then nothing is fetched, and equal keys are in the order of their
// values: the sort is not stable, but gives one result all the same.

#include "kernels/multiway/bucket_gather.cuh"
#include "kernels/multiway/launch_order.cuh"
#include "kernels/network/carried_value.cuh"
#include "kernels/network/placed_word.cuh"
#include "kernels/network/register_tile.cuh"

namespace bitune {

/// What gather_bucket asks of a codec: words as they lie in the workspace. They are split as integers, which order as the items do.
template <class Codec, PlacedForm form>
struct WorkspaceWords {
  using Raw = u64;
  using Word = u64;
  static constexpr int bytes = sizeof(Word);
  static constexpr Word padding = form == PlacedForm::as_double ? ~u64{0} >> 2 : ~u64{0};  ///< behind all words of keys
};

/// Their numbers are those of their keys.
template <class Codec, PlacedForm form>
struct KeyNumbers<WorkspaceWords<Codec, form>> {
  using OfKeys = KeyNumbers<Codec>;
  using Form = Placed<typename Codec::Word, form>;
  static constexpr bool exist = OfKeys::exist && sizeof(typename Codec::Raw) == 4;

  BITUNE_DEVICE static float of(u64 word) { return OfKeys::of(Form::key(typename Form::Item(word))); }
  BITUNE_DEVICE static u64 at(float number) { return u64(Form::make(OfKeys::at(number), 0)); }
};

/// Copies what the last pass reads again by place, and may have overwritten by then: a block's share of its row, `count` values.
template <int nt, int vt, class Value>
BITUNE_DEVICE void keep_values(Value* to, const Value* from, u32 count) {
  constexpr int at_once = smaller_of(vt, 64 / static_cast<int>(sizeof(Value)));
  BITUNE_UNROLL_N(1)
  for (int first = 0; first < vt; first += at_once) {
    Value values[at_once];
    BITUNE_UNROLL
    for (int r = 0; r < at_once; ++r) {
      const u32 i = thread_index() + (first + r) * nt;
      if (i < count) values[r] = from[i];
    }
    BITUNE_UNROLL
    for (int r = 0; r < at_once; ++r) {
      const u32 i = thread_index() + (first + r) * nt;
      if (i < count) to[i] = values[r];
    }
  }
}

/// Pass 0 sorts runs of nt * vt keys to `words`, which has room for as many for each run. Pass 1 sorts the buckets, of as many, from
/// `words` to what is asked for: keys_out if writes_keys; indices_out, of index_bytes each; values_out, of value_bytes each. Each array has
/// a stride of its own from row to row. Of what has no bytes the pointers are not looked at. An output may be its own input: then pass 0
/// keeps the values in kept_values, and where keys are floating-point and are written, the bits of each NaN in kept_nans. Both have
/// `length` elements for each row. `splits`: multiway_split's, if pivots is 0.
///
/// Grid: a block for every run or bucket, blocks_per_row a row. Dynamic shared memory: gather_bucket's.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, bool writes_keys, bool values_in_word, int nt, int vt,
          int shuffle_steps, int imad_quarters, int min_blocks, bool late, int lanes, int pivots, int window>
BITUNE_KERNEL(nt, min_blocks)
place_multiway_sort(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
                    typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
                    const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
                    typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, u64* words,
                    typename CarriedValue<value_bytes>::Type* kept_values, typename Codec::Raw* kept_nans, const u32* splits, u32 length,
                    u32 pass, u32 blocks_per_row) {
  using Raw = typename Codec::Raw;
  using Value = typename CarriedValue<value_bytes>::Type;
  using Form = Placed<typename Codec::Word, form>;
  using Item = typename Form::Item;
  using Words = WorkspaceWords<Codec, form>;
  using Compare = PlacedComparator<imad_quarters>;
  using Tile = RegisterTile<Item, Compare, nt, vt, shuffle_steps>;
  using Pieces = RegisterTile<u64, Compare, nt, vt, shuffle_steps>;
  constexpr bool has_nans = writes_keys && !values_in_word && NanWord<Codec>::exists;
  constexpr bool fetches_values = value_bytes != 0 && !values_in_word;
  const RowOfBlock at(blocks_per_row);
  const u32 begin = at.block * Tile::nv;
  const u32 count = minimum(length - begin, Tile::nv);  // of a bucket, and of what a block keeps
  const u64 packed = at.row * length;
  const Runs<u64> runs(words, at.row, length, Tile::nv, blocks_per_row);
  const Raw* const keys = keys_in + at.row * keys_in_stride;
  const Value* const values = values_in + at.row * values_in_stride;
  LaunchOrder<late>::begin();

  u64 raw_words[vt];
  if (pass == 0) {
    const u32 size = runs.deal.size(at.block);
    Raw raw[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = thread_index() + r * nt;
      raw[r] = i < size ? keys[runs.deal.place(at.block, i)] : Raw{};
    }
    if constexpr (fetches_values) {
      if (values_in == values_out) keep_values<nt, vt>(kept_values + packed + begin, values + begin, count);
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = thread_index() + r * nt;
      raw_words[r] = Words::padding;
      if (i >= size) continue;
      const u32 place = runs.deal.place(at.block, i);
      if constexpr (values_in_word) {
        raw_words[r] = u64(Form::make(Codec::encode(raw[r]) & Codec::mask, static_cast<u32>(values[place])));
      } else {
        raw_words[r] = u64(Form::make(TieCodec<Codec>::encode(raw[r]) & Codec::mask, place));
      }
    }
    if constexpr (has_nans) {
      if (keys_in == keys_out) {
        BITUNE_UNROLL
        for (int r = 0; r < vt; ++r) {
          const u32 i = thread_index() + r * nt;
          if (i < size && NanWord<Codec>::is(TieCodec<Codec>::encode(raw[r]) & Codec::mask)) {
            kept_nans[packed + runs.deal.place(at.block, i)] = raw[r];
          }
        }
      }
    }
  } else {
    gather_bucket<Words, NoPayload, Pieces, nt, vt, lanes, pivots, window>(runs, splits, at.row, at.block, 0, count, raw_words);
  }
  Item items[vt];
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) items[r] = Item(raw_words[r]);
  Item* const shared = shared_memory<Item>();
  Tile::sort(shared, items);
  Tile::template to_striped<1>(shared, items);
  LaunchOrder<late>::before_stores();
  if (pass == 0) {
    u64* const run = words + (at.row * runs.count + at.block) * Tile::nv;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) run[thread_index() + r * nt] = u64(items[r]);
    return;
  }

  const Raw* nans = nullptr;
  if constexpr (has_nans) nans = keys_in == keys_out ? kept_nans + packed : keys;
  const Value* fetched = nullptr;
  if constexpr (fetches_values) fetched = values_in == values_out ? kept_values + packed : values;
  // As many values as 32 registers hold are under way at once, while keys and indices are written.
  constexpr int at_once = value_bytes == 0 ? vt : smaller_of(vt, 128 / (value_bytes < 4 ? 4 : value_bytes));
  BITUNE_UNROLL
  for (int first = 0; first < vt; first += at_once) {
    Value group[at_once];
    BITUNE_UNROLL
    for (int j = 0; j < at_once; ++j) {
      const u32 i = thread_index() + (first + j) * nt;
      const u32 place = Form::place(items[first + j]);
      if constexpr (fetches_values) {
        if (i < count) group[j] = fetched[place];
      } else if constexpr (values_in_word) {
        group[j] = static_cast<Value>(place);
      }
    }
    bool has_nan = false;
    BITUNE_UNROLL
    for (int j = 0; j < at_once; ++j) {
      const u32 i = thread_index() + (first + j) * nt;
      if (i >= count) continue;
      const u32 place = Form::place(items[first + j]);
      if constexpr (writes_keys) {
        const auto word = Form::key(items[first + j]);
        if constexpr (has_nans) has_nan = has_nan || NanWord<Codec>::is(word);
        keys_out[at.row * keys_out_stride + begin + i] = Codec::decode(word);
      }
      if constexpr (index_bytes != 0) indices_out[at.row * indices_out_stride + begin + i] = place;
    }
    // NaNs get their bits once all keys are written: a key that might wait for its bits would hold up the next one.
    if (has_nan) {
      BITUNE_UNROLL
      for (int j = 0; j < at_once; ++j) {
        const u32 i = thread_index() + (first + j) * nt;
        const Item item = items[first + j];
        if (i < count && NanWord<Codec>::is(Form::key(item))) keys_out[at.row * keys_out_stride + begin + i] = nans[Form::place(item)];
      }
    }
    if constexpr (value_bytes != 0) {
      BITUNE_UNROLL
      for (int j = 0; j < at_once; ++j) {
        const u32 i = thread_index() + (first + j) * nt;
        if (i < count) values_out[at.row * values_out_stride + begin + i] = group[j];
      }
    }
  }
}

}  // namespace bitune
