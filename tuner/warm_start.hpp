#pragma once

/// \file
/// Warm starts: what won for problems that are near this one is tried first.

#include <functional>
#include <string_view>
#include <vector>

#include "runtime/kernel_sources.hpp"
#include "runtime/selection.hpp"

namespace bitune {

/// What a search may start with.
struct Searched {
  std::function<bool(std::string_view variant)> has_variant;
  std::function<bool(const Configuration&)> is_valid;
};

/// At most five configurations that are valid. First what won for this very problem on this device, with
/// earlier kernels, too: whoever installs another bitune tunes again from there. Then what won for problems
/// of this very shape: with other keys, with other values or with indices, stable or not. Then what won for
/// other lengths; then the second best of each problem, and so on. Otherwise in the order in which selection
/// would take them
/// (`ladder_of`, runtime/selection_ladder.hpp). So no problem that has many trials hides what was found for
/// another one. A pure function.
[[nodiscard]] std::vector<Configuration> warm_starts(const Problem& problem, const DeviceInfo& device,
                                                     const CandidateSet& candidates,
                                                     const KernelDigests& current_kernels,
                                                     const Searched& searched);

}  // namespace bitune
