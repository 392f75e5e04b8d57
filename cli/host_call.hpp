#pragma once

/// \file
/// One call on arrays in the host's memory, with what is told of it.

#include "bitune/bitune.hpp"
#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "cli/command.hpp"
#include "cli/sort_report.hpp"

namespace bitune::cli {

/// Does what the problem says with operands of which no output is an input. verify: asks the oracle.
/// \throws Error, and Error (verification) if the result is wrong
[[nodiscard]] SortReport call_on_host(Sorter& sorter, const Problem& problem, const Operands& operands,
                                      bool verify);

/// As above, with a Sorter for the one call.
[[nodiscard]] SortReport call_on_host(const CommonOptions& common, const Problem& problem,
                                      const Operands& operands, bool verify);

}  // namespace bitune::cli
