#pragma once

// Comparators of keys with their places (placed_word.cuh) that move words. A word of 64 bits lies in two registers. The smaller of two words
// is selected, half by half, on the ALU pipe, which bounds these kernels. The larger one need not be computed: where the comparison's
// predicate holds, a multiply-add by 1 moves it to its place. That is one instruction a half on the multiplier's pipe, where a + b - min takes
// two, and an exclusive or takes the ALU.
//
// A comparison of floating-point numbers reads aligned pairs of registers. If both halves are moved, the compiler copies a pair for every
// second comparator. So only the lower half is moved. For the same reason lanes select what they keep, and do not move it.

#include "kernels/network/placed_word.cuh"

namespace bitune {

/// A DoubleWord whose halves stay a pair of registers.
struct PairedWord : DoubleWord {
  using DoubleWord::DoubleWord;
};

BITUNE_DEVICE PairedWord select_by(bool smaller, PairedWord a, PairedWord b) { return (b < a) == smaller ? b : a; }

/// Placed, with items for MovingComparator.
template <class Word, PlacedForm form>
struct MovingPlaced : Placed<Word, form> {};

template <class Word>
struct MovingPlaced<Word, PlacedForm::as_double> : Placed<Word, PlacedForm::as_double> {
  using Item = PairedWord;
  BITUNE_DEVICE static Item make(u32 key, u32 place) { return Item(Placed<Word, PlacedForm::as_double>::make(key, place).bits); }
};

/// As PlacedComparator. Of every four comparators on more than 32 bits, `imad_quarters` move the larger item.
template <int imad_quarters>
struct MovingComparator : PlacedComparator<imad_quarters> {
  using Base = PlacedComparator<imad_quarters>;
  using Base::apply;
  using Base::by_imad;

  BITUNE_DEVICE static void apply(u64& a, u64& b, int index) {
    if (!by_imad(index)) return Base::apply(a, b, index);
    const bool swapped = b < a;
    const u64 low = swapped ? b : a;
    move_if(swapped, b, a);
    a = low;
  }

  BITUNE_DEVICE static void apply(PairedWord& a, PairedWord& b, int index) {
    const bool swapped = b < a;
    const u64 low = swapped ? b.bits : a.bits;
    const u64 other = a.bits ^ b.bits ^ low;
    if (by_imad(index)) {
      u32 moved = static_cast<u32>(b.bits);
      move_if(swapped, moved, static_cast<u32>(a.bits));
      b.bits = other >> 32 << 32 | moved;
    } else {
      b.bits = other;
    }
    a.bits = low;
  }

  BITUNE_DEVICE static void apply(KeyAndPlace& a, KeyAndPlace& b, int index) {
    if (!by_imad(index)) return Base::apply(a, b, index);
    const bool swapped = b < a;
    const KeyAndPlace low = {swapped ? b.key : a.key, swapped ? b.place : a.place};
    move_if(swapped, b.key, a.key);
    move_if(swapped, b.place, a.place);
    a = low;
  }
};

/// How a kernel compares its items: as PlacedComparator; from 4 quarters on, as MovingComparator with 4 less.
template <class Word, PlacedForm form, int imad_quarters, bool moves_ = (imad_quarters >= 4)>
struct PlacedNetwork {
  static constexpr bool moves = false;
  using Form = Placed<Word, form>;
  using Compare = PlacedComparator<imad_quarters>;
};

template <class Word, PlacedForm form, int imad_quarters>
struct PlacedNetwork<Word, form, imad_quarters, true> {
  static constexpr bool moves = true;
  using Form = MovingPlaced<Word, form>;
  using Compare = MovingComparator<imad_quarters - 4>;
};

}  // namespace bitune
