#pragma once

// All passes of a list of digits in one launch, since only the device knows how many there are. Blocks take the tiles of one pass after the
// other. Before the first tile of a pass a block waits until all tiles of the pass before are written: others have taken these, and are at work.

#include "kernels/radix/digit_schedule.cuh"
#include "kernels/radix/radix_pairs_pass.cuh"

namespace bitune {

/// Keys alone: where pass `turn` reads and writes. Turn 0 reads the input; later ones go from one array to the other.
template <class Codec_>
struct ScheduledKeys {
  using Codec = Codec_;
  using Traffic = KeyTraffic<Codec>;
  typename Codec::Raw* output;
  typename Codec::Raw* beside;
  const typename Codec::Raw* input;

  BITUNE_DEVICE Traffic at(u32 turn) const {
    if (turn % 2 == 1) return {output, beside};
    return {beside, turn == 0 ? input : output};
  }
};

/// As PairTraffic, and the first pass over all may make the indices that travel.
template <class Codec, int value_bytes, ValueSource source, bool values_beside_keys>
struct ScheduledPairTraffic : PairTraffic<Codec, value_bytes, ValueSource::memory, true, values_beside_keys> {
  using Base = PairTraffic<Codec, value_bytes, ValueSource::memory, true, values_beside_keys>;
  bool is_first;

  template <int nt>
  BITUNE_DEVICE void ask_for_items(u64 begin, u32 count) const {
    if (source == ValueSource::index && is_first) {
      ask_for<nt>(this->input + begin, count * sizeof(typename Codec::Raw));
    } else {
      Base::template ask_for_items<nt>(begin, count);
    }
  }

  template <int nt, int vt, class Span>
  BITUNE_DEVICE void load_values(const Span& span, typename Base::Value (&values)[vt]) const {
    if constexpr (source == ValueSource::index) {
      if (is_first) {
        const u64 first = span.begin() + warp_index() * (warp_size * vt) + lane();
        BITUNE_UNROLL
        for (int r = 0; r < vt; ++r) values[r] = static_cast<typename Base::Value>(first + r * warp_size);
        return;
      }
    }
    Base::template load_values<nt>(span, values);
  }
};

/// Keys with values, or with their indices.
template <class Codec_, int value_bytes, ValueSource source, bool values_beside_keys>
struct ScheduledPairs {
  using Codec = Codec_;
  using Traffic = ScheduledPairTraffic<Codec, value_bytes, source, values_beside_keys>;
  using Value = typename CarriedValue<value_bytes>::Type;
  ScheduledKeys<Codec> keys;
  Value* values_out;
  Value* values_beside;
  const Value* values_in;

  BITUNE_DEVICE Traffic at(u32 turn) const {
    const auto of_keys = keys.at(turn);
    if (turn % 2 == 1) return {{of_keys.output, of_keys.input, values_out, values_beside}, false};
    return {{of_keys.output, of_keys.input, values_beside, turn == 0 ? values_in : values_out}, turn == 0};
  }
};

/// Sorts n items by the digits of `list`. turn: what Items::at takes of the first one. passes_before: whose blocks have used the states.
template <class Items, int nt, int vt, int bits, int loads, int prefetch, int min_blocks, class Counter>
BITUNE_DEVICE void sort_by_digits(const Items& items, u64 n, const DigitList& list, u32 turn, u32 passes_before,
                                  ScheduleCounters::OfList* taken, const Counter* counts, Counter* states, u32 tiles) {
  using Codec = typename Items::Codec;
  const RadixTile<Codec, Counter, nt, vt, bits, Items::Traffic::slot_bytes()> tile(shared_memory<typename Codec::Word>());
  const u32 passes = list.passes;
  const auto take = [&] { *tile.ticket = atomic_add(&taken->tickets, 1); };
  if (thread_index() == 0) take();
  u32 pass = 0;
  u32 written = 0;  // tiles of this pass, by this block
  while (true) {
    for (u32 i = lane(); i < layout::digit_values(bits); i += warp_size) tile.ranks[warp_index() * layout::digit_values(bits) + i] = 0;
    sync_block();
    const u32 ticket = *tile.ticket;
    const u32 next = ticket / tiles;
    if (next != pass) {
      if (thread_index() == 0) {
        if (written != 0) add_released(taken->done + pass, written);
        while (next < passes && acquired(taken->done + next - 1) != tiles) {
        }
      }
      if (next >= passes) break;
      sync_block();
      pass = next;
      written = 0;
    }
    const PassCounts<Counter> shared{counts, states, tiles, passes_before + pass};
    sort_tile_by_digit<typename Items::Traffic, nt, vt, bits, loads, prefetch,
                       packs_places<typename Items::Traffic>(nt, vt, min_blocks, bits)>(
        items.at(turn + pass), n, list.digits[pass], shared, tile, full_tile<nt, vt>(n, ticket - pass * tiles), [] { return false; },
        [&] {
          if (thread_index() == 0) take();
        });
    ++written;
  }
}

/// The passes over the leading digits, or, where these have failed, over all digits.
template <bool leading, class Items, int nt, int vt, int bits, int loads, int prefetch, int min_blocks, class Counter>
BITUNE_DEVICE void sort_as_scheduled(const Items& items, u64 n, const DigitSchedule* schedule, ScheduleCounters* counters,
                                     const Counter* counts, Counter* states, u32 tiles) {
  begin_launch_of_plan<leading>();
  if constexpr (leading) {
    sort_by_digits<Items, nt, vt, bits, loads, prefetch, min_blocks>(items, n, schedule->leading, 0, 0, &counters->leading, counts, states, tiles);
  } else {
    if (counters->failed == 0) return;
    constexpr u32 from_output = 2;
    sort_by_digits<Items, nt, vt, bits, loads, prefetch, min_blocks>(items, n, schedule->all, from_output, schedule->leading.passes,
                                                           &counters->all, counts, states, tiles);
  }
}

/// Sorts n keys as `schedule` has it. counters: ScheduleCounters, all 0 before the first of both launches. counts: what count_digits found.
/// states: what LookBack keeps of `tiles` tiles, twice; the first half is 0 before the first of both launches. Grid: any number of blocks that
/// a GPU runs at once, or more. Dynamic shared memory: RadixTile's. No array is another one, but the input may be the output.
template <class Codec, class Payload, bool leading, int nt, int vt, int bits, int loads, int counter_bytes, int min_blocks, int prefetch>
BITUNE_KERNEL(nt, min_blocks)
scheduled_passes(typename Codec::Raw* output, typename Codec::Raw* beside, const typename Codec::Raw* input, u64 n,
                 const DigitSchedule* schedule, ScheduleCounters* counters, const typename Storage<counter_bytes>::Word* counts,
                 typename Storage<counter_bytes>::Word* states, u32 tiles) {
  sort_as_scheduled<leading, ScheduledKeys<Codec>, nt, vt, bits, loads, prefetch, min_blocks>({output, beside, input}, n, schedule, counters, counts,
                                                                                    states, tiles);
}

/// The same for keys with values of so many bytes, or with the indices that the first pass makes.
template <class Codec, class Payload, bool leading, int value_bytes, ValueSource source, int nt, int vt, int bits,
          int loads, int counter_bytes, int min_blocks, int prefetch, bool values_beside_keys>
BITUNE_KERNEL(nt, min_blocks)
scheduled_pair_passes(typename Codec::Raw* output, typename Codec::Raw* beside, const typename Codec::Raw* input,
                      typename CarriedValue<value_bytes>::Type* values_out, typename CarriedValue<value_bytes>::Type* values_beside,
                      const typename CarriedValue<value_bytes>::Type* values_in, u64 n, const DigitSchedule* schedule,
                      ScheduleCounters* counters, const typename Storage<counter_bytes>::Word* counts,
                      typename Storage<counter_bytes>::Word* states, u32 tiles) {
  using Items = ScheduledPairs<Codec, value_bytes, source, values_beside_keys>;
  sort_as_scheduled<leading, Items, nt, vt, bits, loads, prefetch, min_blocks>({{output, beside, input}, values_out, values_beside, values_in}, n,
                                                                     schedule, counters, counts, states, tiles);
}

}  // namespace bitune
