#pragma once

/// \file
/// One call on arrays in the host's memory, with what is told of it.

#include "bitune/bitune.hpp"
#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "cli/command.hpp"
#include "cli/progress_line.hpp"
#include "cli/sort_report.hpp"

namespace bitune::cli {

/// How the command sorts files. While calls are done in parts, the line shows how far they are; it must live
/// as long as the Sorter.
[[nodiscard]] SorterOptions sorter_options(const CommonOptions& common, ProgressLine& line);

/// Prepares the problem and says how it will be done; not what is done in parts.
void prepare(Sorter& sorter, const Problem& problem, SortReport& report);

/// Asks the oracle whether a call was done right, of which no output is an input. \throws Error
/// (verification) if it was not
void verify_call(const Problem& problem, const Operands& operands, SortReport& report);

/// Does what the problem says with operands of which no output is an input. verify: asks the oracle.
/// \throws Error, and Error (verification) if the result is wrong
[[nodiscard]] SortReport call_on_host(Sorter& sorter, const Problem& problem, const Operands& operands,
                                      bool verify);

}  // namespace bitune::cli
