#pragma once

// Keys of at most 16 bits, two a register. A sorting network does the same with any keys. So the two halves of a register hold keys of two
// rows, which never meet. Each comparator works on both at once, by packed minimum and maximum. Each exchange between threads moves both.

#include "kernels/network/codec.cuh"
#include "kernels/network/comparator.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// Two words of 16 bits, of two rows.
struct PairWord {
  u32 bits;

  PairWord() = default;
  BITUNE_DEVICE explicit PairWord(u32 both) : bits(both) {}
  BITUNE_DEVICE PairWord(u32 first, u32 second) : bits((first & 0xffffu) | second << 16) {}
  BITUNE_DEVICE explicit operator u32() const { return bits; }

  BITUNE_DEVICE u32 first() const { return bits & 0xffffu; }
  BITUNE_DEVICE u32 second() const { return bits >> 16; }
};

/// What RowTile asks of a codec to move pairs between registers and lanes.
template <class Codec>
struct PairCodec {
  using Raw = typename Codec::Raw;
  using Word = PairWord;
};

/// As Comparator, for both halves at once.
template <int imad_quarters>
struct PairComparator {
  BITUNE_DEVICE static void apply(PairWord& a, PairWord& b, int index) {
    const u32 low = minimum_u16x2(a.bits, b.bits);
    b.bits = Comparator<imad_quarters>::by_imad(index) ? maximum_by_imad(a.bits, b.bits, low) : maximum_u16x2(a.bits, b.bits);
    a.bits = low;
  }
};

/// The smaller or the larger words of two pairs, half by half. RegisterTile finds it by its arguments.
BITUNE_DEVICE PairWord select_by(bool smaller, PairWord a, PairWord b) {
  u32 chosen = minimum_u16x2(a.bits, b.bits);
  make_maximum_if(!smaller, chosen, a.bits, b.bits);
  return PairWord(chosen);
}

}  // namespace bitune
