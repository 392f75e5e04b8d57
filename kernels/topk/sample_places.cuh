#pragma once

// Where samples are taken, by threads that each take several.

#include "kernels/platform/platform.cuh"

namespace bitune {

/// Random places; which ones, nobody can foresee. A thread reads a clock once.
struct SamplePlaces {
  u32 seed = unforeseen_cycle();

  /// One of `samples` equal parts of n places, a random one of each; of a part without places, the one that follows.
  BITUNE_DEVICE u32 operator()(u32 sample, u32 samples, u32 n) const {
    return within(sample, static_cast<u32>(u64{sample} * n / samples), static_cast<u32>(u64{sample + 1} * n / samples));
  }

  /// The same of 2^bits parts.
  BITUNE_DEVICE u32 of_power(u32 sample, u32 bits, u32 n) const {
    return within(sample, static_cast<u32>(u64{sample} * n >> bits), static_cast<u32>(u64{sample + 1} * n >> bits));
  }

 private:
  BITUNE_DEVICE u32 within(u32 sample, u32 begin, u32 end) const {
    u32 x = seed + sample * 0x85ebca6bu;  // then the finaliser of MurmurHash3 (A. Appleby, public domain)
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    x ^= x >> 16;
    return begin + static_cast<u32>(u64{x} * (end - begin) >> 32);
  }
};

}  // namespace bitune
