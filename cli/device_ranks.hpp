#pragma once

/// \file
/// One array of the host over several devices.

#include <string>
#include <vector>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "cli/command.hpp"
#include "cli/sort_report.hpp"

namespace bitune::cli {

/// What commands that sort files share besides the file: devices and how much of their memory, the database,
/// and "--json". Beside "--devices" nothing says what device it is, or that there is more than one array.
void add_call_options(CLI::App& command, CommonOptions& common, std::vector<std::string>& devices);

/// As call_on_host, over the devices that `--devices` names: each has a rank, which sorts an equal part.
/// \throws Error, and Error (verification) if the result is wrong
[[nodiscard]] SortReport call_over_devices(const std::vector<std::string>& devices,
                                           const CommonOptions& common, const Problem& problem,
                                           const Operands& operands, bool verify);

}  // namespace bitune::cli
