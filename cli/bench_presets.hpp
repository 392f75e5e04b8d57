#pragma once

/// \file
/// `bitune bench presets`.

#include "cli/command.hpp"

namespace bitune::cli {

/// Adds the subcommand to `bitune bench`.
void add_bench_presets_command(CLI::App& parent, Action& action);

}  // namespace bitune::cli
