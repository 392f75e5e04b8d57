#pragma once

// The end of a sort by leading digits. Keys that share these are neighbours: a group. Its first key's thread puts a group of few keys in order,
// one key after the other; equal keys stay in their order. A group of many keys may be in order already: where all are equal, say. If one is
// not, all keys are to be sorted by all digits.

#include "kernels/network/carried_value.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/tie_codec.cuh"
#include "kernels/network/tile_io.cuh"
#include "kernels/radix/digit_schedule.cuh"

namespace bitune {

/// n items in the order of their leading digits. moves: they are at `from`, and are to be at `to`; else they are at `to` already. Keys of a
/// group may be read while its first key's thread writes them: their leading digits stay what they are.
template <class Codec, class Value>
struct Groups {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  static constexpr u32 most = layout::most_group_keys();

  Raw* to;
  const Raw* from;
  Value* values_to;  ///< null: nothing travels
  const Value* values_from;
  u64 n;
  u32 begin;  ///< bits below the leading digits
  bool moves;

  BITUNE_DEVICE Word word(u64 i) const { return Codec::encode(published(from + i)); }
  BITUNE_DEVICE bool are_alike(Word a, Word b) const { return (a ^ b) < Word{1} << begin; }
  BITUNE_DEVICE bool is_alike(u64 i, Word word) const { return are_alike(this->word(i), word); }

  /// A thread's vt items from `first` on, of which `count` are there.
  template <int vt>
  BITUNE_DEVICE void load(u64 first, u32 count, Raw (&keys)[vt]) const {
    constexpr u32 vector = 16 / sizeof(Raw);
    static_assert(vt % vector == 0);
    if (count == vt && reinterpret_cast<u64>(from) % 16 == 0) {
      BITUNE_UNROLL
      for (u32 r = 0; r < vt; r += vector) {
        Raw part[vector];
        load_vector<Raw, vector>(from + first + r, part);
        BITUNE_UNROLL
        for (u32 v = 0; v < vector; ++v) keys[r + v] = part[v];
      }
    } else {
      BITUNE_UNROLL
      for (u32 r = 0; r < vt; ++r) keys[r] = r < count ? from[first + r] : Raw{0};
    }
  }

  BITUNE_DEVICE void move(u64 i) const {
    publish(to + i, published(from + i));
    if (values_to != nullptr) values_to[i] = values_from[i];
  }

  /// Whether the group of item i, whose first item is not i, has more than `most` items.
  BITUNE_DEVICE bool is_in_long_group(u64 i, Word word) const {
    if (i >= most && is_alike(i - most, word)) return true;
    u64 first = i - 1;
    while (i - first < most && first > 0 && is_alike(first - 1, word)) --first;
    return i - first == most || (first + most < n && is_alike(first + most, word));
  }

  /// The end of the group that begins at i; more than `most` items behind if it has more.
  BITUNE_DEVICE u64 end_of_group(u64 i, Word word) const {
    u64 end = i + 2;
    while (end < n && end - i <= most && is_alike(end, word)) ++end;
    return end;
  }

  /// Puts the items [first, end) in order, by insertion.
  BITUNE_DEVICE void sort(u64 first, u64 end) const {
    for (u64 i = moves ? first : first + 1; i < end; ++i) {
      const Raw key = published(from + i);
      const Word word = Codec::encode(key);
      u64 place = i;
      while (place > first && word < Codec::encode(published(to + place - 1))) --place;
      if (!moves && place == i) continue;
      Value value{};
      if (values_to != nullptr) value = values_from[i];
      for (u64 above = i; above > place; --above) {
        publish(to + above, published(to + above - 1));
        if (values_to != nullptr) values_to[above] = values_to[above - 1];
      }
      publish(to + place, key);
      if (values_to != nullptr) values_to[place] = value;
    }
  }
};

/// Puts n items in order that are sorted by the leading digits of `schedule`: they are at keys_beside after an odd number of passes, and at
/// keys_out after an even one. Then they are at keys_out, in order if `failed` stays 0. Codec: a TieCodec where values travel. Grid: a block
/// for every nt * vt items.
template <class Codec, class Payload, int value_bytes, bool has_values, int nt, int vt>
BITUNE_KERNEL(nt, 1)
mend_groups(typename Codec::Raw* keys_out, const typename Codec::Raw* keys_beside, typename CarriedValue<value_bytes>::Type* values_out,
            const typename CarriedValue<value_bytes>::Type* values_beside, u64 n, const DigitSchedule* schedule,
            ScheduleCounters* counters) {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  using Value = typename CarriedValue<value_bytes>::Type;
  static_assert(warp_size % vt == 0);
  begin_dependent_launch();
  const bool moves = schedule->leading.passes % 2 == 1;
  const bool is_complete = schedule->is_complete != 0;
  if (is_complete && !moves) return;
  const Groups<Codec, Value> groups{keys_out,
                                    moves ? keys_beside : keys_out,
                                    has_values ? values_out : nullptr,
                                    moves ? values_beside : values_out,
                                    n,
                                    schedule->prefix_begin,
                                    moves};
  const u64 first = (u64{block_index()} * nt + thread_index()) * vt;
  const u32 count = first < n ? items_in_tile(first, n, vt) : 0;
  Raw keys[vt];
  Word last = 0;
  u32 follows = 0;  // bits: the items that are not the first of their groups
  if (!is_complete) {
    groups.load(first, count, keys);
    last = Codec::encode(keys[vt - 1]);
    Word before = shuffle(last, lane() - 1);
    if (lane() == 0 && first > 0 && count > 0) before = groups.word(first - 1);
    BITUNE_UNROLL
    for (u32 r = 0; r < vt; ++r) {
      const Word word = Codec::encode(keys[r]);
      if (groups.are_alike(before, word)) follows |= u32{1} << r;
      before = word;
    }
    follows &= (u32{1} << count) - (first == 0 ? 2 : 1);
  }
  u32 next = shuffle(follows & 1, lane() + 1);
  if (lane() == warp_size - 1) next = !is_complete && first + vt < n && groups.is_alike(first + vt, last) ? 1 : 0;
  const u32 grouped = follows | follows >> 1 | next << (vt - 1);

  // Items that are alone, and most are, are moved by neighbouring threads.
  if (moves) {
    const u64 of_warp = first - lane() * vt;
    BITUNE_UNROLL
    for (u32 r = 0; r < vt; ++r) {
      const u32 item = r * warp_size + lane();
      const u32 of_owner = shuffle(grouped, item / vt);
      if (of_warp + item < n && (of_owner >> item % vt & 1) == 0) groups.move(of_warp + item);
    }
  }

  // What follows in a group has nothing to do if it stays where it is and is in order.
  u32 falling = 0;
  if (follows != 0) {
    BITUNE_UNROLL
    for (u32 r = 0; r < vt; ++r) {
      if ((follows >> r & 1) == 0) continue;
      const Word before = r == 0 ? groups.word(first - 1) : Codec::encode(keys[r == 0 ? 0 : r - 1]);
      if (Codec::encode(keys[r]) < before) falling |= u32{1} << r;
    }
  }
  u32 left = (grouped & ~follows) | (moves ? follows : falling);
  while (left != 0) {
    const u32 bit = left & (~left + 1);
    left ^= bit;
    const u64 i = first + bit_count(bit - 1);
    const Word word = groups.word(i);
    if ((follows & bit) == 0) {
      const u64 end = groups.end_of_group(i, word);
      if (end - i <= groups.most) {
        groups.sort(i, end);
      } else if (moves) {
        groups.move(i);
      }
    } else if (groups.is_in_long_group(i, word)) {
      if (moves) groups.move(i);
      if ((falling & bit) != 0) publish(&counters->failed, u32{1});
    }
  }
}

}  // namespace bitune
