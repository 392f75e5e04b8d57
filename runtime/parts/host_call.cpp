#include "runtime/parts/host_call.hpp"

#include "model/problem_operands.hpp"

namespace bitune {

HostCall host_call(const Problem& problem, const Operands& operands, HostRows& rows) {
  HostCall call{.problem = problem, .arrays = {}};
  for (const CallArray& array : arrays_of(problem)) {
    const Operand from = array.in == Role::keys_in     ? operands.input()
                         : array.in == Role::values_in ? operands.input_values()
                                                       : Operand{};
    const Operand to = array.out ? operands[*array.out] : Operand{};
    if (from.data == nullptr && to.data == nullptr) continue;  // keys_out of a top_k
    const std::uint64_t row_bytes = array.row_length * array.element_bytes;
    HostArray memory;
    memory.to = rows.room_for(to, array.element_bytes, row_bytes);
    memory.bytes = problem.rows * row_bytes;
    if (from.data != nullptr) {
      memory.from.push_back({rows.packed(from, array.element_bytes, row_bytes), memory.bytes});
    }
    call.arrays.push_back({.role = array.out ? *array.out : *array.in,
                           .memory = std::move(memory),
                           .elements = problem.rows * array.row_length,
                           .stride = array.row_length});
  }
  if (const Operand& lengths = operands[Role::lengths]; lengths.data != nullptr) {
    const std::size_t bytes = problem.rows * lengths.stride;
    call.arrays.push_back({.role = Role::lengths,
                           .memory = {.from = {{lengths.data, bytes}}, .to = nullptr, .bytes = bytes},
                           .elements = problem.rows,
                           .stride = lengths.stride});
  }
  return call;
}

}  // namespace bitune
