#pragma once

/// \file
/// Whether a device ran as fast as it usually does while it was measured.

#include <cstdint>

#include "model/clock.hpp"

namespace bitune {

/// Knows what is usual of one device in one process: the highest clock seen while it was measured, and what
/// throttles it all the time (a power limit below what its kernels draw, say).
///
/// Of a device that lastingly runs slower than it did, measuring everything again would never end: what a
/// repeated measurement saw last is taken for usual from then on.
///
/// Thread-confined.
class ClockWatch {
 public:
  /// Whether the clock was more than 3 % below the usual one, or varied by as much, or something throttled
  /// the device that usually does not. Never where nobody could look.
  [[nodiscard]] bool is_disturbed(const ClockSummary& clock) const noexcept;

  /// Makes usual what was seen while samples were taken that count.
  void settle(const ClockSummary& clock) noexcept;

 private:
  int usual_mhz_ = 0;
  std::uint32_t usual_throttling_ = 0;
};

}  // namespace bitune
