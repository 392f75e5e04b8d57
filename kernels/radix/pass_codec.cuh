#pragma once

// How keys lie in memory between the passes of a radix sort: as encoded words. Only the first pass encodes them, and only the last one decodes.
// Where no pass writes keys for the caller, the words need not lead back to them. Then the first pass makes all NaNs one word.

#include "kernels/network/tie_codec.cuh"

namespace bitune {

enum class KeyForm {
  key,                 ///< as the caller has them
  word,                ///< encoded
  word_of_equal_nans,  ///< encoded, and all NaNs have the same word
};

/// The codec of a pass that reads keys of one form and writes them in another one. nans_share_digit: whether all NaNs have the same digit in this
/// pass, whatever their bits are.
template <class Codec_, KeyForm from, KeyForm to, bool nans_share_digit>
struct PassCodec : Codec_ {
  using Raw = typename Codec_::Raw;
  using Word = typename Codec_::Word;

  BITUNE_DEVICE static Word encode(Raw raw) {
    if constexpr (from != KeyForm::key) return raw;
    if constexpr (to == KeyForm::word_of_equal_nans) return TieCodec<Codec_>::encode(raw) & Codec_::mask;
    return Codec_::encode(raw);
  }

  BITUNE_DEVICE static Raw decode(Word word) {
    if constexpr (to != KeyForm::key) return static_cast<Raw>(word);
    return Codec_::decode(word);
  }
};

/// NaNs are made alike only where digits of their words differ.
template <class Codec, KeyForm from, KeyForm to, bool nans_share_digit>
struct TieCodec<PassCodec<Codec, from, to, nans_share_digit>> : PassCodec<Codec, from, to, nans_share_digit> {
  using Base = PassCodec<Codec, from, to, nans_share_digit>;
  using Raw = typename Base::Raw;
  using Word = typename Base::Word;

  BITUNE_DEVICE static Word ordered(Word word) {
    if constexpr (nans_share_digit || to == KeyForm::word_of_equal_nans) return word;
    return TieCodec<Codec>::ordered(word);
  }

  BITUNE_DEVICE static Word encode(Raw raw) { return ordered(Base::encode(raw)); }
};

}  // namespace bitune
