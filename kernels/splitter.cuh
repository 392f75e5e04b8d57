#pragma once

// Exact splitting of sorted runs: how many keys of every run come before a given rank among all of them. Equal keys are told
// apart by their place in their run, then by the run, so that what lies between two ranks is as many keys on any input. (By place
// first: then the cuts of equal keys are near each other, too, and can be found without knowing where these begin; window_splitter.cuh.)
//
// A group of threads splits at one rank. It narrows an interval of values [least, greatest] that holds the key of that rank;
// with it goes, for every run, the window of places whose keys lie in the interval. A round counts the keys below each of a
// few pivots - a search in every window, and a sum over the runs - and keeps the part between two of them. Pivots are found
// in one of three ways:
//
// - `guess`: every run proposes a key: the mean of two at either side of the place where the rank would be if all runs were alike.
//   The proposals' mean and spread say where the key is likely to be; how far the two are apart says how dense the keys are, and
//   so where in its run a thread should look: of k keys about the square root of k are left, for a few loads a run. The first
//   round does this, and any after one that left more than a quarter of the keys.
// - `interpolate`: where the rank would be if the keys of the interval were evenly spread, and about as far from there as that
//   errs. Between the pivots of a good guess they are, and its proposals would be too few keys apart.
// - `divide`: the interval into equal parts, after it was shrunk to the keys that there are. It ends on any input, and follows a
//   guess that failed.
//
// As soon as no more than a few keys are left, they are ranked among each other.
//
// P. J. Varman et al., "Merging multiple lists on hierarchical-memory multiprocessors", J. Parallel Distrib. Comput. 12
// (1991), treats the problem; narrowing by values needs no order among the runs' candidates.

#include "kernels/block_sum.cuh"
#include "kernels/platform_rare.cuh"
#include "kernels/sorted_runs.cuh"

namespace bitune {

/// How pivots are found.
enum class Pivots { guess, interpolate, divide };

/// Where the key of a rank is likely to be, from what the runs propose.
struct Guess {
  float offset;        ///< of the value, from Splitter's origin
  float error;         ///< of the offset: its standard deviation, about
  float share_a_unit;  ///< of a run's window, near there
  float furthest;      ///< from where it proposes, in keys, that a run is thought to have its place
  float reach;         ///< how far, in keys, a run's place may err
};

/// How far the pivot `index` is from the middle one, in units of the estimate's error: less in the middle, four at the ends.
template <int pivots>
BITUNE_DEVICE constexpr float deviation(int index) {
  const float x = static_cast<float>(2 * index - (pivots - 1)) / static_cast<float>(pivots - 1);
  return 4 * x * (x < 0 ? -x : x);
}

/// `groups` groups of a block's nt threads, each of which splits at a rank of its own.
template <class Word, int nt, int groups, int pivots>
struct Splitter {
  using Group = ThreadGroup<nt, groups>;
  using Sum = GroupSum<u32, Group, pivots>;
  using ProposalSum = GroupSum<float, Group, 5>;
  using PrefixSum = GroupPrefixSum<Group>;
  static constexpr u32 all_warps = nt / warp_size;
  static constexpr u32 extremes_words = 2 * all_warps * (sizeof(Word) / sizeof(u32));
  /// Keys that are ranked among each other, one a thread: less work than another round of searches.
  static constexpr u32 few = Group::threads < 256 ? Group::threads : 256;
  static constexpr u32 few_words = groups * few * (sizeof(Word) / sizeof(u32));
  static constexpr u32 group_words = (2 * few + Sum::words + ProposalSum::words + PrefixSum::words + 3) / 4 * 4;
  static_assert(pivots >= 3 && pivots % 2 == 1);

  /// Shared memory, in u32, aligned to 16 bytes: for the groups together, and for each run besides.
  static constexpr u32 fixed_words = extremes_words + few_words + groups * group_words;
  static constexpr u32 words_per_run = groups * (1 + pivots);

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

  BITUNE_DEVICE Splitter(u32* memory, u32 run_count)
      : extremes(reinterpret_cast<Word*>(memory)),
        left_keys(reinterpret_cast<Word*>(memory + extremes_words) + Group::index() * few),
        left_ties(memory + extremes_words + few_words + Group::index() * group_words),
        left_taken(left_ties + few),
        sum(left_taken + few),
        proposal_sum(reinterpret_cast<float*>(sum.shared + Sum::words)),
        prefix_sum(sum.shared + Sum::words + ProposalSum::words),
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
  BITUNE_DEVICE static void choose(const Interval& interval, u32 rank, bool divide, Word (&pivot)[pivots]) {
    const Word range = interval.greatest - interval.least;
    const float inside = static_cast<float>(interval.end - interval.below);
    const float share = approximate_quotient(static_cast<float>(rank - interval.below), inside);
    const float scale = static_cast<float>(range);
    const float error = approximate_square_root(approximate_quotient(share * (1 - share), inside));
    BITUNE_UNROLL
    for (int i = 0; i < pivots; ++i) {
      Word distance;
      if (divide) {
        distance = range / (pivots + 1) * static_cast<Word>(i + 1);
      } else {
        const float place = share + error * deviation<pivots>(i);
        distance = static_cast<Word>(scale * minimum(maximum(place, 0.0f), 0.9999f));
      }
      pivot[i] = interval.least + maximum<Word>(distance, 1);
    }
  }

  /// Of offsets: squares of differences of 64-bit words would be more than a float can hold.
  static constexpr float unit = sizeof(Word) == 8 ? 4294967296.0f : 1.0f;

  /// A value from the origin on; what is beyond all values, or the least of them, is the nearest of the others.
  BITUNE_DEVICE static Word value_at(Word origin, float offset) {
    const float size = (offset < 0 ? -offset : offset) * unit;
    const Word distance = static_cast<Word>(minimum(size, 0.9999f * static_cast<float>(~Word{0})));
    const Word below = origin > distance ? origin - distance : 0;
    const Word above = ~Word{0} - origin > distance ? origin + distance : ~Word{0};
    return maximum<Word>(offset < 0 ? below : above, 1);
  }

  BITUNE_DEVICE static float offset_from(Word origin, Word value) {
    const float size = static_cast<float>(value < origin ? origin - value : value - origin) / unit;
    return value < origin ? -size : size;
  }

  /// Guesses, and stores where every run proposes (middle[run]) and what (as an offset: middle[count + run]). The origin is any
  /// value near the rank's.
  template <class Raw>
  BITUNE_DEVICE Guess guess(const Runs<Raw>& runs, const Interval& interval, u32 rank, Word origin, const u32* low) {
    const float inside = static_cast<float>(interval.end - interval.below);
    const float share = minimum(approximate_quotient(static_cast<float>(rank - interval.below), inside), 1.0f);
    const float variance = share * (1 - share);
    float sums[5] = {};  // proposals, their offsets, the squares of these; how far the two keys are apart in value, and in place
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      const u32 size = high[run] - low[run];
      if (size == 0) continue;
      const Raw* const keys = runs.begin(run) + low[run];
      const u32 place = minimum(static_cast<u32>(share * static_cast<float>(size)), size - 1);
      const u32 aside = static_cast<u32>(approximate_square_root(variance * static_cast<float>(size))) + 2;
      const u32 before = place > aside ? place - aside : 0;
      const u32 after = minimum(place + aside, size - 1);
      const float lower = offset_from(origin, Word{keys[before]});
      const float upper = offset_from(origin, Word{keys[after]});
      const float offset = 0.5f * (lower + upper);
      middle[run] = low[run] + place;
      middle[runs.count + run] = bits_of(offset);
      sums[0] += 1;
      sums[1] += offset;
      sums[2] += offset * offset;
      sums[3] += upper - lower;
      sums[4] += static_cast<float>(after - before);
    }
    proposal_sum(sums);
    const float part = approximate_quotient(1, maximum(sums[0], 1.0f));
    const float mean = sums[1] * part;
    const float spread = approximate_square_root(maximum(sums[2] * part - mean * mean, 0.0f));
    const float average_window = inside * part;
    const float place_spread = approximate_square_root(variance * average_window);
    const float part_of_error = approximate_square_root(part);
    // Keys a unit as the proposals' two keys have it, but no more than makes their spread that of random keys' places.
    const float density = sums[3] > 0 ? approximate_quotient(sums[4], sums[3]) : 0;
    const float most = spread > 0 ? approximate_quotient(place_spread, spread) : 0;
    return {mean, spread * part_of_error, approximate_quotient(minimum(density, most), average_window), 3 * place_spread + 3,
            2 * approximate_square_root(place_spread) + 4 * place_spread * part_of_error + 4};
  }

  /// Where in its window [low, low + size) a run that proposed has its place, after a guess.
  BITUNE_DEVICE float likely_place(const Guess& guess, u32 run, u32 run_count, u32 low, u32 size) const {
    const float further = (guess.offset - float_of(middle[run_count + run])) * guess.share_a_unit * static_cast<float>(size);
    return static_cast<float>(middle[run] - low) + minimum(maximum(further, -guess.furthest), guess.furthest);
  }

  /// The pivots of a guess, in (0, ~0]. Where all proposals are alike, they are that value and the next one.
  BITUNE_DEVICE static void choose(const Guess& guess, const Interval& interval, Word origin, Word (&pivot)[pivots]) {
    BITUNE_UNROLL
    for (int i = 0; i < pivots; ++i) {
      const Word value = value_at(origin, guess.offset + guess.error * deviation<pivots>(i));
      const Word next = 2 * i > pivots && value != ~Word{0} ? value + 1 : value;
      pivot[i] = minimum(maximum<Word>(next, interval.least + 1), interval.greatest);
    }
  }

  /// As places_in_window, near the likely place (counted from low). Keys at equal distances there are loaded at once
  /// and say between which of them every pivot is; if one is not, the whole window is searched.
  template <class Raw>
  BITUNE_DEVICE static void places_near(float place, float reach, const Raw* keys, u32 low, u32 high, const Word (&pivot)[pivots],
                                        u32 (&places)[pivots]) {
    constexpr int posts = 9;
    const float limit = static_cast<float>(high - low);
    const u32 first = low + static_cast<u32>(minimum(maximum(place - reach, 0.0f), limit - 1));
    const u32 step = static_cast<u32>(minimum(reach, limit)) / ((posts - 1) / 2) + 1;
    Word post[posts];  // past the window: greater than all
    BITUNE_UNROLL
    for (int i = 0; i < posts; ++i) {
      const u32 at = first + i * step;
      post[i] = at < high ? Word{keys[at]} : ~Word{0};
    }
    bool all_found = true;
    BITUNE_UNROLL
    for (int i = 0; i < pivots; ++i) {
      u32 posts_below = 0;
      BITUNE_UNROLL
      for (int j = 0; j < posts; ++j) posts_below += post[j] < pivot[i];
      all_found &= posts_below < posts && (posts_below > 0 || first == low);
      places[i] = posts_below == 0 ? low : first + (posts_below - 1) * step + 1;
    }
    if (!all_found) return places_in_window(keys, low, high, pivot, places);
    for (u32 size = step - 1; size > 0;) {
      const u32 half = (size + 1) / 2;
      BITUNE_UNROLL
      for (int i = 0; i < pivots; ++i) {
        if (places[i] + half <= high && keys[places[i] + half - 1] < pivot[i]) places[i] += half;
      }
      size -= half;
    }
  }

  /// A round: counts the keys below each pivot by find(run, from, to, places), and keeps what is between two of them. Whether that
  /// is more than a quarter of the keys.
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

    // The pivots that at most `rank` keys are below of: the interval begins at the last of them, and ends before the next.
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

  /// Takes what comes before the rank of windows full of equal keys: places that are low in their runs first. Runs are of at most
  /// `length` keys; below, end: the ranks between which the windows' are.
  BITUNE_DEVICE void take_equal(u32 run_count, u32 length, u32 rank, u32 below, u32 end, u32* low) {
    if (rank <= below) return;
    if (rank >= end) {
      for (u32 run = Group::thread(); run < run_count; run += Group::threads) low[run] = high[run];
      return;
    }
    const u32 needed = rank - below;
    prefix_sum.carry = 0;
    u32 taken = 0;      // by taking what lies before the place `from`: not too many; before `to`: too many
    u32 from = 0;
    u32 to = length;
    while (to - from > 1) {
      const u32 step = (to - from + pivots) / (pivots + 1);
      u32 before[pivots] = {};
      for (u32 run = Group::thread(); run < run_count; run += Group::threads) {
        BITUNE_UNROLL
        for (int i = 0; i < pivots; ++i) before[i] += within(low[run], from + (i + 1) * step, high[run]) - low[run];
      }
      sum(before);
      const u32 begin = from;
      BITUNE_UNROLL
      for (int i = 0; i < pivots; ++i) {
        if (before[i] <= needed) {
          from = begin + (i + 1) * step;
          taken = before[i];
        }
      }
      to = minimum(to, from + step);
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

  /// The end, when the interval is not open any more: few keys are left in the windows, or all or none of them are needed, or all
  /// are equal. At most most_runs runs, of at most `length` <= 2^20 keys.
  template <class Keys>
  BITUNE_DEVICE void take(const Keys& keys, u32 run_count, u32 length, u32 rank, const Interval& interval, u32* low) {
    const u32 needed = rank - interval.below;
    const u32 left = interval.end - interval.below;
    if (left > few || rank <= interval.below || rank >= interval.end) {
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
    // Behind the list what comes before none of it, as far as whole vectors reach.
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

  /// Splits the runs at `rank`, one of each group, between known places. low, in shared memory: for every run, the places of a
  /// lower rank, and the result; high_of(run): those of a higher rank; below, end: these ranks. Thread t of the group writes
  /// the places of the runs t, t + threads, ... before, and has those of the result; others after a barrier.
  template <class Raw, class High>
  BITUNE_DEVICE void operator()(const Runs<Raw>& runs, u32 rank, u32 below, u32 end, u32* low, const High& high_of) {
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) high[run] = high_of(run);
    const Word origin = runs.begin(0)[first_place(runs, rank)];

    // Invariant: the key of the rank is in [least, greatest], and a run's window has exactly its keys in that interval (of
    // those between the known places).
    Interval interval{0, ~Word{0}, below, end};
    Pivots kind = Pivots::guess;
    while (interval.is_open(rank)) {
      Word pivot[pivots];
      Guess guessed;
      if (kind == Pivots::guess) {
        guessed = guess(runs, interval, rank, origin, low);
        choose(guessed, interval, origin, pivot);
      } else {
        if (kind == Pivots::divide) {
          shrink(runs, runs.count, low, interval);
          if (interval.least == interval.greatest) break;
        }
        choose(interval, rank, kind == Pivots::divide, pivot);
      }
      const bool failed = narrow(runs.count, rank, pivot, interval, low, [&](u32 run, u32 from, u32 to, u32(&places)[pivots]) {
        if (kind == Pivots::guess && from < to) {
          places_near(likely_place(guessed, run, runs.count, from, to - from), guessed.reach, runs.begin(run), from, to, pivot, places);
        } else {
          places_in_window(runs.begin(run), from, to, pivot, places);
        }
      });
      kind = !failed ? Pivots::interpolate : kind == Pivots::guess ? Pivots::divide : Pivots::guess;
    }
    take(runs, runs.count, runs.length, rank, interval, low);
  }

  /// Where the first run's key is near the rank's, if all runs are alike.
  template <class Raw>
  BITUNE_DEVICE static u32 first_place(const Runs<Raw>& runs, u32 rank) {
    const u32 size = runs.size(0);
    const float share = approximate_quotient(static_cast<float>(rank), static_cast<float>(runs.n));
    return minimum(static_cast<u32>(share * static_cast<float>(size)), size - 1);
  }
};

}  // namespace bitune
