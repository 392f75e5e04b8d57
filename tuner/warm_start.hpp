#pragma once

/// \file
/// Warm starts: what won at near sizes and on near devices is tried first.

#include <functional>
#include <vector>

#include "runtime/selection.hpp"

namespace bitune {

/// At most five configurations for which `is_valid`, the most promising first: of this device before those of
/// the same compute capability, of the same major one and of others; there of the nearest problem. How near
/// it is, is the |log2 ratio| of length and rows, half as much as a doubling more for another key type and a
/// quarter for the other order. Of each place (a device and a problem) the fastest, and as if they were
/// further away, other variants that are not far behind. Emulated devices and GPUs do not serve each other. A
/// pure function.
[[nodiscard]] std::vector<Configuration> warm_starts(
    const Problem& problem, const DeviceInfo& device, const CandidateSet& candidates,
    const std::function<bool(const Configuration&)>& is_valid);

}  // namespace bitune
