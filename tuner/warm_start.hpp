#pragma once

/// \file
/// Warm starts: what won at near sizes and on near devices is tried first.

#include <functional>
#include <vector>

#include "runtime/kernel_sources.hpp"
#include "runtime/selection.hpp"

namespace bitune {

/// At most five configurations for which `is_valid`, in the order in which selection would take them
/// (`ladder_of`, runtime/selection_ladder.hpp). A pure function.
[[nodiscard]] std::vector<Configuration> warm_starts(
    const Problem& problem, const DeviceInfo& device, const CandidateSet& candidates,
    const KernelDigests& current_kernels, const std::function<bool(const Configuration&)>& is_valid);

}  // namespace bitune
