#include "runtime/check_operands.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 63;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

void check_stride(const Problem& problem, const Operand& operand, std::size_t size) {
  if (problem.kind() != ShapeKind::rows) return;
  if (operand.stride < problem.n) {
    refuse(fmt::format(
        "rows of {} keys that begin every {} keys overlap: the row stride is in keys, and at least "
        "the row length",
        problem.n, operand.stride));
  }
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(operand.stride, size, &bytes) ||
      __builtin_mul_overflow(bytes, problem.rows, &bytes) || bytes > most_bytes) {
    refuse(fmt::format("'{}' with a row stride of {} keys reaches over more than 2^63 bytes",
                       text_of(problem), operand.stride));
  }
}

void check_array(const Problem& problem, const Operand& operand, std::size_t size, std::string_view what) {
  if (operand.data == nullptr) {
    refuse(fmt::format("{} of '{}' is a null pointer: pass the array", what, text_of(problem)));
  }
  if (reinterpret_cast<std::uintptr_t>(operand.data) % size != 0) {
    refuse(fmt::format("{} at {} is not aligned to {} bytes: {} keys must lie at a multiple of their size",
                       what, operand.data, size, name_of(problem.key)));
  }
  const std::uint64_t reach = problem.kind() == ShapeKind::rows
                                  ? (problem.rows - 1) * operand.stride + problem.n
                                  : key_count(problem);
  if (operand.elements < reach) {
    refuse(fmt::format("{} has room for {} keys, and '{}' reaches over {}", what, operand.elements,
                       text_of(problem), reach));
  }
}

}  // namespace

void check_operands(const Problem& problem, const Operands& operands) {
  const std::size_t size = size_of(problem.key);
  const Operand& out = operands[Role::keys_out];
  const Operand& in = operands.input();
  check_stride(problem, out, size);
  check_stride(problem, in, size);
  if (problem.n == 0 || problem.rows == 0) return;
  // What is sorted in place and is in order as it is needs no memory.
  if (problem.n < 2 && operands.in_place()) return;
  check_array(problem, out, size, "the array of sorted keys");
  if (!operands.in_place()) check_array(problem, in, size, "the array of keys");
}

void check_workspace(const Problem& problem, const Operand& workspace, std::uint64_t needed) {
  constexpr std::uintptr_t alignment = 256;
  if (workspace.elements < needed) {
    refuse(
        fmt::format("'{}' takes {} bytes of workspace, and {} were given: ask workspace_size(), or give none",
                    text_of(problem), needed, workspace.elements));
  }
  if (reinterpret_cast<std::uintptr_t>(workspace.data) % alignment != 0) {
    refuse(fmt::format("the workspace at {} is not aligned to {} bytes", workspace.data, alignment));
  }
}

}  // namespace bitune
