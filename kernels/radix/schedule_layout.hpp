#pragma once

/// \file
/// Sizes of what the variant leading_digits decides on the device.

#include "kernels/radix/radix_layout.hpp"

namespace bitune::layout {

/// Passes of a schedule at most: digits of 4 bits, and one that makes their number even.
constexpr Size most_scheduled_passes() { return 17; }

/// Keys of a group that are put in order one by one.
constexpr Size most_group_keys() { return 32; }

/// Keys that tell whether leading digits do, and places of the table in which they are looked up.
constexpr Size sampled_keys() { return 2048; }
constexpr Size sample_places() { return 2 * sampled_keys(); }

/// u32 that are 0 when the first pass begins: what blocks have taken and done of both lists of passes, and whether the first one failed.
constexpr Size schedule_counters() { return 2 * (1 + most_scheduled_passes()) + 1; }

/// Bytes of a DigitSchedule.
constexpr Size schedule_bytes() { return 4 * (2 * (1 + most_scheduled_passes()) + 2); }

/// Shared memory of the block that chooses the digits: the sample, its table, and of each digit how alike keys are in it.
constexpr Size choose_digits_bytes(Size word_bytes) {
  return sampled_keys() * word_bytes + sample_places() * 4 + 2 * 4 * most_scheduled_passes();
}

}  // namespace bitune::layout
