#pragma once

/// \file
/// Operands of a problem whose rows follow each other without gaps.

#include "bitune/operands.hpp"
#include "bitune/types.hpp"

namespace bitune {

/// The keys of the problem, rows one behind the other. `in` is null, or `out`, where they are sorted in
/// place. Precondition: the problem's keys are countable (`key_count`).
[[nodiscard]] inline Operands packed_operands(const Problem& problem, void* out, const void* in = nullptr) {
  const std::uint64_t keys = problem.ragged ? problem.n : problem.n * problem.rows;
  Operands operands;
  operands[Role::keys_out] = {out, keys, problem.n};
  // Operands are not const, since one type serves inputs and outputs. Inputs are never written.
  if (in != nullptr && in != out) operands[Role::keys_in] = {const_cast<void*>(in), keys, problem.n};
  return operands;
}

}  // namespace bitune
