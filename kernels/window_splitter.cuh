#pragma once

// Exact splitting of sorted runs in shared memory. As Splitter, whose memory and rounds it has; but what lies around the likely place
// of every run, a window, is copied to shared memory before anything is searched: by whole warps, a line at a time. Scattered loads
// are what splitting waits for, and there are two a run left of them: the keys that it proposes.
//
// A rank's cut is right if it lies within the windows, not at their ends: each run's keys before its window come before the cut, and
// those behind it after. (Ties included: equal keys are in the order of their places.) Where one lies at an end that is not the run's,
// that window moves on and all of it is done again. That takes several turns where runs are unlike or keys equal, and after too many
// of them the whole runs are searched.

#include "kernels/splitter.cuh"

namespace bitune {

/// Keys of the runs in shared memory, addressed by their places in the run.
template <class Raw, u32 length>
struct Windows {
  static constexpr u32 vector = 16 / sizeof(Raw);  ///< keys that are copied at once; starts are multiples of it
  /// So that the same place of neighbouring windows is in different banks.
  static constexpr u32 pitch = length + vector;

  struct Window {
    const Raw* keys;
    u32 start;

    BITUNE_DEVICE Raw operator[](u32 place) const { return keys[place - start]; }
  };

  Raw* keys;    // [run][pitch]
  u32* starts;  // [run]

  BITUNE_DEVICE Window begin(u32 run) const { return {keys + run * pitch, starts[run]}; }

  /// Places of the first keys before `end` that are not below each pivot, or `end`.
  template <int N, class Word>
  BITUNE_DEVICE void find(u32 run, u32 end, const Word (&pivots)[N], u32 (&places)[N]) const {
    const Raw* const window = keys + run * pitch;
    BITUNE_UNROLL
    for (int i = 0; i < N; ++i) places[i] = 0;
    BITUNE_UNROLL
    for (u32 size = length; size > 1; size -= size / 2) {
      BITUNE_UNROLL
      for (int i = 0; i < N; ++i) places[i] += window[places[i] + size / 2 - 1] < pivots[i] ? size / 2 : 0;
    }
    BITUNE_UNROLL
    for (int i = 0; i < N; ++i) places[i] = minimum(starts[run] + places[i] + (window[places[i]] < pivots[i] ? 1 : 0), end);
  }
};

template <class Word, class Raw, int nt, int groups, int pivots, int window>
struct WindowSplitter {
  using Whole = Splitter<Word, nt, groups, pivots>;
  using Group = typename Whole::Group;
  using View = Windows<Raw, window>;
  static constexpr int most_turns = 8;
  static constexpr u32 to_load = u32{1} << 31;  // marks a start
  static_assert(window % View::vector == 0 && window > View::vector);

  /// Shared memory, in u32, aligned to 16 bytes: for the groups together, and for each run besides.
  static constexpr u32 fixed_words = Whole::fixed_words + 4;
  static constexpr u32 words_per_run = Whole::words_per_run + groups * (1 + View::pitch * sizeof(Raw) / sizeof(u32));

  Whole whole;
  View windows;

  BITUNE_DEVICE WindowSplitter(u32* memory, u32 run_count) : whole(memory, run_count) {
    u32* const behind = memory + (Whole::fixed_words + Whole::words_per_run * run_count + 3) / 4 * 4;
    constexpr u32 pitch = View::pitch * sizeof(Raw) / sizeof(u32);
    windows.keys = reinterpret_cast<Raw*>(behind + Group::index() * run_count * pitch);
    windows.starts = behind + (groups * pitch + Group::index()) * run_count;
  }

  /// Starts to copy the windows that are marked; each warp those of its own lanes' runs.
  BITUNE_DEVICE void load(const Runs<Raw>& runs) const {
    constexpr u32 pieces = window / View::vector;  // of 16 bytes
    sync_warp();  // the lanes have marked them
    for (u32 base = Group::warp() * warp_size; base < runs.count; base += Group::threads) {
      BITUNE_UNROLL_N(4)
      for (u32 i = lane(); i < pieces * warp_size; i += warp_size) {
        const u32 run = base + i / pieces;
        const u32 at = i % pieces * View::vector;
        const u32 start = run < runs.count ? windows.starts[run] : 0;
        if ((start & to_load) == 0) continue;
        cp_async_16(windows.keys + run * View::pitch + at, runs.begin(run) + (start & ~to_load) + at);
      }
    }
  }

  /// Looks for the rank in the windows, when they are there: `low` becomes the cuts, if these lie within.
  BITUNE_DEVICE void search(const Runs<Raw>& runs, u32 rank, const Guess& guessed, Word origin, u32* low) {
    u32 ends[pivots] = {};
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      const u32 start = windows.starts[run] & ~to_load;
      low[run] = start;
      whole.high[run] = minimum(start + window, runs.size(run));
      ends[0] += low[run];
      ends[1] += whole.high[run];
    }
    cp_async_wait_all();
    whole.sum(ends);  // its barrier is the windows', too, and that of who has read the marks
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) windows.starts[run] = low[run];
    typename Whole::Interval interval{0, ~Word{0}, ends[0], ends[1]};
    Pivots kind = Pivots::guess;
    while (interval.is_open(rank)) {
      Word pivot[pivots];
      if (kind == Pivots::guess) {
        Whole::choose(guessed, interval, origin, pivot);
      } else {
        if (kind == Pivots::divide) {
          whole.shrink(windows, runs.count, low, interval);
          if (interval.least == interval.greatest) break;
        }
        Whole::choose(interval, rank, kind == Pivots::divide, pivot);
      }
      const bool failed = whole.narrow(runs.count, rank, pivot, interval, low, [&](u32 run, u32, u32 end, u32(&places)[pivots]) {
        windows.find(run, end, pivot, places);
      });
      kind = failed ? Pivots::divide : Pivots::interpolate;
    }
    whole.take(windows, runs.count, runs.length, rank, interval, low);
  }

  /// Moves the windows on whose cuts lie at an end; how many there are.
  BITUNE_DEVICE u32 move(const Runs<Raw>& runs, const u32* low) {
    constexpr u32 step = window - View::vector;
    u32 moved[pivots] = {};
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      const u32 start = windows.starts[run];
      const u32 size = runs.size(run);
      const u32 last = last_start(size);
      u32 next = start;
      if (low[run] == start) next = start > step ? start - step : 0;
      if (low[run] == start + window) next = minimum(start + step, last);
      if (next == start) continue;
      windows.starts[run] = next | to_load;
      ++moved[0];
    }
    whole.sum(moved);
    return moved[0];
  }

  /// Where the last window of a run of so many keys starts: it has the run's end.
  BITUNE_DEVICE static u32 last_start(u32 size) {
    return size > window ? (size - window + View::vector - 1) / View::vector * View::vector : 0;
  }

  /// How many keys of a run are below `key`, or (equal) not above it.
  BITUNE_DEVICE static u32 keys_below(const Raw* keys, u32 size, Word key, bool equal) {
    u32 place = 0;
    while (size > 0) {
      const u32 half = (size + 1) / 2;
      const Word other = keys[place + half - 1];
      if (other < key || (equal && other == key)) place += half;
      size -= half;
    }
    return place;
  }

  /// Splits at the rank by searches of the whole runs for its key, bit by bit: short code for what hardly ever happens.
  BITUNE_DEVICE void bisect(const Runs<Raw>& runs, u32 rank, u32* low) {
    Word key = 0;
    for (Word bit = Word{1} << (8 * sizeof(Raw) - 1); bit != 0; bit >>= 1) {
      u32 below[pivots] = {};
      for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
        below[0] += keys_below(runs.begin(run), runs.size(run), key | bit, false);
      }
      whole.sum(below);
      if (below[0] <= rank) key |= bit;
    }
    u32 ends[pivots] = {};
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      low[run] = keys_below(runs.begin(run), runs.size(run), key, false);
      whole.high[run] = keys_below(runs.begin(run), runs.size(run), key, true);
      ends[0] += low[run];
      ends[1] += whole.high[run];
    }
    whole.sum(ends);
    whole.take_equal(runs.count, runs.length, rank, ends[0], ends[1], low);
  }

  /// Splits the runs at `rank`, one of each group. low, in shared memory: for every run, the result, as Splitter's.
  BITUNE_DEVICE void operator()(const Runs<Raw>& runs, u32 rank, u32* low) {
    const Word origin = runs.begin(0)[Whole::first_place(runs, rank)];
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      low[run] = 0;
      whole.high[run] = runs.size(run);
    }
    const Guess guessed = whole.guess(runs, {0, ~Word{0}, 0, runs.n}, rank, origin, low);
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      const u32 size = whole.high[run];
      const float start = whole.likely_place(guessed, run, runs.count, 0, size) - (window - View::vector) / 2;
      const u32 aligned = static_cast<u32>(maximum(start, 0.0f)) / View::vector * View::vector;
      windows.starts[run] = minimum(aligned, last_start(size)) | to_load;
    }
    for (int turn = 0; turn < most_turns; ++turn) {
      load(runs);
      search(runs, rank, guessed, origin, low);
      if (move(runs, low) == 0) return;
    }
    bisect(runs, rank, low);
  }
};

}  // namespace bitune
