#include "capi/structs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bitune/error.hpp"
#include "capi/call.hpp"
#include "model/operation.hpp"

namespace bitune::capi {
namespace {

static_assert(all_operations.size() == BITUNE_TOP_K + 1);
static_assert(static_cast<int>(KeyType::f16) == BITUNE_KEY_F16 &&
              static_cast<int>(KeyType::f64) == BITUNE_KEY_F64);
static_assert(static_cast<int>(Order::descending) == BITUNE_DESCENDING);

/// A number that names one of `count` things, from 0 on.
template <class Enum>
Enum named(std::uint32_t number, std::uint32_t count, std::string_view field) {
  if (number >= count)
    throw Error(ErrorCode::usage,
                fmt::format("bitune_problem: {} is {}; it is one of 0 to {}", field, number, count - 1));
  return static_cast<Enum>(number);
}

Operand operand_from(const bitune_operand& given) noexcept {
  return {.data = given.data, .elements = given.elements, .stride = given.stride};
}

}  // namespace

void check_size(const void* given, std::size_t size, std::size_t known, std::string_view name) {
  if (size < sizeof(std::size_t) || size % 8 != 0)
    throw Error(ErrorCode::usage,
                fmt::format("{}: its size is {}; begin with the initialiser macro of bitune.h", name, size));
  if (size <= known) return;
  const auto* const bytes = static_cast<const unsigned char*>(given);
  if (std::any_of(bytes + known, bytes + size, [](unsigned char byte) { return byte != 0; }))
    throw Error(ErrorCode::usage,
                fmt::format("{}: the program sets members that this version of the library ({}) does not "
                            "know; install a newer one",
                            name, bitune_version()));
}

Problem problem_from(const bitune_problem* given) {
  require(given, "problem");
  const bitune_problem read = read_struct<bitune_problem>(*given, BITUNE_PROBLEM_INIT, "bitune_problem");
  if (read.reserved != 0) throw Error(ErrorCode::usage, "bitune_problem: reserved is not 0");
  Problem problem;
  problem.operation = named<Operation>(read.operation, all_operations.size(), "operation");
  problem.key = named<KeyType>(read.key, BITUNE_KEY_F64 + 1, "key");
  problem.value_bytes = read.value_bytes;
  problem.index_bytes = read.index_bytes;
  problem.order = named<Order>(read.order, 2, "order");
  problem.stable = named<bool>(read.stable, 2, "stable");
  problem.k = read.k;
  problem.n = read.n;
  problem.rows = read.rows;
  problem.ragged = named<bool>(read.ragged, 2, "ragged");
  return problem;
}

Operands operands_from(const bitune_operands* given) {
  require(given, "operands");
  const bitune_operands read = read_struct<bitune_operands>(*given, BITUNE_OPERANDS_INIT, "bitune_operands");
  Operands operands;
  operands[Role::keys_in] = operand_from(read.keys_in);
  operands[Role::keys_out] = operand_from(read.keys_out);
  operands[Role::values_in] = operand_from(read.values_in);
  operands[Role::values_out] = operand_from(read.values_out);
  operands[Role::indices_out] = operand_from(read.indices_out);
  operands[Role::offsets] = operand_from(read.offsets);
  operands[Role::ends] = operand_from(read.ends);
  operands[Role::lengths] = operand_from(read.lengths);
  operands[Role::workspace] = operand_from(read.workspace);
  return operands;
}

bitune_problem struct_of(const Problem& problem) noexcept {
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

}  // namespace bitune::capi
