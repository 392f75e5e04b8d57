#pragma once

// Keys of more than 16 bits that something travels with, and keys of 64 bits: a network for words of 32 bits sorts these, too. A word has as
// many leading bits of a key as there is room for, and below them the key's place in its segment. Keys are told by how far they are from the
// segment's least one. So keys that lie close together have no more bits than a word has room for, and the order of words is theirs.
//
// Where they have more, keys that agree in the leading bits may be in the wrong order. Such neighbours are rare among keys that are spread
// evenly, and easy to see. Most of them are put in order by exchanging neighbours once. Else the segments are sorted once more by the same
// network, digit by digit from the lowest on: a word has a digit of the key, its position in the order before, and its place. That is exact
// and stable whatever the keys are.

#include "kernels/segments/segments.cuh"

namespace bitune {

/// A segment in neighbouring lanes of a warp. Its items are in shared memory, where all lanes of the segment see them.
template <class Word>
struct LeadingBits {
  /// Behind all items of keys, whose highest bit is 0.
  static constexpr u32 padding = ~u32{0};
  static constexpr u32 not_of_keys = u32{1} << 31;

  u32 length;  ///< of the segment
  u32 lanes;
  u32 own;         ///< the lane's number in the segment
  u32 lane_items;  ///< of each lane, at most
  u32 place_bits;  ///< enough for all places of the lanes
  // Numbers that the compiler does not know to be powers of two: it would shift, which the ALU does, and could multiply and add at once.
  u32 first_of_key;  ///< the lowest bit of the key's
  u32 stride;        ///< lanes

  BITUNE_DEVICE LeadingBits(u32 length_, u32 lanes_, u32 own_, u32 lane_items_)
      : length(length_),
        lanes(lanes_),
        own(own_),
        lane_items(lane_items_),
        place_bits(64 - leading_zeros(lanes * lane_items - 1)),
        first_of_key(kept(u32{1} << place_bits)),
        stride(kept(lanes)) {}

  BITUNE_DEVICE u32 place_of(u32 item) const { return item & (first_of_key - 1); }

  /// Makes the items of the places own + r * lanes, the first `sure` of which no lane lacks. Whether leading bits are all bits that differ
  /// between keys. All lanes of the warp call it.
  template <int sure, bool several_lanes, int vt, class WordAt>
  BITUNE_DEVICE bool make(const WordAt& word_at, u32 (&items)[vt]) const {
    Word words[vt];  // where a place is not there, another one of the segment
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) words[r] = word_at(r < sure ? own + r * stride : minimum(own + r * stride, length - 1));
    Word least = words[0];
    Word most = words[0];
    BITUNE_UNROLL
    for (int r = 1; r < vt; ++r) {
      least = minimum(least, words[r]);
      most = maximum(most, words[r]);
    }
    if constexpr (several_lanes) {
      BITUNE_UNROLL_N(1)
      for (u32 width = 1; width < lanes; width *= 2) {
        least = minimum(least, shuffle_xor(least, width));
        most = maximum(most, shuffle_xor(most, width));
      }
    }
    const u32 bits = 64 - leading_zeros(most - least);
    const u32 room = 31 - place_bits;
    const u32 shift = bits > room ? bits - room : 0;
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      items[r] = above(static_cast<u32>((words[r] - least) >> shift), own + r * stride);
      if (r >= sure && own + r * stride >= length) items[r] = padding;
    }
    return shift == 0;
  }

  /// Whether neighbours in the segment agree in their leading bits. items: sorted, those of the positions own * vt + r.
  template <bool several_lanes, int vt>
  BITUNE_DEVICE bool are_alike(const u32 (&items)[vt]) const {
    const auto difference = [](u32 a, u32 b) { return (a ^ b) | (b & not_of_keys); };
    u32 closest = ~u32{0};
    BITUNE_UNROLL
    for (int r = 0; r + 1 < vt; ++r) closest = minimum(closest, difference(items[r], items[r + 1]));
    if constexpr (several_lanes) {
      const u32 next = difference(items[vt - 1], shuffle(items[0], lane() + 1));  // modulo the warp's size
      closest = minimum(closest, own + 1 < lanes ? next : ~u32{0});
    }
    return closest < first_of_key;
  }

  /// Exchanges neighbours that are in the wrong order: those at an even position and behind it, then those at an odd one. Whether all
  /// neighbours of the warp's segments were in order. All lanes of the warp call it.
  template <class WordAt>
  BITUNE_DEVICE bool exchange_neighbours(const WordAt& word_at, u32* items) const {
    bool found = false;
    BITUNE_UNROLL_N(1)
    for (u32 begin = 0; begin < 2; ++begin) {
      BITUNE_UNROLL_N(1)
      for (u32 r = 0; r < lane_items; r += 2) {
        const u32 i = begin + (r / 2 * lanes + own) * 2;
        if (i + 1 >= length) continue;
        const u32 low = items[i];
        const u32 high = items[i + 1];
        if (!(word_at(place_of(high)) < word_at(place_of(low)))) continue;
        found = true;
        items[i] = high;
        items[i + 1] = low;
      }
      sync_warp();  // others may exchange one of the two until then
    }
    return all_of_warp(!found);
  }

  /// How many bits a digit has: beside a place and a position.
  BITUNE_DEVICE u32 digit_bits() const { return 31 - 2 * place_bits; }

  /// Makes items that are sorted by the digit from this bit on.
  template <class WordAt>
  BITUNE_DEVICE void make_digits(u32 first_bit, const WordAt& word_at, u32* items) const {
    BITUNE_UNROLL_N(1)
    for (u32 r = 0; r < lane_items; ++r) {
      const u32 i = own + r * lanes;
      if (i >= length) continue;
      const u32 place = place_of(items[i]);
      const u32 digit = static_cast<u32>(word_at(place) >> first_bit) & ((u32{1} << digit_bits()) - 1);
      items[i] = above(above(digit, i), place);
    }
  }

 private:
  BITUNE_DEVICE u32 above(u32 bits, u32 place) const { return bits * first_of_key + place; }
};

}  // namespace bitune
