#include "runtime/parts/host_call.hpp"

#include "model/problem_operands.hpp"

namespace bitune {

HostCall host_call(const Problem& problem, const Operands& operands, HostRows& rows) {
  HostCall call{.problem = problem, .arrays = {}, .reading = {}};
  for (const CallArray& array : arrays_of(problem)) {
    const Operand from = array.in == Role::keys_in     ? operands.input()
                         : array.in == Role::values_in ? operands.input_values()
                                                       : Operand{};
    const Operand to = array.out ? operands[*array.out] : Operand{};
    if (from.data == nullptr && to.data == nullptr) continue;  // keys_out of a top_k
    HostArray memory;
    memory.bytes = array.rows * array.row_length * array.element_bytes;
    if (void* room = rows.room_for(to, array, from.data == to.data))
      memory.to.push_back({room, memory.bytes});
    if (from.data != nullptr) memory.from.push_back({rows.packed(from, array), memory.bytes});
    call.arrays.push_back({.role = array.out ? *array.out : *array.in,
                           .memory = std::move(memory),
                           .elements = array.rows * array.row_length,
                           .stride = array.row_length});
  }
  for (const Role role : {Role::offsets, Role::ends, Role::lengths}) {
    const Operand& numbers = operands[role];
    if (numbers.data == nullptr) continue;
    const bool has_last = role == Role::offsets && operands[Role::ends].data == nullptr;
    const std::uint64_t count = problem.rows + (has_last ? 1 : 0);
    const std::size_t bytes = count * numbers.stride;
    call.arrays.push_back({.role = role,
                           .memory = {.from = {{numbers.data, bytes}}, .to = {}, .bytes = bytes},
                           .elements = count,
                           .stride = numbers.stride});
  }
  return call;
}

}  // namespace bitune
