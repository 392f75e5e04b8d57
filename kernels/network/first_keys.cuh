#pragma once

// What the kernels share that give the first k keys of each row.
//
// A row may say that it has fewer keys than the others. What it lacks is filled with the largest key, and is told from its keys by its
// place, which is behind the row's end. So it comes behind all keys of the row.

#include "kernels/network/placed_word.cuh"

namespace bitune {

/// How many keys of a row count: `length`, or what `lengths` says, whose elements have `length_bytes` bytes. Whatever it says, it is at
/// most `length`.
template <class Length>
BITUNE_DEVICE Length counted_keys(const u8* lengths, u64 length_bytes, u64 row, Length length) {
  if (lengths == nullptr) return length;
  const u64 given = length_bytes == 4 ? reinterpret_cast<const u32*>(lengths)[row] : reinterpret_cast<const u64*>(lengths)[row];
  return static_cast<Length>(minimum<u64>(given, length));
}

/// By which words keys are compared. Where something travels with them (`carries`), all NaNs are one key, whose bits are read again by
/// place. Words have no bits above the key's.
template <class Codec_, bool carries>
struct FirstKeysCodec {
  using Raw = typename Codec_::Raw;
  using Word = typename Codec_::Word;
  static constexpr Word last = Codec_::mask;  ///< what fills a row
  static constexpr bool reads_nans = carries && NanWord<Codec_>::exists;

  BITUNE_DEVICE static Word encode(Raw raw) {
    if constexpr (carries) return TieCodec<Codec_>::encode(raw) & Codec_::mask;
    return Codec_::encode(raw);
  }

  /// The key of a word, which stood at `place` of a row of which so many keys count.
  template <class Place>
  BITUNE_DEVICE static Raw decode(Word word, const Raw* row, Place place, Place counted) {
    if constexpr (reads_nans) {
      if (NanWord<Codec_>::is(word) && place < counted) return row[place];
    }
    return Codec_::decode(word);
  }
};

/// What an index is where a row has too few keys.
template <class Index>
BITUNE_DEVICE constexpr Index no_index() {
  return static_cast<Index>(~Index{0});
}

}  // namespace bitune
