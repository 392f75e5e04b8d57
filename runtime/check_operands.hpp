#pragma once

/// \file
/// What a call's memory must be like, checked before anything is enqueued.

#include <cstdint>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"

namespace bitune {

/// Refuses a problem that no operands fit: widths that there are not, indices too narrow for the keys.
/// \throws Error (usage), or Error (unavailable) for what is not built
void check_problem(const Problem& problem);

/// Refuses what `check_problem` does, and operands that do not fit the problem: null, misaligned, too few
/// elements, rows that overlap each other, arrays that overlap, or such as reach farther than any memory
/// does. Without keys (n or rows is 0) nothing of them is looked at but strides. \throws Error (usage,
/// unavailable)
void check_operands(const Problem& problem, const Operands& operands);

/// Refuses a workspace that is misaligned or smaller than `needed` bytes. \throws Error (usage)
void check_workspace(const Problem& problem, const Operand& workspace, std::uint64_t needed);

}  // namespace bitune
