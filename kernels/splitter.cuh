#pragma once

// Exact splitting of sorted runs: how many keys of every run come before a given rank among all of them. Equal keys are told
// apart by their run and their place in it, so that what lies between two ranks is as many keys on any input.
//
// A group of threads splits at one rank. It narrows an interval of values [least, greatest] that holds the key of that rank;
// with it goes, for every run, the window of places whose keys lie in the interval. A round counts the keys below each of a
// few pivots - a search in every window, and a sum over the runs - and keeps the part between two of them. Pivots are found
// in one of three ways:
//
// - `guess`: every run proposes its key at the place where the rank would be if all runs were alike. The proposals' mean and
//   spread say where the key is likely to be, whatever the distribution of the keys, and where in its run a thread
//   should look: of k keys about the square root of k are left, for a few loads a run. The first round does this, and
//   any after one that left more than a quarter of the keys.
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
#include "kernels/sorted_runs.cuh"

namespace bitune {

/// How pivots are found.
enum class Pivots { guess, interpolate, divide };

/// Where the key of a rank is likely to be, from what the runs propose.
struct Guess {
  float offset;       ///< of the value, from Splitter's origin
  float error;        ///< of the offset: its standard deviation, about
  float share_a_unit;  ///< of a run's window, near there
  float reach;        ///< how far, in keys, a run's place may err
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
  using ProposalSum = GroupSum<float, Group, 3>;
  using PrefixSum = GroupPrefixSum<Group>;
  static constexpr u32 all_warps = nt / warp_size;
  static constexpr u32 extremes_words = 2 * 2 * all_warps * (sizeof(Word) / sizeof(u32));
  /// Keys that are ranked among each other, one a thread: less work than another round of searches.
  static constexpr u32 few = Group::threads < 256 ? Group::threads : 256;
  static constexpr u32 few_words = groups * few * (sizeof(Word) / sizeof(u32));
  static_assert(pivots >= 3 && pivots % 2 == 1 && ProposalSum::words <= Sum::words);

  /// Shared memory, in u32, aligned as a Word: for the groups together, and for each run besides.
  static constexpr u32 fixed_words = extremes_words + few_words + groups * (2 * few + Sum::words + PrefixSum::words);
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

  Word* extremes;   // [turn][warp][least, greatest]; the turn is the sum's
  Word* left_keys;  // of the group
  u32* left_runs;   // of the group
  u32* left_places;
  Sum sum;
  PrefixSum prefix_sum;
  u32* high;    // of the group: [run]
  u32* middle;  // of the group: [pivot][run]

  BITUNE_DEVICE Splitter(u32* memory, u32 run_count)
      : extremes(reinterpret_cast<Word*>(memory)),
        left_keys(reinterpret_cast<Word*>(memory + extremes_words) + Group::index() * few),
        left_runs(memory + extremes_words + few_words + Group::index() * 2 * few),
        left_places(left_runs + few),
        sum(memory + extremes_words + few_words + groups * 2 * few + Group::index() * (Sum::words + PrefixSum::words)),
        prefix_sum(sum.shared + Sum::words),
        high(memory + fixed_words + Group::index() * (1 + pivots) * run_count),
        middle(high + run_count) {}

  /// For the warps of the group, before the sum.
  BITUNE_DEVICE void publish(Word least, Word greatest) {
    for (u32 distance = 1; distance < warp_size; distance *= 2) {
      least = minimum(least, shuffle_xor(least, distance));
      greatest = maximum(greatest, shuffle_xor(greatest, distance));
    }
    if (lane() != 0) return;
    Word* const mine = extremes + 2 * (sum.turn * all_warps + warp_index());
    mine[0] = least;
    mine[1] = greatest;
  }

  /// Shrinks the interval to what the group's warps have published, after the sum.
  BITUNE_DEVICE void shrink(Interval& interval) const {
    Word least = ~Word{0};
    Word greatest = 0;
    const Word* published = extremes + 2 * ((sum.turn ^ 1) * all_warps + Group::first_warp());
    for (u32 warp = 0; warp < Group::warps; ++warp) {
      least = minimum(least, published[2 * warp]);
      greatest = maximum(greatest, published[2 * warp + 1]);
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

  /// Guesses, and stores in middle[run] where every run should look. The origin is any value near the rank's.
  template <class Raw>
  BITUNE_DEVICE Guess guess(const Runs<Raw>& runs, const Interval& interval, u32 rank, Word origin, const u32* low) {
    const float inside = static_cast<float>(interval.end - interval.below);
    const float share = minimum(approximate_quotient(static_cast<float>(rank - interval.below), inside), 1.0f);
    float sums[3] = {};  // proposals, their offsets, and the squares of these
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      const u32 size = high[run] - low[run];
      if (size == 0) continue;
      const u32 place = low[run] + minimum(static_cast<u32>(share * static_cast<float>(size)), size - 1);
      const float offset = offset_from(origin, Word{runs.begin(run)[place]});
      middle[run] = place;
      sums[0] += 1;
      sums[1] += offset;
      sums[2] += offset * offset;
    }
    ProposalSum sum_proposals(reinterpret_cast<float*>(sum.shared + sum.turn * (Sum::words / 2)));
    sum_proposals(sums);
    sum.turn ^= 1;
    const float part = approximate_quotient(1, maximum(sums[0], 1.0f));
    const float mean = sums[1] * part;
    const float spread = approximate_square_root(maximum(sums[2] * part - mean * mean, 0.0f));
    const float place_spread = approximate_square_root(share * (1 - share) * inside * part);
    const float part_of_error = approximate_square_root(part);
    const float average_window = inside * part;
    return {mean, spread * part_of_error, spread > 0 ? approximate_quotient(place_spread, spread * average_window) : 0,
            2 * approximate_square_root(place_spread) + 4 * place_spread * part_of_error + 4};
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

  /// As places_in_window, near the place where the guess has them. Keys at equal distances there are loaded at once
  /// and say between which of them every pivot is; if one is not, the whole window is searched.
  template <class Raw>
  BITUNE_DEVICE static void places_near(const Guess& guess, const Raw* keys, u32 low, u32 high, u32 proposal, Word origin,
                                        const Word (&pivot)[pivots], u32 (&places)[pivots]) {
    constexpr int posts = 9;
    const float limit = static_cast<float>(high - low);
    const float further = (guess.offset - offset_from(origin, Word{keys[proposal]})) * guess.share_a_unit * limit;
    const float place = static_cast<float>(proposal - low) + minimum(maximum(further, -limit), limit);
    const u32 first = low + static_cast<u32>(minimum(maximum(place - guess.reach, 0.0f), limit - 1));
    const u32 step = static_cast<u32>(minimum(guess.reach, limit)) / ((posts - 1) / 2) + 1;
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

  /// Splits the runs at `rank`, one of each group, between known places. low, in shared memory: for every run, the places of a
  /// lower rank, and the result; high_of(run): those of a higher rank; below, end: these ranks. Thread t of the group is who
  /// writes the places of the runs t, t + threads, ... before; the result is everybody's after a barrier.
  template <class Raw, class High>
  BITUNE_DEVICE void operator()(const Runs<Raw>& runs, u32 rank, u32 below, u32 end, u32* low, const High& high_of) {
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) high[run] = high_of(run);
    const float share_of_all = approximate_quotient(static_cast<float>(rank), static_cast<float>(runs.n));
    const u32 first_size = runs.size(0);
    const Word origin = runs.begin(0)[minimum(static_cast<u32>(share_of_all * static_cast<float>(first_size)), first_size - 1)];

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
        choose(interval, rank, kind == Pivots::divide, pivot);
      }
      Word first = ~Word{0};
      Word last = 0;
      u32 count[pivots] = {};
      for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
        const Raw* keys = runs.begin(run);
        const u32 from = low[run];
        const u32 to = high[run];
        u32 places[pivots];
        if (kind == Pivots::guess && from < to) {
          places_near(guessed, keys, from, to, middle[run], origin, pivot, places);
        } else {
          places_in_window(keys, from, to, pivot, places);
        }
        if (kind == Pivots::divide && from < to) {
          first = minimum(first, Word{keys[from]});
          last = maximum(last, Word{keys[to - 1]});
        }
        BITUNE_UNROLL
        for (int i = 0; i < pivots; ++i) {
          middle[i * runs.count + run] = places[i];
          count[i] += places[i];
        }
      }
      if (kind == Pivots::divide) publish(first, last);
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
      for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
        if (lower >= 0) low[run] = middle[lower * runs.count + run];
        if (lower + 1 < pivots) high[run] = middle[(lower + 1) * runs.count + run];
      }
      if (kind == Pivots::divide) shrink(interval);
      const bool failed = interval.end - interval.below > inside / 4;
      kind = !failed ? Pivots::interpolate : kind == Pivots::guess ? Pivots::divide : Pivots::guess;
    }

    // Either few keys are left in the windows, or all of them are equal, or all or none of them are needed: these
    // are taken run by run.
    const u32 needed = rank - interval.below;
    const u32 left = interval.end - interval.below;
    for (u32 base = 0; base < runs.count; base += Group::threads) {
      const u32 run = base + Group::thread();
      const u32 window = run < runs.count ? high[run] - low[run] : 0;
      const u32 before = prefix_sum(window);
      if (left > few) {
        if (window > 0 && needed > before) low[run] += minimum(needed - before, window);
      } else {
        for (u32 i = 0; i < window; ++i) {
          left_runs[before + i] = run;
          left_places[before + i] = low[run] + i;
        }
      }
    }
    if (left > few) return;
    Group::sync();
    const bool is_one = Group::thread() < left;
    const u32 run = is_one ? left_runs[Group::thread()] : 0;
    const Word key = is_one ? Word{runs.begin(run)[left_places[Group::thread()]]} : ~Word{0};
    if (Group::thread() < few) left_keys[Group::thread()] = key;
    Group::sync();
    if (!is_one) return;
    u32 order = 0;  // among all that are left: by value, then run and place
    constexpr u32 at_once = 16 / sizeof(Word);
    BITUNE_UNROLL_N(4)
    for (u32 begin = 0; begin < left; begin += at_once) {
      Word others[at_once];
      load_vector(left_keys + begin, others);
      BITUNE_UNROLL
      for (u32 i = 0; i < at_once; ++i) order += begin + i < Group::thread() ? others[i] <= key : others[i] < key;
    }
    if (order < needed) atomic_add(&low[run], 1u);
  }
};

}  // namespace bitune
