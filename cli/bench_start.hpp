#pragma once

/// \file
/// `bitune bench start`.

#include "cli/command.hpp"

namespace bitune::cli {

/// Adds the subcommand to `bitune bench`, and the hidden one that its processes run.
void add_bench_start_command(CLI::App& parent, Action& action);

}  // namespace bitune::cli
