#pragma once

// A segment's places, by some lanes of a warp: what is copied to shared memory before a sort, and fetched from there behind it.

#include "kernels/network/carried_value.cuh"
#include "kernels/platform/kept_address.cuh"
#include "kernels/segments/segments.cuh"

namespace bitune {

/// The places first + r * stride of a segment that are there, of which a lane has at most `rounds`. All lanes of a warp take as many rounds,
/// so that none goes its own way behind them.
struct LanePlaces {
  Segment segment;
  u32 first;
  u32 stride;
  u32 rounds;

  /// Calls use(place) for each.
  template <class Use>
  BITUNE_DEVICE void each(const Use& use) const {
    each_fetched([](u32 place) { return place; }, [&](u32 place, u32 /*fetched*/) { use(place); });
  }

  /// Calls fetch(place) for some of them, then put(place, what was fetched) for these. So fetches need not wait for each other. fetch may be
  /// called for the segment's last place, too.
  template <class Fetch, class Put>
  BITUNE_DEVICE void each_fetched(const Fetch& fetch, const Put& put) const {
    constexpr u32 at_once = 3;
    const u32 length = static_cast<u32>(segment.length);
    const u32 last = length - (length != 0);
    u32 place = first;
    BITUNE_UNROLL_N(1)
    for (u32 r = 0; r < rounds; r += at_once) {
      u32 places[at_once];
      decltype(fetch(u32{0})) fetched[at_once];
      BITUNE_UNROLL
      for (u32 i = 0; i < at_once; ++i) {
        places[i] = place;
        fetched[i] = fetch(minimum(place, last));
        place += stride;
      }
      BITUNE_UNROLL
      for (u32 i = 0; i < at_once; ++i) {
        if (places[i] < length) put(places[i], fetched[i]);
      }
    }
  }
};

}  // namespace bitune
