#pragma once

/// \file
/// Sorting by a configuration that somebody names, instead of the one that is selected.

#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "runtime/selector.hpp"

namespace bitune {

/// As if the configuration had been the only one ever tried on the device, for whatever is sorted.
[[nodiscard]] CandidateReader reader_of_one(const Configuration& configuration, const DeviceInfo& device);

/// \throws Error (usage) that says why the configuration does not sort this problem on this device
void expect_fit(const Configuration& configuration, const Problem& problem, const DeviceInfo& device);

}  // namespace bitune
