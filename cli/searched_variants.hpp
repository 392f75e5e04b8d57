#pragma once

/// \file
/// Which variants and configurations a session of `bitune tune` looks at.

#include <string>
#include <vector>

#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "tuner/session.hpp"

namespace bitune::cli {

/// Prints a line for each variant that is searched and each problem that it can do.
void list_searched(const TuneRequest& request, const DeviceInfo& device);

/// Says which problems none of the named variants can do: only what sorts take now is measured for these.
void remark_on_variants(const TuneRequest& request, const DeviceInfo& device);

/// What the search begins with, as texts. \throws Error (usage) if one is no configuration, or none of the
/// space of any problem: says why
[[nodiscard]] std::vector<Configuration> parse_starts(const std::vector<std::string>& texts,
                                                      const TuneRequest& request, const DeviceInfo& device);

}  // namespace bitune::cli
