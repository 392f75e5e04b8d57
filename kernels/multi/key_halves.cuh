#pragma once

// Sorted keys of four bytes cross a link as their lower halves. In a sorted run, keys of one upper half stand together. So where each upper half
// begins tells the rest: 256 KiB, however many keys there are.
//
// Halves are those of the words that the codec makes of keys. Which part of a run another rank wants only the device knows (split_chunks).

#include "kernels/multi/merge_layout.hpp"
#include "kernels/network/codec.cuh"
#include "kernels/platform/platform.cuh"

namespace bitune {

/// What another rank wants of a sorted run of `n` keys that is merged with its own: all behind the first `*cut` keys if this is the first
/// run. Of the second one it is what comes before the keys behind the `skipped` first ones of both, of which `*cut` are of the first run.
struct WantedPart {
  u64 begin;
  u64 end;

  BITUNE_DEVICE static WantedPart of(const u64* cut, u64 skipped, u64 n, bool is_first) {
    return is_first ? WantedPart{minimum(*cut, n), n} : WantedPart{0, minimum(skipped - *cut, n)};
  }
};

/// Writes where each upper half begins in the wanted part, as indices in the run: as many as layout::upper_halves. What follows them is whether
/// the part's words do not ascend: 0 for now. Any grid of blocks of at most nt threads.
template <class Codec, class Payload, int nt>
BITUNE_KERNEL(nt, 0)
find_upper_halves(u32* starts, const typename Codec::Raw* keys, const u64* cut, u64 skipped, u64 n, u32 is_first) {
  const WantedPart part = WantedPart::of(cut, skipped, n, is_first != 0);
  const u32 first = block_index() * block_size() + thread_index();
  for (u32 upper = first; upper < layout::upper_halves(); upper += block_count() * block_size()) {
    u64 low = part.begin;
    u64 high = part.end;
    while (low < high) {
      const u64 probe = low + (high - low) / 2;
      if (Codec::encode(keys[probe]) >> 16 < upper) {
        low = probe + 1;
      } else {
        high = probe;
      }
    }
    starts[upper] = static_cast<u32>(low);
  }
  if (first == 0) starts[layout::upper_halves()] = 0;
}

/// Writes the lower halves of the wanted part to the places that its keys have in the run, and of some beside it (layout::halved_at_once); and behind `starts` a 1
/// if the words of these keys do not ascend: NaNs may be in any order among themselves. Any grid of blocks of at most nt threads.
template <class Codec, class Payload, int nt>
BITUNE_KERNEL(nt, 0)
halve_keys(u16* lower, u32* starts, const typename Codec::Raw* keys, const u64* cut, u64 skipped, u64 n, u32 is_first) {
  constexpr u32 vt = layout::halved_at_once();
  const WantedPart part = WantedPart::of(cut, skipped, n, is_first != 0);
  const u64 stride = u64{block_count()} * block_size() * vt;
  bool ascends = true;
  for (u64 begin = part.begin / vt * vt + (u64{block_index()} * block_size() + thread_index()) * vt; begin < part.end; begin += stride) {
    u32 raw[2][vt / 2];
    if (begin + vt <= n) {
      load_vector(keys + begin, raw[0]);
      load_vector(keys + begin + vt / 2, raw[1]);
    } else {
      BITUNE_UNROLL
      for (u32 i = 0; i < vt; ++i) raw[i / (vt / 2)][i % (vt / 2)] = keys[minimum<u64>(begin + i, n - 1)];
    }
    u16 halves[vt];
    u32 before = Codec::encode(begin > part.begin ? keys[begin - 1] : raw[0][0]);
    BITUNE_UNROLL
    for (u32 i = 0; i < vt; ++i) {
      const u32 word = Codec::encode(raw[i / (vt / 2)][i % (vt / 2)]);
      const bool is_wanted = begin + i > part.begin && begin + i < part.end;
      ascends &= !is_wanted || before <= word;
      before = word;
      halves[i] = static_cast<u16>(word);
    }
    store_vector(lower + begin, halves);
  }
  if (!ascends) starts[layout::upper_halves()] = 1;
}

/// The upper half of key `i`: the last one that does not begin behind it.
BITUNE_DEVICE u32 upper_half_of(const u32* starts, u32 i) {
  u32 low = 0;
  u32 high = layout::upper_halves() - 1;
  while (low < high) {
    const u32 probe = high - (high - low) / 2;
    if (starts[probe] <= i) {
      low = probe;
    } else {
      high = probe - 1;
    }
  }
  return low;
}

/// The same by all lanes of a warp for one key.
BITUNE_DEVICE u32 upper_half_by_warp(const u32* starts, u32 i) {
  u32 low = 0;
  u32 high = layout::upper_halves() - 1;
  while (low < high) {
    const u32 step = (high - low) / (warp_size + 1) + 1;
    const u32 probe = low + (lane() + 1) * step;
    const u32 before = bit_count(lanes_where(probe <= high && starts[probe] <= i));  // the first lanes
    high = minimum(high, low + (before + 1) * step - 1);
    low += before * step;
  }
  return low;
}

/// Makes keys `begin` to `end` of the run that these are halves of, at most `most`, and calls put(i, key) for each. lower: may be in another
/// device's memory, which is read by whole lines, all of them at once. All nt threads of a block call it.
template <class Codec, int nt, int most, class Put>
BITUNE_DEVICE void join_halves(const u16* lower, const u32* starts, u32 begin, u32 end, const Put& put) {
  constexpr u32 of_line = 2 * warp_size;
  constexpr u32 at_once = 2 * nt;
  constexpr u32 turns = (most + of_line - 1 + at_once - 1) / at_once;
  if (begin == end) return;
  const u32 own = begin / of_line * of_line + 2 * thread_index();
  u32 pairs[turns];
  BITUNE_UNROLL
  for (u32 turn = 0; turn < turns; ++turn) {
    const u32 i = own + turn * at_once;
    pairs[turn] = i < end ? *reinterpret_cast<const u32*>(lower + i) : 0;
  }
  // Meanwhile each warp looks up the first key's upper half, and where the next ones begin.
  const u32 upper = upper_half_by_warp(starts, begin);
  const u32 next = upper + 1 + lane() < layout::upper_halves() ? starts[upper + 1 + lane()] : end;
  const u32 begun = bit_count(lanes_where(next < end));
  BITUNE_UNROLL
  for (u32 turn = 0; turn < turns; ++turn) {
    const u32 i = own + turn * at_once;
    u32 uppers[2] = {upper, upper};
    if (begun < warp_size) {
      for (u32 start = 0; start < begun; ++start) {
        const u32 place = shuffle(next, start);
        uppers[0] += place <= i ? 1 : 0;
        uppers[1] += place <= i + 1 ? 1 : 0;
      }
    } else if (i < end) {
      uppers[0] = upper_half_of(starts, i);
      uppers[1] = upper_half_of(starts, i + 1);
    }
    if (i >= begin && i < end) put(i, Codec::decode(uppers[0] << 16 | (pairs[turn] & 0xffff)));
    if (i + 1 >= begin && i + 1 < end) put(i + 1, Codec::decode(uppers[1] << 16 | pairs[turn] >> 16));
  }
}

}  // namespace bitune
