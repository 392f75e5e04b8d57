#pragma once

// The keys of a row in the registers of its threads, of which the first few are selected.

#include "kernels/network/register_tile.cuh"
#include "kernels/topk/bound_words.cuh"
#include "kernels/topk/row_threads.cuh"

namespace bitune {

/// What the keys of a row are compared by before their places matter. NaNs are apart at first. Where they may be among the first k, they
/// all become one key.
template <class Codec, PlacedForm form>
struct SelectedWord {
  using Word = typename Codec::Word;
  static constexpr Word first_padding = Codec::mask;  ///< what a row lacks is not below it
  static constexpr Word places = 0;                   ///< the bits of a place

  BITUNE_DEVICE static Word make(typename Codec::Raw raw, u32 /*place*/) { return Codec::encode(raw); }
  BITUNE_DEVICE static Word of_equal_nans(Word word) { return TieCodec<Codec>::ordered(word); }
  BITUNE_DEVICE static bool is_nan(Word word) { return NanWord<Codec>::is(of_equal_nans(word)); }
};

/// A key of 16 bits has room for its place.
template <class Codec>
struct SelectedWord<Codec, PlacedForm::word32> {
  using Word = u32;
  using Form = Placed<u32, PlacedForm::word32>;
  static constexpr Word first_padding = Codec::mask << 16;
  static constexpr Word places = 0xffff;

  BITUNE_DEVICE static Word make(typename Codec::Raw raw, u32 place) { return Form::make(Codec::encode(raw), place); }
  BITUNE_DEVICE static Word of_equal_nans(Word word) {
    return Form::make(TieCodec<Codec>::ordered(Form::key(word)) & Codec::mask, Form::place(word));
  }
  BITUNE_DEVICE static bool is_nan(Word word) { return NanWord<Codec>::is(Form::key(of_equal_nans(word))); }
};

/// A row's keys in the registers of nt threads with vt each.
template <class Codec, PlacedForm form, int nt, int vt, int vector>
struct SelectedKeys {
  using Raw = typename Codec::Raw;
  using Words = SelectedWord<Codec, form>;
  using Word = typename Words::Word;
  static constexpr bool has_numbers = NumberLimit<Codec>::exists && sizeof(Raw) == sizeof(u32);
  static_assert(vt % vector == 0 && vt <= 32 && vector * sizeof(Raw) <= 16);

  u32 first;  ///< place of register 0
  u32 inner;  ///< distance of the places of a vector
  Word words[vt];  ///< as they are read, until `encode`, where there are numbers

  /// Place of a register in the row. It grows with the register's number.
  BITUNE_DEVICE u32 place(u32 r) const { return first + r / vector * vector * nt + r % vector * inner; }

  BITUNE_DEVICE void load(const Raw* row, u32 length) {
    // All loads before the first use: one that waits for another takes as long again. What the row lacks is the last key there is.
    Raw raw[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) raw[r] = Codec::decode(Codec::mask);
    const bool vectors = reinterpret_cast<u64>(row) % (vector * sizeof(Raw)) == 0 && length % vector == 0;
    first = RowThreads<nt>::index() * (vectors ? vector : 1);
    inner = vectors ? 1 : nt;
    if (vectors) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; r += vector) {
        if (first + r * nt < length) load_vector(row + first + r * nt, *reinterpret_cast<Raw(*)[vector]>(raw + r));
      }
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        if (first + r * nt < length) raw[r] = row[first + r * nt];
      }
    }
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) words[r] = has_numbers ? static_cast<Word>(raw[r]) : Words::make(raw[r], place(r));
  }

  BITUNE_DEVICE void encode() {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) words[r] = Words::make(static_cast<Raw>(words[r]), place(r));
  }

  /// The word of the first number of each of m groups. NaNs are left out, but where a group has nothing else.
  template <int m>
  BITUNE_DEVICE void minima_of_numbers(Word (&smallest)[m]) const {
    float first_of[m];
    BITUNE_UNROLL
    for (int r = 0; r < m; ++r) first_of[r] = float_of(static_cast<u32>(words[r]));
    BITUNE_UNROLL
    for (int r = m; r < vt; ++r) {
      const float number = float_of(static_cast<u32>(words[r]));
      first_of[r % m] = NumberLimit<Codec>::is_descending ? larger_number(first_of[r % m], number) : smaller_number(first_of[r % m], number);
    }
    BITUNE_UNROLL
    for (int r = 0; r < m; ++r) smallest[r] = Codec::encode(static_cast<Raw>(bits_of(first_of[r])));
  }

  /// The registers whose numbers are not behind the limit.
  BITUNE_DEVICE u32 up_to(const NumberLimit<Codec>& limit) const {
    u32 bits = 0;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) bits |= limit.passes(static_cast<Raw>(words[r])) ? u32{1} << r : 0;
    return bits;
  }

  /// The smallest word of each of m groups.
  template <int m>
  BITUNE_DEVICE void minima(Word (&smallest)[m]) const {
    BITUNE_UNROLL
    for (int r = 0; r < m; ++r) smallest[r] = words[r];
    BITUNE_UNROLL
    for (int r = m; r < vt; ++r) smallest[r % m] = minimum(smallest[r % m], words[r]);
  }

  /// How many registers hold keys before the place `end`: the first ones.
  BITUNE_DEVICE u32 registers_before(u32 end) const {
    if (end <= first) return 0;
    const u32 distance = end - first;
    if (inner != 1) return minimum((distance + nt - 1) / nt, u32{vt});
    return minimum(distance / (vector * nt) * vector + minimum(distance % (vector * nt), u32{vector}), u32{vt});
  }

  /// The registers whose words are below `bound`, or equal it and stand before the place `end`: a bit for each. length: of the row.
  BITUNE_DEVICE u32 not_behind(Word bound, u32 end, u32 length) const {
    u32 bits = 0;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) bits |= words[r] <= bound ? u32{1} << r : 0;
    if (end < length || bound >= Words::first_padding) {
      u32 below = 0;
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) below |= words[r] < bound ? u32{1} << r : 0;
      const u64 one = 1;
      bits &= static_cast<u32>((one << registers_before(end)) - 1) | (below & static_cast<u32>((one << registers_before(length)) - 1));
    }
    return bits;
  }

  /// Makes all NaNs one key if they may be among the first k: if the smallest word is one, or the k-th minimum.
  BITUNE_DEVICE void join_nans(Word& smallest, Word& kth) {
    if (!Words::is_nan(smallest) && !Words::is_nan(kth)) return;
    smallest = Words::of_equal_nans(smallest) & ~Words::places;
    kth = Words::of_equal_nans(kth) | Words::places;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) words[r] = Words::of_equal_nans(words[r]);
  }
};

}  // namespace bitune
