#pragma once

/// \file
/// Problems and operands as the C library's structs.

#include "bitune/bitune.h"
#include "bitune/operands.hpp"
#include "bitune/types.hpp"

namespace bitune {

[[nodiscard]] inline bitune_problem c_struct_of(const Problem& problem) noexcept {
  bitune_problem given = BITUNE_PROBLEM_INIT;
  given.operation = static_cast<bitune_operation>(problem.operation);
  given.key = static_cast<bitune_key_type>(problem.key);
  given.value_bytes = problem.value_bytes;
  given.index_bytes = problem.index_bytes;
  given.order = static_cast<bitune_order>(problem.order);
  given.stable = problem.stable ? 1 : 0;
  given.k = problem.k;
  given.n = problem.n;
  given.rows = problem.rows;
  given.ragged = problem.ragged ? 1 : 0;
  return given;
}

/// Calls visit(member, role) for each operand of the struct.
template <class Struct, class Visit>
void for_each_c_operand(Struct& operands, const Visit& visit) {
  visit(operands.keys_in, Role::keys_in);
  visit(operands.keys_out, Role::keys_out);
  visit(operands.values_in, Role::values_in);
  visit(operands.values_out, Role::values_out);
  visit(operands.indices_out, Role::indices_out);
  visit(operands.offsets, Role::offsets);
  visit(operands.ends, Role::ends);
  visit(operands.lengths, Role::lengths);
  visit(operands.workspace, Role::workspace);
}

[[nodiscard]] inline bitune_operands c_struct_of(const Operands& operands) noexcept {
  bitune_operands given = BITUNE_OPERANDS_INIT;
  for_each_c_operand(given, [&operands](bitune_operand& operand, Role role) {
    operand = {operands[role].data, operands[role].elements, operands[role].stride};
  });
  return given;
}

}  // namespace bitune
