#pragma once

// A pass of the radix variant: all keys are put in the order of one digit, those of equal digits staying in theirs. Each key is read
// and written once ("Onesweep": A. Adinets, D. Merrill, 2022): a block ranks the keys of its tile, learns by looking back how many keys
// with each digit the tiles before it have, and writes them from shared memory, where keys with equal digits are neighbours.

#include "kernels/block_sum.cuh"
#include "kernels/look_back.cuh"
#include "kernels/platform_rare.cuh"
#include "kernels/radix_digits.cuh"
#include "kernels/tile_io.cuh"

namespace bitune {

/// The inclusive prefix sums of `values` counters in shared memory, in place, by the block's nt threads; a barrier is before and behind.
template <int nt, u32 values, class Counter>
BITUNE_DEVICE void prefix_sums(Counter* counters) {
  constexpr u32 of_thread = (values + nt - 1) / nt;
  for (u32 distance = 1; distance < values; distance *= 2) {
    Counter before[of_thread];
    BITUNE_UNROLL
    for (u32 i = 0; i < of_thread; ++i) {
      const u32 at = thread_index() + i * nt;
      before[i] = at >= distance && at < values ? counters[at - distance] : Counter{0};
    }
    sync_block();
    BITUNE_UNROLL
    for (u32 i = 0; i < of_thread; ++i) {
      if (thread_index() + i * nt < values) counters[thread_index() + i * nt] += before[i];
    }
    sync_block();
  }
}

/// What a block keeps in shared memory; all of it after `scratch` is aligned to 8 bytes.
template <class Codec, class Counter, int nt, int vt, u32 values>
struct RadixTile {
  using Word = typename Codec::Word;
  static constexpr u32 warps = nt / warp_size;

  Word* words;       ///< [nt * vt]: the tile's, by digit
  Counter* targets;  ///< [values]: from a word's place in the tile to its place in the array
  u16* ranks;        ///< [warps][values]: how many keys with the digit the warp has met; then where in the tile the next one goes
  u32* scratch;      ///< GroupPrefixSum's, and the tile's number

  BITUNE_DEVICE explicit RadixTile(Word* memory)
      : words(memory),
        targets(reinterpret_cast<Counter*>(words + nt * vt)),
        ranks(reinterpret_cast<u16*>(targets + values)),
        scratch(reinterpret_cast<u32*>(ranks + warps * values)) {}
};

/// Which lanes have the same digit, of numbers whose lower bits it is. ranking: 0: by votes on its bits, 1: by one instruction that
/// matches numbers.
template <int bits, int ranking>
BITUNE_DEVICE u32 lanes_of_digit(u32 number) {
  if constexpr (ranking == 0) {
    return lanes_of_same_bits<bits>(number);
  } else {
    return lanes_alike(number & ((u32{1} << bits) - 1));
  }
}

/// Sorts the n keys at `input` by digit `pass` to `output`, which is elsewhere. counts: what count_digits found. tickets: one of each
/// pass, 0 at first. said: LookBack's of `tiles` blocks, twice, for even and odd passes: this pass's are 0 at first, and it clears the
/// next one's. Grid: a block for every tile of nt * vt keys, of which there are `tiles`. Dynamic shared memory: RadixTile's.
template <class Codec, class Payload, int nt, int vt, int bits, int ranking, int loads, int counter_bytes, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
radix_pass(typename Codec::Raw* output, const typename Codec::Raw* input, u64 n, u32 pass, u32* tickets,
           const typename CounterOf<counter_bytes>::Type* counts, typename CounterOf<counter_bytes>::Type* said, u32 tiles) {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  using Counter = typename CounterOf<counter_bytes>::Type;
  using Digit = Digits<Codec, bits>;
  using Group = ThreadGroup<nt, 1>;
  using Sums = LookBack<Counter, Digit::values, loads>;
  constexpr u32 values = Digit::values;
  constexpr u32 of_thread = (values + nt - 1) / nt;  // digits that a thread adds up
  constexpr u32 nv = u32{nt} * vt;
  const RadixTile<Codec, Counter, nt, vt, values> tile(shared_memory<Word>());
  u32* const ticket = tile.scratch + GroupPrefixSum<Group>::words;
  begin_dependent_launch();
  if (thread_index() == 0) *ticket = atomic_add(tickets + pass, 1);
  for (u32 i = lane(); i < values; i += warp_size) tile.ranks[warp_index() * values + i] = 0;
  sync_block();
  const u32 mine = *ticket;
  const u64 begin = u64{mine} * nv;
  const u32 count = items_in_tile(begin, n, nv);

  Word words[vt];  // register r of lane l of a warp: the warp's key 32 r + l
  {
    const Raw* const from = input + begin;
    const u32 first = warp_index() * (warp_size * vt) + lane();
    Raw raw[vt];
    if (count == nv) {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) raw[r] = from[first + r * warp_size];
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) words[r] = Codec::encode(raw[r]);
    } else {
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        words[r] = first + r * warp_size < count ? Codec::encode(from[first + r * warp_size]) : Codec::padding;
      }
    }
  }

  // Among the warp's keys with that digit; and twice the counter's index in the upper half.
  u32 ranks[vt];
  const u32 first_counter = kept(warp_index() * values);
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 bits_from_digit = Digit::from(words[r], pass);
    const u32 same = lanes_of_digit<bits, ranking>(bits_from_digit);
    const u32 before = bit_count(same & lanes_before());
    const u32 counter = (bits_from_digit & (values - 1)) | first_counter;
    const u32 so_far = tile.ranks[counter];
    sync_warp();
    if (before == 0) tile.ranks[counter] = static_cast<u16>(so_far + bit_count(same));
    sync_warp();
    ranks[r] = kept(counter << 17 | (so_far + before));
  }
  sync_block();

  // Each thread: some digits. How many keys with the digit each warp has becomes where they begin in the tile.
  const Sums sums{said + u64{pass % 2} * tiles * values};
  const Sums next{said + u64{(pass + 1) % 2} * tiles * values};
  u32 of_tile[of_thread];
  GroupPrefixSum<Group> keys_before(tile.scratch);
  BITUNE_UNROLL
  for (u32 i = 0; i < of_thread; ++i) {
    const u32 digit = thread_index() + i * nt;
    of_tile[i] = 0;
    if (digit < values) {
      BITUNE_UNROLL
      for (u32 warp = 0; warp < tile.warps; ++warp) of_tile[i] += tile.ranks[warp * values + digit];
      if (mine != 0) sums.say_own(mine, digit, of_tile[i]);
      if (pass + 1 < Digit::passes) *next.place(mine, digit) = 0;
    }
  }
  BITUNE_UNROLL
  for (u32 i = 0; i < of_thread; ++i) {
    const u32 digit = thread_index() + i * nt;
    const u32 first = keys_before(of_tile[i]);
    if (digit < values) {
      u32 place = first;
      BITUNE_UNROLL
      for (u32 warp = 0; warp < tile.warps; ++warp) {
        u16& of_warp = tile.ranks[warp * values + digit];
        const u32 keys = of_warp;
        of_warp = static_cast<u16>(place);
        place += keys;
      }
      tile.targets[digit] = Counter{0} - first;
    }
  }
  sync_block();
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) tile.words[tile.ranks[ranks[r] >> 17] + (ranks[r] & 0xffff)] = words[r];

  if (mine == 0) {  // what is before the first tile: all keys with smaller digits
    Counter first[of_thread];
    BITUNE_UNROLL
    for (u32 i = 0; i < of_thread; ++i) {
      const u32 digit = thread_index() + i * nt;
      if (digit >= values) break;
      first[i] = tile.targets[digit];
      tile.targets[digit] = counts[pass * values + digit];
    }
    sync_block();
    prefix_sums<nt, values>(tile.targets);
    BITUNE_UNROLL
    for (u32 i = 0; i < of_thread; ++i) {
      const u32 digit = thread_index() + i * nt;
      if (digit >= values) break;
      const Counter before = tile.targets[digit] - counts[pass * values + digit];
      sums.say_inclusive(mine, digit, before + of_tile[i]);
      tile.targets[digit] = first[i] + before;
    }
  } else {
    BITUNE_UNROLL
    for (u32 i = 0; i < of_thread; ++i) {
      const u32 digit = thread_index() + i * nt;
      if (digit >= values) break;
      const Counter before = sums.before(mine, digit);
      sums.say_inclusive(mine, digit, before + of_tile[i]);
      tile.targets[digit] += before;
    }
  }
  sync_block();
  if (count == nv) {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = thread_index() + r * nt;
      const Word word = tile.words[i];
      output[tile.targets[Digit::of(word, pass)] + i] = Codec::decode(word);
    }
  } else {
    for (u32 i = thread_index(); i < count; i += nt) {
      const Word word = tile.words[i];
      output[tile.targets[Digit::of(word, pass)] + i] = Codec::decode(word);
    }
  }
}

}  // namespace bitune
