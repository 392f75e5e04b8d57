#pragma once

/// \file
/// Warm starts: what won at near sizes and on near devices is tried first.

#include <functional>
#include <vector>

#include "runtime/selection.hpp"

namespace bitune {

/// At most four configurations for which `is_valid`, the most promising first: of this device before those of
/// the same compute capability, of the same major one and of others; there of the nearest problem by the
/// |log2 ratio| of length and rows, with the same key type and order before others. Of each place (a device
/// and a problem) the fastest, and other variants that are not far behind. Emulated devices and GPUs do not
/// serve each other. A pure function.
[[nodiscard]] std::vector<Configuration> warm_starts(
    const Problem& problem, const DeviceInfo& device, const CandidateSet& candidates,
    const std::function<bool(const Configuration&)>& is_valid);

}  // namespace bitune
