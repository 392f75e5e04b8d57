#pragma once

// Exact splitting of sorted runs: how many keys of every run come before a given rank among all of them. Equal keys are in the order of
// their places in their runs, then of their runs. So there are as many keys between two ranks on any input. Places come first, since then
// the cuts of equal keys are near each other. They can be found without knowing where the equal keys begin (window_splitter.cuh).
//
// A group of threads splits at one rank. It narrows an interval of values [least, greatest] that holds the key of that rank. For every run
// it keeps the window of places whose keys lie in the interval. A round counts the keys below each of a few pivots, by a search in every
// window and a sum over the runs. It keeps what lies between two pivots. Pivots are found in one of three ways:
//
// - `guess`: every run proposes a key. It takes two keys, one on each side of the place where the rank would be if all runs were alike, and
//   proposes their mean. The mean and the spread of all proposals say where the rank's key is likely to be. How far the two keys are apart
//   says how dense the keys are, and so where in its run a thread should look. About the square root of all keys are left, for a few loads
//   a run. The first round does this, and each round after one that left more than a quarter of the keys. A guess also finds out whether
//   words or the numbers that they stand for are spread more evenly. Distances are measured between these (key_scale.cuh).
// - `interpolate`: pivots are around the value that the rank would have if the keys of the interval were evenly spread. Between the pivots
//   of a good guess keys are spread like that. A second guess would not help there: its two keys would be too near each other.
// - `divide`: the interval is shrunk to the keys that there are, and divided into equal parts. This ends on any input. It follows a guess
//   that failed.
//
// As soon as only a few keys are left, they are ranked among each other.
//
// P. J. Varman et al., "Merging multiple lists on hierarchical-memory multiprocessors", J. Parallel Distrib. Comput. 12
// (1991), treats the problem; narrowing by values needs no order among the runs' candidates.

#include "kernels/multiway/rank_search.cuh"
#include "kernels/platform/platform.cuh"

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
  bool has_equal;      ///< the two keys of some run are equal
};

/// `groups` groups of a block's nt threads, each of which splits at a rank of its own.
template <class Word, class Numbers, int nt, int groups, int pivots>
struct Splitter : RankSearch<Word, Numbers, nt, groups, pivots> {
  using Search = RankSearch<Word, Numbers, nt, groups, pivots>;
  using typename Search::Group;
  using typename Search::Interval;
  using typename Search::Scale;
  using Search::choose;
  using Search::high;
  using Search::middle;
  using Search::narrow;
  using Search::proposal_sum;
  using Search::shrink;
  using Search::take;

  BITUNE_DEVICE Splitter(u32* memory, u32 run_count) : Search(memory, run_count) {}

  /// Guesses, and stores where every run proposes (middle[run]) and what (as an offset: middle[count + run]). The origin is any value near
  /// the rank's. Says how the scale is to measure from then on.
  template <class Raw>
  BITUNE_DEVICE Guess guess(const Runs<Raw>& runs, const Interval& interval, u32 rank, Word origin, Scale& scale, const u32* low) {
    const float inside = static_cast<float>(interval.end - interval.below);
    const float share = minimum(approximate_quotient(static_cast<float>(rank - interval.below), inside), 1.0f);
    const float variance = share * (1 - share);
    // The number of proposals, their offsets, and the squares of these; how far the two keys are apart in value, and in place; how many
    // runs have two equal ones; the squares of how far they are apart in value.
    float sums[Search::proposal_sums] = {};
    while (true) {
      for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
        const u32 size = high[run] - low[run];
        if (size == 0) continue;
        const Raw* const keys = runs.begin(run) + low[run];
        const u32 place = minimum(static_cast<u32>(share * static_cast<float>(size)), size - 1);
        const u32 aside = static_cast<u32>(approximate_square_root(variance * static_cast<float>(size))) + 2;
        const u32 before = place > aside ? place - aside : 0;
        const u32 after = minimum(place + aside, size - 1);
        float lower;
        float upper;
        scale.offsets_from(origin, keys[before], keys[after], lower, upper);
        const float offset = 0.5f * (lower + upper);
        middle[run] = low[run] + place;
        middle[runs.count + run] = bits_of(offset);
        sums[0] += 1;
        sums[1] += offset;
        sums[2] += offset * offset;
        sums[3] += upper - lower;
        sums[4] += static_cast<float>(after - before);
        sums[5] += lower < upper ? 0 : 1;
        if constexpr (Numbers::exist) sums[6] += (upper - lower) * (upper - lower);
      }
      proposal_sum(sums);
      if constexpr (Numbers::exist) {
        if (scale.should_change(unevenness(sums, scale))) {
          for (float& sum : sums) sum = 0;
          continue;
        }
      }
      break;
    }
    const float part = approximate_quotient(1, maximum(sums[0], 1.0f));
    const float mean = sums[1] * part;
    const float spread = approximate_square_root(maximum(sums[2] * part - mean * mean, 0.0f));
    const float average_window = inside * part;
    const float place_spread = approximate_square_root(variance * average_window);
    const float part_of_error = approximate_square_root(part);
    // How many keys there are to a unit, by the two keys of each proposal. It is bounded: with more of them, the proposals would lie further
    // apart, in keys, than those of random keys do.
    const float density = sums[3] > 0 ? approximate_quotient(sums[4], sums[3]) : 0;
    const float most = spread > 0 ? approximate_quotient(place_spread, spread) : 0;
    return {mean, spread * part_of_error, approximate_quotient(minimum(density, most), average_window), 3 * place_spread + 3,
            2 * approximate_square_root(place_spread) + 4 * place_spread * part_of_error + 4, sums[5] > 0};
  }

  /// How unevenly keys are spread where the rank is: the relative variance of how far two keys are apart that have g keys between them,
  /// beyond what random keys are likely to have. Their variance is 1 / g. Equal words do no harm. Different words of equal numbers say that
  /// numbers are no help.
  BITUNE_DEVICE static float unevenness(const float (&sums)[7], const Scale& scale) {
    if (sums[5] > 0) return scale.of_numbers ? 1e9f : 0;
    const float variance = approximate_quotient(sums[6] * sums[0], sums[3] * sums[3]) - 1;
    return variance - approximate_quotient(1.4f * sums[0], sums[4]);
  }

  /// Where in its window [low, low + size) a run that proposed has its place, after a guess.
  BITUNE_DEVICE float likely_place(const Guess& guess, u32 run, u32 run_count, u32 low, u32 size) const {
    const float further = (guess.offset - float_of(middle[run_count + run])) * guess.share_a_unit * static_cast<float>(size);
    return static_cast<float>(middle[run] - low) + minimum(maximum(further, -guess.furthest), guess.furthest);
  }

  /// The pivots of a guess, in (0, ~0]. Where all proposals are alike, they are that value and the next one.
  BITUNE_DEVICE static void choose(const Guess& guess, const Interval& interval, Word origin, const Scale& scale, Word (&pivot)[pivots]) {
    BITUNE_UNROLL
    for (int i = 0; i < pivots; ++i) {
      const Word value = scale.word_at(origin, guess.offset + guess.error * deviation<pivots>(i));
      const Word next = 2 * i > pivots && value != ~Word{0} ? value + 1 : value;
      pivot[i] = minimum(maximum<Word>(next, interval.least + 1), interval.greatest);
    }
  }

  /// As places_in_window, near the likely place (counted from low). Keys at equal distances around it are loaded at once. They say between
  /// which two of them each pivot lies. If some pivot lies outside of all, the whole window is searched.
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

  /// Splits the runs at `rank`, of which each group has its own, between places that are known. low, in shared memory: for every run its
  /// place of a lower rank, and afterwards the result. high_of(run): its place of a higher rank. below, end: these two ranks. Thread t of
  /// the group writes the places of the runs t, t + threads, ... to low before. It may read the results of these runs at once; those of
  /// others after a barrier.
  template <class Raw, class High>
  BITUNE_DEVICE void operator()(const Runs<Raw>& runs, u32 rank, u32 below, u32 end, u32* low, const High& high_of) {
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) high[run] = high_of(run);
    const Word origin = runs.begin(0)[first_place(runs, rank)];
    Scale scale;

    // Invariant: the key of the rank is in [least, greatest], and a run's window has exactly its keys in that interval (of
    // those between the known places).
    Interval interval{0, ~Word{0}, below, end};
    Pivots kind = Pivots::guess;
    while (interval.is_open(rank)) {
      Word pivot[pivots];
      Guess guessed;
      if (kind == Pivots::guess) {
        guessed = guess(runs, interval, rank, origin, scale, low);
        choose(guessed, interval, origin, scale, pivot);
      } else {
        if (kind == Pivots::divide) {
          shrink(runs, runs.count, low, interval);
          if (interval.least == interval.greatest) break;
        }
        choose(interval, scale, rank, kind == Pivots::divide, pivot);
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
