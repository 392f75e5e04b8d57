#pragma once

/// \file
/// How long the steps of a call take.

#include <chrono>

namespace bitune::multi {

/// Microseconds since the last lap.
class Laps {
 public:
  double lap() {
    const auto now = Clock::now();
    const double us = std::chrono::duration<double, std::micro>(now - last_).count();
    last_ = now;
    return us;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

}  // namespace bitune::multi
