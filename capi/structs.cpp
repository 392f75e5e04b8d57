#include "capi/structs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bitune/error.hpp"
#include "capi/call.hpp"
#include "model/c_structs.hpp"
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

Operands operands_from(const bitune_operands* asked) {
  require(asked, "operands");
  const bitune_operands read = read_struct<bitune_operands>(*asked, BITUNE_OPERANDS_INIT, "bitune_operands");
  Operands operands;
  for_each_c_operand(read, [&operands](const bitune_operand& given, Role role) {
    operands[role] = {given.data, given.elements, given.stride};
  });
  return operands;
}

}  // namespace bitune::capi
