#pragma once

// A search for the key of a rank among all keys of sorted runs, in rounds. How a round finds its pivots is said elsewhere
// (splitter.cuh). A group of threads knows an interval of values [least, greatest] that holds the rank's key. For every run it knows the
// window of places whose keys lie in the interval.

#include "kernels/multiway/key_scale.cuh"
#include "kernels/multiway/multiway_layout.hpp"
#include "kernels/multiway/sorted_runs.cuh"
#include "kernels/network/block_sum.cuh"

namespace bitune {

/// How far the pivot `index` is from the middle one, in units of the estimate's error: less in the middle, four at the ends.
template <int pivots>
BITUNE_DEVICE constexpr float deviation(int index) {
  const float x = static_cast<float>(2 * index - (pivots - 1)) / static_cast<float>(pivots - 1);
  return 4 * x * (x < 0 ? -x : x);
}

/// `groups` groups of a block's nt threads, each of which searches a rank of its own. Numbers: those of the words (key_scale.cuh).
template <class Word, class Numbers, int nt, int groups, int pivots>
struct RankSearch {
  using Group = ThreadGroup<nt, groups>;
  using Sum = GroupSum<u32, Group, pivots>;
  using Scale = KeyScale<Word, Numbers>;
  static constexpr int proposal_sums = Numbers::exist ? 7 : 6;
  using ProposalSum = GroupSum<float, Group, proposal_sums>;
  using PrefixSum = GroupPrefixSum<Group>;
  static constexpr layout::RankSearchParts parts = layout::rank_search_parts(nt, groups, pivots, sizeof(Word));
  /// Keys that are ranked among each other, one a thread: less work than another round of searches.
  static constexpr u32 few = parts.few;
  static constexpr u32 extremes_words = parts.extremes_words;
  static constexpr u32 few_words = parts.few_words;
  static constexpr u32 group_words = parts.group_words;
  static_assert(pivots >= 3 && pivots % 2 == 1);
  /// Of what runs propose there is room for six sums. Seven lie where later the ties are. Let all lie there when tunings of integers are
  /// measured again: it changes their machine code.
  static constexpr u32 six_sums = GroupSum<float, Group, 6>::words;
  static_assert(!Numbers::exist || ProposalSum::words <= 2 * few);

  /// Shared memory, in u32, aligned to 16 bytes: for the groups together, and for each run besides.
  static constexpr u32 fixed_words = parts.fixed_words;
  static constexpr u32 words_per_run = parts.words_per_run;

  /// What is known of the rank's key.
  struct Interval {
    Word least;
    Word greatest;
    u32 below;  ///< keys before the windows
    u32 end;    ///< and with those in them

    BITUNE_DEVICE bool is_open(u32 rank) const {
      return least < greatest && below < rank && rank < end && end - below > few;
    }
  };

  Word* extremes;   // [warp][least, greatest]
  Word* left_keys;  // of the group
  u32* left_ties;   // of the group: what orders equal keys
  u32* left_taken;  // of the group: whether a key comes before the rank
  Sum sum;
  ProposalSum proposal_sum;
  PrefixSum prefix_sum;
  u32* high;    // of the group: [run]
  u32* middle;  // of the group: [pivot][run]

  BITUNE_DEVICE RankSearch(u32* memory, u32 run_count)
      : extremes(reinterpret_cast<Word*>(memory)),
        left_keys(reinterpret_cast<Word*>(memory + extremes_words) + Group::index() * few),
        left_ties(memory + extremes_words + few_words + Group::index() * group_words),
        left_taken(left_ties + few),
        sum(left_taken + few),
        proposal_sum(reinterpret_cast<float*>(Numbers::exist ? left_ties : sum.shared + Sum::words)),
        prefix_sum(sum.shared + Sum::words + six_sums),
        high(memory + fixed_words + Group::index() * (1 + pivots) * run_count),
        middle(high + run_count) {}

  /// Shrinks the interval to the keys that are in the windows. Between two of these is a sum.
  template <class Keys>
  BITUNE_DEVICE void shrink(const Keys& keys, u32 run_count, const u32* low, Interval& interval) {
    Word least = ~Word{0};
    Word greatest = 0;
    for (u32 run = Group::thread(); run < run_count; run += Group::threads) {
      if (low[run] == high[run]) continue;
      least = minimum(least, Word{keys.begin(run)[low[run]]});
      greatest = maximum(greatest, Word{keys.begin(run)[high[run] - 1]});
    }
    for (u32 distance = 1; distance < warp_size; distance *= 2) {
      least = minimum(least, shuffle_xor(least, distance));
      greatest = maximum(greatest, shuffle_xor(greatest, distance));
    }
    if (lane() == 0) {
      extremes[2 * warp_index()] = least;
      extremes[2 * warp_index() + 1] = greatest;
    }
    Group::sync();
    const Word* const all = extremes + 2 * Group::first_warp();
    for (u32 warp = 0; warp < Group::warps; ++warp) {
      least = minimum(least, all[2 * warp]);
      greatest = maximum(greatest, all[2 * warp + 1]);
    }
    interval.least = maximum(interval.least, least);
    interval.greatest = minimum(interval.greatest, greatest);
  }

  /// Ascending pivots in (least, greatest], by interpolation or division.
  BITUNE_DEVICE static void choose(const Interval& interval, const Scale& scale, u32 rank, bool divide, Word (&pivot)[pivots]) {
    const Word range = interval.greatest - interval.least;
    const float inside = static_cast<float>(interval.end - interval.below);
    const float share = approximate_quotient(static_cast<float>(rank - interval.below), inside);
    const float words = static_cast<float>(range);
    const float error = approximate_square_root(approximate_quotient(share * (1 - share), inside));
    BITUNE_UNROLL
    for (int i = 0; i < pivots; ++i) {
      Word distance;
      if (divide) {
        distance = range / (pivots + 1) * static_cast<Word>(i + 1);
      } else {
        const float place = share + error * deviation<pivots>(i);
        distance = scale.way(interval.least, interval.greatest, words, minimum(maximum(place, 0.0f), 0.9999f));
      }
      pivot[i] = interval.least + maximum<Word>(distance, 1);
    }
  }

  /// A round: counts the keys below each pivot by find(run, from, to, places), and keeps what is between two of them. Returns whether more
  /// than a quarter of the keys are left.
  template <class Find>
  BITUNE_DEVICE bool narrow(u32 run_count, u32 rank, const Word (&pivot)[pivots], Interval& interval, u32* low, const Find& find) {
    u32 count[pivots] = {};
    for (u32 run = Group::thread(); run < run_count; run += Group::threads) {
      u32 places[pivots];
      find(run, low[run], high[run], places);
      BITUNE_UNROLL
      for (int i = 0; i < pivots; ++i) {
        middle[i * run_count + run] = places[i];
        count[i] += places[i];
      }
    }
    sum(count);

    // The interval begins at the last pivot that has at most `rank` keys below it, and ends before the next pivot.
    const u32 inside = interval.end - interval.below;
    int lower = -1;
    BITUNE_UNROLL
    for (int i = 0; i < pivots; ++i) {
      if (count[i] <= rank) {
        lower = i;
        interval.below = count[i];
        interval.least = pivot[i];
      }
    }
    BITUNE_UNROLL
    for (int i = pivots - 1; i >= 0; --i) {
      if (count[i] > rank) {
        interval.end = count[i];
        interval.greatest = pivot[i] - 1;
      }
    }
    for (u32 run = Group::thread(); run < run_count; run += Group::threads) {
      if (lower >= 0) low[run] = middle[lower * run_count + run];
      if (lower + 1 < pivots) high[run] = middle[(lower + 1) * run_count + run];
    }
    return interval.end - interval.below > inside / 4;
  }

  /// All keys in the windows are equal. Cuts them so that as many come before the cuts as the rank says: those at lower places in their
  /// runs first, then those of earlier runs. Runs have at most `length` keys. below, end: the ranks of the first key in the windows, and of
  /// the first behind them.
  BITUNE_DEVICE void take_equal(u32 run_count, u32 length, u32 rank, u32 below, u32 end, u32* low) {
    if (rank <= below) return;
    if (rank >= end) {
      for (u32 run = Group::thread(); run < run_count; run += Group::threads) low[run] = high[run];
      return;
    }
    const u32 needed = rank - below;
    prefix_sum.carry = 0;
    // To take all keys before the place `from` is not too many: `taken` keys. To take all before `to` is too many.
    u32 taken = 0;
    u32 from = 0;
    u32 to = length;
    // The first places are near the answer if all windows are long.
    u32 step = 16;
    u32 begin = rank / run_count;
    begin -= minimum(begin, step * (pivots + 1) / 2);
    while (to - from > 1) {
      u32 before[pivots] = {};
      for (u32 run = Group::thread(); run < run_count; run += Group::threads) {
        BITUNE_UNROLL
        for (int i = 0; i < pivots; ++i) before[i] += within(low[run], begin + (i + 1) * step, high[run]) - low[run];
      }
      sum(before);
      BITUNE_UNROLL
      for (int i = 0; i < pivots; ++i) {
        const u32 place = begin + (i + 1) * step;
        if (before[i] > needed) {
          to = minimum(to, place);
        } else if (place > from) {
          from = place;
          taken = before[i];
        }
      }
      begin = from;
      step = (to - from + pivots) / (pivots + 1);
    }
    for (u32 base = 0; base < run_count; base += Group::threads) {
      const u32 run = base + Group::thread();
      const bool has_one = run < run_count && low[run] <= from && from < high[run];
      const u32 before = prefix_sum(has_one ? 1 : 0);
      if (run < run_count) low[run] = within(low[run], from, high[run]) + (has_one && before < needed - taken ? 1 : 0);
    }
  }

  BITUNE_DEVICE static u32 within(u32 low, u32 value, u32 high) { return maximum(low, minimum(value, high)); }

  /// The order of keys that may be equal.
  BITUNE_DEVICE static bool comes_before(Word a, u32 tie_a, Word b, u32 tie_b) {
    if constexpr (sizeof(Word) == 4) {
      return (u64{a} << 32 | tie_a) < (u64{b} << 32 | tie_b);
    } else {
      return a < b || (a == b && tie_a < tie_b);
    }
  }

  static constexpr int tie_run_bits = 12;
  static constexpr u32 most_runs = u32{1} << tie_run_bits;

  /// Cuts the windows, when the interval is not open any more: few keys are left in them, or all or none of them come before the rank, or
  /// all of them are equal. There are at most most_runs runs, of at most `length` <= 2^20 keys.
  template <class Keys>
  BITUNE_DEVICE void take(const Keys& keys, u32 run_count, u32 length, u32 rank, const Interval& interval, u32* low) {
    const u32 needed = rank - interval.below;
    const u32 left = interval.end - interval.below;
    if (left > few || interval.least == interval.greatest || rank <= interval.below || rank >= interval.end) {
      return take_equal(run_count, length, rank, interval.below, interval.end, low);
    }
    prefix_sum.carry = 0;
    for (u32 base = 0; base < run_count; base += Group::threads) {
      const u32 run = base + Group::thread();
      const u32 window = run < run_count ? high[run] - low[run] : 0;
      const u32 before = prefix_sum(window);
      if (window != 0) middle[run] = before;
      for (u32 i = 0; i < window; ++i) left_ties[before + i] = (low[run] + i) << tie_run_bits | run;
    }
    Group::sync();
    // The list is filled up to whole vectors, with what comes before no key of it.
    const bool is_one = Group::thread() < left;
    const u32 tie = is_one ? left_ties[Group::thread()] : ~u32{0};
    const Word key = is_one ? Word{keys.begin(tie & (most_runs - 1))[tie >> tie_run_bits]} : ~Word{0};
    if (Group::thread() < few) {
      left_keys[Group::thread()] = key;
      if (!is_one) left_ties[Group::thread()] = tie;
    }
    Group::sync();
    if (is_one) {
      u32 order = 0;  // among all that are left
      constexpr u32 at_once = 16 / sizeof(Word);
      BITUNE_UNROLL_N(4)
      for (u32 begin = 0; begin < left; begin += at_once) {
        Word others[at_once];
        u32 ties[at_once];
        load_vector(left_keys + begin, others);
        load_vector(left_ties + begin, ties);
        BITUNE_UNROLL
        for (u32 i = 0; i < at_once; ++i) order += comes_before(others[i], ties[i], key, tie) ? 1 : 0;
      }
      left_taken[Group::thread()] = order < needed ? 1 : 0;
    }
    Group::sync();
    for (u32 run = Group::thread(); run < run_count; run += Group::threads) {
      const u32 window = high[run] - low[run];
      const u32* const mine = left_taken + middle[run];
      u32 taken = 0;
      for (u32 i = 0; i < window; ++i) taken += mine[i];
      low[run] += taken;
    }
  }
};

}  // namespace bitune
