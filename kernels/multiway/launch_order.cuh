#pragma once

// When a pass of the multiway variants lets the next launch begin.

#include "kernels/network/launch.cuh"

namespace bitune {

/// When the next launch may begin, if it is a dependent one: at once, or (late) when this one has only its stores left to do. Blocks take
/// room as soon as they begin, even while they wait.
template <bool late>
struct LaunchOrder {
  BITUNE_DEVICE static void begin() {
    if constexpr (late) {
      wait_for_previous_launch();
    } else {
      begin_launch();
    }
  }
  BITUNE_DEVICE static void before_stores() {
    if constexpr (late) allow_next_launch();
  }
};

}  // namespace bitune
