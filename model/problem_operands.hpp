#pragma once

/// \file
/// The arrays of a problem's call, and operands whose rows follow each other without gaps.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"

namespace bitune {

/// One array of a call. A call in place reads and writes the same memory where both roles are there.
struct CallArray {
  std::optional<Role> in;   ///< nothing: it is only written
  std::optional<Role> out;  ///< nothing: it is only read, and stays as it is
  std::size_t element_bytes = 0;
  std::uint64_t row_length = 0;  ///< elements of each row
  std::uint64_t rows = 1;        ///< segments lie in one row
  bool by_segment = false;       ///< its elements lie in the segments of the call
};

/// What a problem reads and writes with an element for each key: keys, then values, then indices. Those that
/// are read go first. What gives the first k reads and writes different arrays, and writes rows of k of
/// segments, too.
[[nodiscard]] inline std::vector<CallArray> arrays_of(const Problem& problem) {
  std::vector<CallArray> arrays;
  const auto add = [&](std::optional<Role> in, std::optional<Role> out, std::size_t bytes) {
    if (bytes == 0) return;
    const bool by_segment = problem.ragged && (in || !selects(problem.operation));
    arrays.push_back(
        {in, out, bytes, in ? problem.n : result_length(problem), by_segment ? 1 : problem.rows, by_segment});
  };
  const std::size_t key_bytes = size_of(problem.key);
  if (selects(problem.operation)) {
    add(Role::keys_in, std::nullopt, key_bytes);
    add(Role::values_in, std::nullopt, problem.value_bytes);
    add(std::nullopt, Role::keys_out, key_bytes);
    add(std::nullopt, Role::values_out, problem.value_bytes);
  } else {
    add(Role::keys_in, writes_keys(problem) ? std::optional(Role::keys_out) : std::nullopt, key_bytes);
    add(Role::values_in, Role::values_out, problem.value_bytes);
  }
  add(std::nullopt, Role::indices_out, problem.index_bytes);
  return arrays;
}

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
