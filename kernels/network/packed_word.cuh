#pragma once

// Packed rows: keys of at most 16 bits, two a register. A sorting network does the same to whatever it is given. So the
// two halves of a register hold keys of two rows, which never meet. Each comparator works on both at once, by packed
// minimum and maximum, and each exchange between threads moves both.

#include "kernels/network/codec.cuh"
#include "kernels/network/comparator.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// Two words of 16 bits, of two rows.
struct PackedWord {
  u32 bits;

  PackedWord() = default;
  BITUNE_DEVICE explicit PackedWord(u32 both) : bits(both) {}
  BITUNE_DEVICE PackedWord(u32 first, u32 second) : bits((first & 0xffffu) | second << 16) {}
  BITUNE_DEVICE explicit operator u32() const { return bits; }

  BITUNE_DEVICE u32 first() const { return bits & 0xffffu; }
  BITUNE_DEVICE u32 second() const { return bits >> 16; }
};

/// What RowTile asks of a codec to move packed words between registers and lanes.
template <class Codec>
struct PackedCodec {
  using Raw = typename Codec::Raw;
  using Word = PackedWord;
};

/// As Comparator, for both halves at once.
template <int imad_quarters>
struct PackedComparator {
  BITUNE_DEVICE static void apply(PackedWord& a, PackedWord& b, int index) {
    const u32 low = minimum_u16x2(a.bits, b.bits);
    b.bits = Comparator<imad_quarters>::by_imad(index) ? maximum_by_imad(a.bits, b.bits, low) : maximum_u16x2(a.bits, b.bits);
    a.bits = low;
  }
};

/// The smaller or the larger of two packed words, half by half. RegisterTile finds it by its arguments.
BITUNE_DEVICE PackedWord select_by(bool smaller, PackedWord a, PackedWord b) {
  u32 chosen = minimum_u16x2(a.bits, b.bits);
  make_maximum_if(!smaller, chosen, a.bits, b.bits);
  return PackedWord(chosen);
}

}  // namespace bitune
