#pragma once

// Networks of comparators of three. On words of 32 bits the smallest and the largest of three take an instruction each, and the one between
// is their sum less these two. So three words are sorted by three instructions of the ALU, where three comparators of two take six. Nine
// words take nine of them, and a bitonic sequence of 3^k words takes k steps.
//
// Bitonic: ascending and then descending, or a rotation of that. Of three parts of such a sequence, item by item, the smallest are a bitonic
// sequence again, and so are the others. K. Nakatani et al., "K-way bitonic sort", IEEE Transactions on Computers 38 (1989).

#include "kernels/network/comparator.cuh"
#include "kernels/platform/platform.cuh"
#include "kernels/platform/three_words.cuh"

namespace bitune {

/// Whether these networks take fewer instructions than those of comparators of two.
template <class Item>
constexpr bool sorts_by_threes = false;
template <>
constexpr bool sorts_by_threes<u32> = true;

BITUNE_DEVICE void sort_three(u32& a, u32& b, u32& c) {
  const u32 low = minimum(minimum(a, b), c);
  const u32 high = maximum(maximum(a, b), c);
  b = middle_of_three(a, b, c, low, high);
  a = low;
  c = high;
}

/// `count` of a thread's items, of which number i is at first + i * step. step: 1, or -1 for the reverse order.
template <int first_, int step_, int count_>
struct ItemRange {
  static constexpr int first = first_;
  static constexpr int step = step_;
  static constexpr int count = count_;
  BITUNE_DEVICE static constexpr int at(int i) { return first + i * step; }
  template <int begin, int length>
  using Part = ItemRange<first + begin * step, step, length>;
  template <int begin, int length>
  using ReversedPart = ItemRange<first + (begin + length - 1) * step, -step, length>;
};

/// Sorts each `length` neighbours of the range, which are bitonic. length: 2^i * 3^j.
template <class Range, int length, int vt>
BITUNE_DEVICE void sort_bitonic_by_threes(u32 (&items)[vt]) {
  if constexpr (length > 1) {
    constexpr int parts = length % 2 == 0 ? 2 : 3;
    constexpr int part = length / parts;
    BITUNE_UNROLL
    for (int i = 0; i < Range::count / parts; ++i) {
      const int first = i / part * length + i % part;
      if constexpr (parts == 2) {
        Comparator<0>::apply(items[Range::at(first)], items[Range::at(first + part)], i);
      } else {
        sort_three(items[Range::at(first)], items[Range::at(first + part)], items[Range::at(first + 2 * part)]);
      }
    }
    sort_bitonic_by_threes<Range, part>(items);
  }
}

/// Sorts the range's items.
template <class Range, int vt>
BITUNE_DEVICE void sort_by_threes(u32 (&items)[vt]) {
  const auto three = [&](int a, int b, int c) { sort_three(items[Range::at(a)], items[Range::at(b)], items[Range::at(c)]); };
  const auto two = [&](int a, int b) { Comparator<0>::apply(items[Range::at(a)], items[Range::at(b)], 0); };
  if constexpr (Range::count == 2) {
    two(0, 1);
  } else if constexpr (Range::count == 3) {
    three(0, 1, 2);
  } else if constexpr (Range::count == 4) {
    two(0, 1);
    two(2, 3);
    two(0, 2);
    two(1, 3);
    two(1, 2);
  } else if constexpr (Range::count == 9) {
    // The rows and the columns of a square. Then these three, as a search of all that is left showed.
    BITUNE_UNROLL
    for (int i = 0; i < 3; ++i) three(3 * i, 3 * i + 1, 3 * i + 2);
    BITUNE_UNROLL
    for (int i = 0; i < 3; ++i) three(i, i + 3, i + 6);
    three(2, 4, 6);
    three(1, 2, 3);
    three(5, 6, 7);
  } else if constexpr (Range::count > 1) {
    constexpr int half = Range::count > 18 ? 18 : Range::count > 9 ? 9 : 3;
    sort_by_threes<typename Range::template Part<0, half>>(items);
    sort_by_threes<typename Range::template ReversedPart<half, Range::count - half>>(items);
    sort_bitonic_by_threes<Range, Range::count>(items);
  }
}

}  // namespace bitune
