#pragma once

// Keys of more than 16 bits that something travels with, and keys of 64 bits: a network for words of 32 bits sorts these, too. A word has as
// many leading bits of a key as there is room for, and below them the key's place in its segment. Keys are told by how far they are from the
// segment's least one. So keys that lie close together have no more bits than a word has room for, and the order of words is theirs.
//
// Where they have more, keys that agree in the leading bits may be in the wrong order. Such neighbours are rare among keys that are spread
// evenly, and easy to see. Then the same network sorts once more: a word has the position where those begin that its key agrees with, the
// next bits of the key, and its place. It does so until no neighbours are in the wrong order. That is exact and stable whatever the keys are.

#include "kernels/segments/segments.cuh"

namespace bitune {

/// What a word has of a segment's keys: the bits of their distance from `least`, from this one on.
template <class Word>
struct LeadingScale {
  Word least;
  u32 first_bit;

  BITUNE_DEVICE u32 of(Word word) const { return static_cast<u32>((word - least) >> first_bit); }
};

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

  /// What items have of keys that are so far apart. least, most: of the lane's keys. All lanes of the warp call it.
  template <bool several_lanes>
  BITUNE_DEVICE LeadingScale<Word> scale(Word least, Word most) const {
    if constexpr (several_lanes) {
      BITUNE_UNROLL_N(1)
      for (u32 width = 1; width < lanes; width *= 2) {
        least = minimum(least, shuffle_xor(least, width));
        most = maximum(most, shuffle_xor(most, width));
      }
    }
    const u32 bits = 64 - leading_zeros(most - least);
    return {least, maximum(bits, room()) - room()};
  }

  /// The same, if it is not known any more.
  template <class WordAt>
  BITUNE_DEVICE LeadingScale<Word> scale_again(const WordAt& word_at) const {
    Word least = word_at(0);
    Word most = least;
    BITUNE_UNROLL_N(1)
    for (u32 r = 0; r < lane_items; ++r) {
      const Word word = word_at(minimum(own + r * lanes, length - 1));
      least = minimum(least, word);
      most = maximum(most, word);
    }
    return scale<true>(least, most);
  }

  /// Makes the items of the places own + r * lanes, the first `sure` of which no lane lacks. Whether they have all bits that differ between
  /// keys. All lanes of the warp call it.
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
    const LeadingScale<Word> of_segment = scale<several_lanes>(least, most);
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      items[r] = above(of_segment.of(words[r]), own + r * stride);
      if (r >= sure && own + r * stride >= length) items[r] = padding;
    }
    return of_segment.first_bit == 0;
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

  /// Whether neighbours in the warp's segments that agree in what items have of their keys are in order. All lanes of the warp call it.
  template <class WordAt>
  BITUNE_DEVICE bool are_in_order(const WordAt& word_at, const u32* items) const {
    bool found = false;
    BITUNE_UNROLL_N(1)
    for (u32 r = 0; r < lane_items; ++r) {
      const u32 i = own + r * lanes + 1;
      if (i >= length || are_apart(items[i - 1], items[i])) continue;
      if (word_at(place_of(items[i])) < word_at(place_of(items[i - 1]))) found = true;
    }
    return all_of_warp(!found);
  }

  /// How many bits of a key a word lacks at most.
  BITUNE_DEVICE u32 most_left() const { return 8 * sizeof(Word) - room(); }

  /// How many of these a word has room for, beside a position and a place.
  BITUNE_DEVICE u32 next_bits() const { return 31 - 2 * place_bits; }

  /// Makes items that tell those apart that agree: by the bits of their keys that follow, of which `known` are known. All lanes of the warp
  /// call it.
  template <class WordAt>
  BITUNE_DEVICE void refine(const WordAt& word_at, u32* items, u32 known) const {
    const u32 first = own * lane_items;
    // Where those begin that agree with the item before the lane's first one.
    u32 begin = 0;
    BITUNE_UNROLL_N(1)
    for (u32 r = 0; r < lane_items; ++r) {
      const u32 i = first + r;
      if (i != 0 && i < length && are_apart(items[i - 1], items[i])) begin = i;
    }
    u32 before = items[maximum(first, 1u) - 1];
    BITUNE_UNROLL_N(1)
    for (u32 width = 1; width < lanes; width *= 2) {
      const u32 of_lower = shuffle(begin, lane() - width);
      if (own >= width) begin = maximum(begin, of_lower);
    }
    begin = shuffle(begin, lane() - 1);
    if (own == 0) begin = 0;

    LeadingScale<Word> scale = scale_again(word_at);
    const u32 left = maximum(scale.first_bit, known) - known;
    const u32 bits = minimum(next_bits(), left);
    scale.first_bit = left - bits;
    sync_warp();  // a shuffle comes before the next write
    BITUNE_UNROLL_N(1)
    for (u32 r = 0; r < lane_items; ++r) {
      const u32 i = first + r;
      if (i >= length) continue;
      const u32 item = items[i];
      if (i != 0 && are_apart(before, item)) begin = i;
      before = item;
      const u32 next = scale.of(word_at(place_of(item))) & ((u32{1} << bits) - 1);
      items[i] = above((begin << bits) + next, place_of(item));
    }
    sync_warp();
  }

 private:
  BITUNE_DEVICE u32 room() const { return 31 - place_bits; }
  BITUNE_DEVICE bool are_apart(u32 a, u32 b) const { return (a ^ b) >= first_of_key; }
  BITUNE_DEVICE u32 above(u32 bits, u32 place) const { return bits * first_of_key + place; }
};

}  // namespace bitune
