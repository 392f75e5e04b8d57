#include "measure/clock_watch.hpp"

#include <algorithm>

namespace bitune {
namespace {

constexpr double steady = 0.97;  // clocks move in steps of less than 1 %

}  // namespace

bool ClockWatch::is_disturbed(const ClockSummary& clock) const noexcept {
  if (!clock.is_known()) return false;
  if ((clock.throttled & ~usual_throttling_) != 0) return true;
  return clock.lowest_mhz < steady * std::max(usual_mhz_, clock.highest_mhz);
}

void ClockWatch::settle(const ClockSummary& clock) noexcept {
  if (!clock.is_known()) return;
  // A device that is disturbed even now will be so for a while: that is how it runs from now on.
  usual_mhz_ = is_disturbed(clock) ? clock.lowest_mhz : std::max(usual_mhz_, clock.highest_mhz);
  usual_throttling_ = clock.throttled;
}

}  // namespace bitune
