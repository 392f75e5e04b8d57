#pragma once

/// \file
/// What a call must come to, made on the host.

#include "bitune/operands.hpp"
#include "bitune/types.hpp"

namespace bitune {

/// Writes each output of the problem as a stable sort does, with as many threads as pay. The operands are in
/// the host's memory, inputs and outputs apart (keys alone may be in place), of any alignment. Rows begin
/// `stride` elements apart, in each operand by its own stride. The order is the oracle's
/// (measure/oracle.hpp). Segments must be right (find_wrong_segment). Rows that have fewer than k keys are
/// filled. `lengths` are not looked at. Besides the operands it takes memory for two
/// indices and two places of keys for each key of a row where something travels with them. \throws
/// std::bad_alloc
void reference_call(const Problem& problem, const Operands& on_host);

}  // namespace bitune
