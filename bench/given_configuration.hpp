#pragma once

/// \file
/// An engine that sorts by a configuration that somebody names, instead of the one that is selected.

#include <memory>

#include "bitune/bitune.hpp"
#include "model/configuration.hpp"
#include "runtime/sort_engine.hpp"

namespace bitune {

/// Opens what `options` say, but sorts everything by this configuration. \throws Error (usage, unavailable)
[[nodiscard]] std::unique_ptr<SortEngine> open_engine_of(const SorterOptions& options,
                                                         const Configuration& configuration);

/// \throws Error (usage) that says why the configuration does not sort this problem on this device
void expect_fit(const Configuration& configuration, const Problem& problem, const DeviceInfo& device);

}  // namespace bitune
