#pragma once

// Exact splitting of sorted runs in shared memory. It works like Splitter, and has its memory and its rounds. But first it copies a
// window of each run to shared memory: the keys around the place where the run is likely to be cut. Whole warps copy, a line at a time.
// Scattered loads are what splitting waits for. Only two a run are left of them: the keys that the run proposes.
//
// A cut is right if it lies inside of its window, not at an end. Then all keys before the window come before the cut, and all keys
// behind the window come after it. This holds for equal keys too, since they are in the order of their places. A cut at an end of its
// window may be wrong, unless the run ends there as well. Then the window moves, and all is done again. Where runs are unlike that takes
// several turns. After too many turns the whole runs are searched.
//
// Where many keys are equal, the windows tell which key has the rank, even if some windows must move. That key is not searched again.

#include "kernels/multiway/splitter.cuh"

namespace bitune {

/// Keys of the runs in shared memory, addressed by their places in the run.
template <class Raw, u32 length>
struct Windows {
  static constexpr u32 vector = layout::window_vector(sizeof(Raw));  ///< keys that are copied at once; starts are multiples of it
  /// Keys from one window to the next. The same place of neighbouring windows is in different banks.
  static constexpr u32 pitch = layout::window_pitch(length, sizeof(Raw));

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

template <class Word, class Raw, class Numbers, int nt, int groups, int pivots, int window>
struct WindowSplitter {
  using Whole = Splitter<Word, Numbers, nt, groups, pivots>;
  using Group = typename Whole::Group;
  using View = Windows<Raw, window>;
  static constexpr int most_turns = 8;
  static constexpr u32 to_load = u32{1} << 31;  // marks a start
  static constexpr u32 step = window - View::vector;  // so that a window's end is inside of the next
  static_assert(window % View::vector == 0 && window > View::vector);

  /// Shared memory, in u32, aligned to 16 bytes: for the groups together, and for each run besides.
  static constexpr u32 fixed_words = Whole::fixed_words + layout::window_fixed_words();
  static constexpr u32 words_per_run = Whole::words_per_run + layout::window_words_per_run(groups, window, sizeof(Raw));

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

  /// When the windows are there: [low, whole.high) of each run becomes its window. If `interval` has only one key left, it becomes the part
  /// of the window that has this key. Sets how many keys lie before these parts, and how many before their ends.
  BITUNE_DEVICE void begin(const Runs<Raw>& runs, typename Whole::Interval& interval, u32* low) {
    cp_async_wait_all();
    sync_warp();  // which loads the windows of its own lanes' runs, and has read their marks
    u32 ends[pivots] = {};
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      const u32 start = windows.starts[run] & ~to_load;
      windows.starts[run] = start;
      u32 below = 0;
      u32 not_above = minimum<u32>(window, runs.size(run) - start);
      if (interval.least == interval.greatest) equal_range(windows.begin(run).keys, not_above, interval.least, below, not_above);
      low[run] = start + below;
      whole.high[run] = start + not_above;
      ends[0] += low[run];
      ends[1] += whole.high[run];
    }
    whole.sum(ends);
    interval.below = ends[0];
    interval.end = ends[1];
  }

  /// Narrows the interval and the windows to what may be the key of the rank.
  BITUNE_DEVICE void search(const Runs<Raw>& runs, u32 rank, const Guess& guessed, Word origin, const typename Whole::Scale& scale, typename Whole::Interval& interval, u32* low) {
    Pivots kind = Pivots::guess;
    while (interval.is_open(rank)) {
      Word pivot[pivots];
      if (kind == Pivots::guess) {
        Whole::choose(guessed, interval, origin, scale, pivot);
      } else {
        if (kind == Pivots::divide) {
          whole.shrink(windows, runs.count, low, interval);
          if (interval.least == interval.greatest) break;
        }
        Whole::choose(interval, scale, rank, kind == Pivots::divide, pivot);
      }
      const bool failed = whole.narrow(runs.count, rank, pivot, interval, low, [&](u32 run, u32, u32 end, u32(&places)[pivots]) {
        windows.find(run, end, pivot, places);
      });
      kind = failed ? Pivots::divide : Pivots::interpolate;
    }
  }

  /// After a search that left one key. A window that has none of this key, because it lies beside it in its run, is moved. Returns
  /// whether there are such windows.
  ///
  /// A window may be full of the key up to one of its ends. Then the run is taken to have the key from there to the run's end; move()
  /// looks whether that is true where it matters. But if some windows lie before the key in their runs, the windows that are full up to
  /// their beginning are moved, too; and if some lie behind it, those that are full up to their end.
  BITUNE_DEVICE bool widen(const Runs<Raw>& runs, typename Whole::Interval& interval, u32* low) {
    constexpr u32 is_behind = 1;
    constexpr u32 is_before = u32{1} << 16;
    u32 sums[pivots] = {};  // windows that lie beside; places before and behind the key
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      const u32 start = windows.starts[run];
      const u32 size = runs.size(run);
      if (whole.high[run] == start && start > 0) {
        sums[0] += is_before;
      } else if (low[run] == start + window && start + window < size) {
        sums[0] += is_behind;
      } else if (low[run] < whole.high[run]) {
        if (low[run] == start) low[run] = 0;
        if (whole.high[run] == start + window) whole.high[run] = size;
      }
      sums[1] += low[run];
      sums[2] += whole.high[run];
    }
    whole.sum(sums);
    interval.below = sums[1];
    interval.end = sums[2];
    if (sums[0] == 0) return false;
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      const u32 start = windows.starts[run];
      const bool may_begin_before = sums[0] % is_before != 0 && low[run] < start;
      const bool may_end_behind = sums[0] >= is_before && whole.high[run] > start + window;
      if (whole.high[run] == start || may_begin_before) shift(runs, run, start, false);
      if (low[run] == start + window || may_end_behind) shift(runs, run, start, true);
    }
    return true;
  }

  /// Marks a window to be loaded again, one step on or back. Returns whether the run goes on there; else nothing is done.
  BITUNE_DEVICE bool shift(const Runs<Raw>& runs, u32 run, u32 start, bool on) const {
    const u32 next = on ? minimum(start + step, last_start(runs.size(run))) : (start > step ? start - step : 0);
    if (next == start) return false;
    windows.starts[run] = next | to_load;
    return true;
  }

  /// Moves each window whose cut may be wrong, and returns how many these are. A cut may be wrong if it lies at an end of the window that
  /// is not the run's end. Where only one key was left, a cut may lie outside of the window: it is right if the run has that key there.
  BITUNE_DEVICE u32 move(const Runs<Raw>& runs, const typename Whole::Interval& left, const u32* low) {
    u32 moved[pivots] = {};
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      const u32 start = windows.starts[run];
      const u32 cut = low[run];
      bool is_before = cut == start;
      bool is_behind = cut == start + window;
      if (left.least == left.greatest) {
        is_before = cut < start;
        is_behind = cut > start + window;
        if ((is_before || is_behind) && Word{runs.begin(run)[is_before ? cut : cut - 1]} == left.least) continue;
      }
      if ((is_before || is_behind) && shift(runs, run, start, is_behind)) ++moved[0];
    }
    whole.sum(moved);
    return moved[0];
  }

  /// Where the last window of a run of so many keys starts: it has the run's end.
  BITUNE_DEVICE static u32 last_start(u32 size) {
    return size > window ? (size - window + View::vector - 1) / View::vector * View::vector : 0;
  }

  /// How many of sorted keys are below `key`, and how many are not above it.
  BITUNE_DEVICE static void equal_range(const Raw* keys, u32 size, Word key, u32& below, u32& not_above) {
    below = 0;
    not_above = 0;
    while (size > 0) {
      const u32 half = (size + 1) / 2;
      if (keys[below + half - 1] < key) below += half;
      if (keys[not_above + half - 1] <= key) not_above += half;
      size -= half;
    }
  }

  /// The key of the rank, and where every run has it. Searches the whole runs for the key's bits, one by one: this is short code for what
  /// hardly ever happens.
  BITUNE_DEVICE typename Whole::Interval bisect(const Runs<Raw>& runs, u32 rank, u32* low) {
    Word key = 0;
    for (Word bit = Word{1} << (8 * sizeof(Raw) - 1);; bit >>= 1) {
      u32 ends[pivots] = {};
      for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
        equal_range(runs.begin(run), runs.size(run), key | bit, low[run], whole.high[run]);
        ends[0] += low[run];
        ends[1] += whole.high[run];
      }
      whole.sum(ends);
      if (bit == 0) return {key, key, ends[0], ends[1]};
      if (ends[0] <= rank) key |= bit;
    }
  }

  /// Splits the runs at `rank`, one of each group. low, in shared memory: for every run, the result, as Splitter's.
  BITUNE_DEVICE void operator()(const Runs<Raw>& runs, u32 rank, u32* low) {
    const Word origin = runs.begin(0)[Whole::first_place(runs, rank)];
    typename Whole::Scale scale;
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      low[run] = 0;
      whole.high[run] = runs.size(run);
    }
    Guess guessed = whole.guess(runs, {0, ~Word{0}, 0, runs.n}, rank, origin, scale, low);
    if (guessed.has_equal) guessed.furthest = minimum(guessed.furthest, static_cast<float>(step / 2 - 2));
    for (u32 run = Group::thread(); run < runs.count; run += Group::threads) {
      const u32 size = whole.high[run];
      const float start = whole.likely_place(guessed, run, runs.count, 0, size) - (window - View::vector) / 2;
      const u32 aligned = static_cast<u32>(maximum(start, 0.0f)) / View::vector * View::vector;
      windows.starts[run] = minimum(aligned, last_start(size)) | to_load;
    }
    constexpr typename Whole::Interval unknown{0, ~Word{0}, 0, 0};
    typename Whole::Interval left = unknown;
    for (int turn = 0;; ++turn) {
      const bool is_last = turn == most_turns;
      if (is_last) {
        left = bisect(runs, rank, low);
      } else {
        load(runs);
        begin(runs, left, low);
        search(runs, rank, guessed, origin, scale, left, low);
        if (left.least == left.greatest && widen(runs, left, low)) continue;
      }
      whole.take(windows, runs.count, runs.length, rank, left, low);
      if (is_last) return;
      const bool is_inside = left.below <= rank && rank <= left.end;  // else another key has the rank
      if (move(runs, left, low) == 0 && is_inside) return;
      if (!is_inside || left.least < left.greatest) left = unknown;
    }
  }
};

}  // namespace bitune
