#include "runtime/check_operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 63;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::usage, sentence); }

/// `elements`: what they are, `length` of a row.
void check_stride(const Problem& problem, const Operand& operand, std::size_t size, std::uint64_t length,
                  std::string_view elements = "keys", bool of_segments = false) {
  if (problem.kind() != ShapeKind::rows && !of_segments) return;
  if (operand.stride < length) {
    refuse(
        fmt::format("rows of {0} {2} that begin every {1} {2} overlap: the row stride is in {2}, and at "
                    "least the row length",
                    length, operand.stride, elements));
  }
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(operand.stride, size, &bytes) ||
      __builtin_mul_overflow(bytes, problem.rows, &bytes) || bytes > most_bytes) {
    refuse(fmt::format("'{}' with a row stride of {} {} reaches over more than 2^63 bytes", text_of(problem),
                       operand.stride, elements));
  }
}

/// An operand, and how messages call it.
struct Named {
  const Operand& operand;
  std::size_t size;  ///< of an element
  std::string_view what;
  std::uint64_t length;      ///< elements of a row
  bool of_segments = false;  ///< rows that a top_k of segments writes
};

/// Elements from the first row's beginning to the last one's end.
std::uint64_t reach_of(const Problem& problem, const Named& array) {
  return problem.kind() == ShapeKind::rows || array.of_segments
             ? (problem.rows - 1) * array.operand.stride + array.length
             : array.length;
}

void check_array(const Problem& problem, const Named& array) {
  const Operand& operand = array.operand;
  if (operand.data == nullptr) {
    refuse(fmt::format("{} of '{}' is a null pointer: pass the array", array.what, text_of(problem)));
  }
  if (reinterpret_cast<std::uintptr_t>(operand.data) % array.size != 0) {
    refuse(
        fmt::format("{} at {} is not aligned to {} bytes: arrays begin at a multiple of their element's size",
                    array.what, operand.data, array.size));
  }
  const std::uint64_t reach = reach_of(problem, array);
  if (operand.elements < reach) {
    refuse(fmt::format("{} has room for {} elements, and '{}' reaches over {}", array.what, operand.elements,
                       text_of(problem), reach));
  }
}

/// Whether no row of one array begins before a row of the other ends. Rows of one may lie between rows of the
/// other where both have as many bytes from row to row.
bool is_apart(const Problem& problem, const Named& a, const Named& b) {
  const auto begin_of = [](const Named& array) {
    return reinterpret_cast<std::uintptr_t>(array.operand.data);
  };
  if (begin_of(b) < begin_of(a)) return is_apart(problem, b, a);
  const std::uint64_t distance = begin_of(b) - begin_of(a);
  if (distance >= reach_of(problem, a) * a.size) return true;
  const std::uint64_t stride = a.operand.stride * a.size;
  if (problem.kind() != ShapeKind::rows || stride != b.operand.stride * b.size) return false;
  const std::uint64_t within = distance % stride;
  return within >= a.length * a.size && stride - within >= b.length * b.size;
}

/// Refuses arrays that overlap, but for an input that is its output.
void check_overlap(const Problem& problem, const Named& a, const Named& b, bool may_be_one) {
  if (may_be_one && a.operand.data == b.operand.data) {
    if (problem.kind() == ShapeKind::rows && a.operand.stride != b.operand.stride) {
      refuse(
          fmt::format("{} and {} are the same memory with row strides of {} and {}: in place rows stay "
                      "where they are",
                      a.what, b.what, a.operand.stride, b.operand.stride));
    }
    return;
  }
  if (!is_apart(problem, a, b)) {
    refuse(fmt::format("{} at {} and {} at {} overlap: '{}' needs memory of its own for each", a.what,
                       a.operand.data, b.what, b.operand.data, text_of(problem)));
  }
}

/// What is sorted in place, and is in order as it is, needs no memory.
void check_both(const Problem& problem, const Named& out, const Named& in) {
  const bool in_place = out.operand.data == in.operand.data;
  if (problem.n < 2 && in_place) return;
  check_array(problem, out);
  if (in_place) return;
  check_array(problem, in);
  check_overlap(problem, in, out, false);
}

void check_what_travels(const Problem& problem, const Operands& operands) {
  const std::size_t key = size_of(problem.key);
  const std::uint64_t n = problem.n;
  const Named keys_in{operands.input(), key, "the array of keys", n};
  const Named keys_out{operands[Role::keys_out], key, "the array of sorted keys", n};
  const Named values_in{operands.input_values(), problem.value_bytes, "the array of values", n};
  const Named values_out{operands[Role::values_out], problem.value_bytes, "the array of sorted values", n};
  const Named indices{operands[Role::indices_out], problem.index_bytes, "the array of indices", n};
  if (!writes_keys(problem) && keys_out.operand.data != nullptr) {
    refuse(fmt::format("'{}' writes no keys: leave keys_out empty, or ask for a sort with indices",
                       text_of(problem)));
  }
  if (problem.n == 0) return;
  if (problem.value_bytes != 0) {
    check_stride(problem, values_out.operand, values_out.size, n, "values");
    check_stride(problem, values_in.operand, values_in.size, n, "values");
    check_both(problem, values_out, values_in);
  }
  if (problem.index_bytes != 0) {
    check_stride(problem, indices.operand, indices.size, n, "indices");
    check_array(problem, indices);
  }

  const std::array<const Named*, 5> all = {&keys_in, &keys_out, &values_in, &values_out, &indices};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (all[i]->operand.data == nullptr || all[j]->operand.data == nullptr) continue;
      check_overlap(problem, *all[i], *all[j], i % 2 == 0 && j == i + 1);
    }
  }
}

void check_lengths(const Problem& problem, const Operand& lengths) {
  if (lengths.stride != 4 && lengths.stride != 8) {
    refuse(fmt::format("lengths are unsigned integers of 4 or 8 bytes, and their stride says which: not {}",
                       lengths.stride));
  }
  check_array({{}, {.n = problem.rows}}, {lengths, lengths.stride, "the array of lengths", problem.rows});
}

/// Offsets and ends of segments, which are in no memory that is written. What they say is read on the device
/// alone.
void check_offsets(const Problem& problem, const Operands& operands) {
  const Operand& offsets = operands[Role::offsets];
  const Operand& ends = operands[Role::ends];
  const bool has_ends = ends.data != nullptr;
  if (offsets.data != nullptr && offsets.stride != 4 && offsets.stride != 8) {
    refuse(fmt::format("offsets are unsigned integers of 4 or 8 bytes, and their stride says which: not {}",
                       offsets.stride));
  }
  if (has_ends && ends.stride != offsets.stride) {
    refuse(fmt::format("offsets of {} bytes and ends of {}: both are of one width", offsets.stride,
                       ends.stride));
  }
  const std::size_t size = std::max<std::size_t>(offsets.stride, 1);
  std::vector<Named> read = {{offsets, size, "the array of offsets", problem.rows + (has_ends ? 0 : 1)}};
  if (has_ends) read.push_back({ends, size, "the array of ends", problem.rows});
  const bool are_rows = selects(problem.operation);
  const std::uint64_t length = result_length(problem);
  const std::array<Named, 3> written = {
      Named{operands[Role::keys_out], size_of(problem.key), "the array of sorted keys", length, are_rows},
      Named{operands[Role::values_out], problem.value_bytes, "the array of sorted values", length, are_rows},
      Named{operands[Role::indices_out], problem.index_bytes, "the array of indices", length, are_rows}};
  for (const Named& array : read) {
    check_array(problem, array);
    for (const Named& other : written) {
      if (other.operand.data != nullptr && other.size != 0) check_overlap(problem, array, other, false);
    }
  }
}

/// What is read, and what is written, each in memory of its own. Of segments rows of k are written.
void check_first_keys(const Problem& problem, const Operands& operands) {
  const std::size_t key = size_of(problem.key);
  const std::size_t value = problem.value_bytes;
  const std::array<Named, 5> arrays = {
      Named{operands[Role::keys_in], key, "the array of keys", problem.n},
      Named{operands[Role::values_in], value, "the array of values", problem.n},
      Named{operands[Role::keys_out], key, "the array of the first keys", problem.k, problem.ragged},
      Named{operands[Role::values_out], value, "the array of the first values", problem.k, problem.ragged},
      Named{operands[Role::indices_out], problem.index_bytes, "the array of indices", problem.k,
            problem.ragged}};
  const bool needs_keys_out = problem.index_bytes == 0;
  for (const Named& array : arrays) {
    if (array.size == 0 || array.length == 0) continue;
    const bool is_keys_out = &array.operand == &operands[Role::keys_out];
    if (is_keys_out && !needs_keys_out && array.operand.data == nullptr) continue;
    check_stride(problem, array.operand, array.size, array.length, "elements", array.of_segments);
    check_array(problem, array);
  }
  if (operands[Role::lengths].data != nullptr) {
    if (problem.ragged) refuse("segments have lengths of their own: leave the array of lengths empty");
    check_lengths(problem, operands[Role::lengths]);
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    for (std::size_t j = i + 1; j < arrays.size(); ++j) {
      if (arrays[i].operand.data == nullptr || arrays[j].operand.data == nullptr) continue;
      check_overlap(problem, arrays[i], arrays[j], false);
    }
  }
}

bool is_value_size(std::uint32_t bytes) { return bytes <= 16 && std::has_single_bit(bytes); }
bool is_index_size(std::uint32_t bytes) { return bytes == 4 || bytes == 8; }

}  // namespace

void check_problem(const Problem& problem) {
  if (has_keys_alone(problem)) return;
  const OperationFacts& facts = facts_of(problem.operation);
  if (!has_fitting_k(problem)) {
    refuse(problem.ragged ? fmt::format("k is 0 in a {} of segments: it is from 1 on", facts.name)
                          : fmt::format("k is {} in a {} of {} keys a row: it is from 1 to the row length",
                                        problem.k, facts.name, problem.n));
  }
  const bool has_values =
      facts.values == Presence::always || (facts.values == Presence::optional && problem.value_bytes != 0);
  if (has_values && !is_value_size(problem.value_bytes)) {
    refuse(
        fmt::format("values of {} bytes do not travel with keys, but such of 1, 2, 4, 8 and 16: for others "
                    "use argsort, and gather them by the indices",
                    problem.value_bytes));
  }
  if (!has_values && problem.value_bytes != 0) {
    const auto takes_values = [](const OperationFacts& other) { return other.values != Presence::never; };
    refuse(fmt::format("'{}' has values, which travel in {} alone", text_of(problem),
                       operation_names(takes_values)));
  }
  if (has_values && problem.index_bytes != 0) {
    refuse(fmt::format("'{}' has values and indices: ask for indices, and gather the values by them",
                       text_of(problem)));
  }
  const bool may_have_none = has_values || (facts.indices != Presence::always && problem.index_bytes == 0);
  if (!may_have_none && !is_index_size(problem.index_bytes)) {
    refuse(fmt::format("an index has 4 or 8 bytes, not {}", problem.index_bytes));
  }
  std::uint64_t results = 0;
  if (key_count(problem) > most_bytes / 16 || __builtin_mul_overflow(problem.k, problem.rows, &results) ||
      results > most_bytes / 16) {
    refuse(fmt::format("'{}' is larger than any memory", text_of(problem)));
  }
  if (problem.index_bytes == 4 && problem.n > std::uint64_t{1} << 32) {
    refuse(fmt::format("indices of 4 bytes are too narrow for {} keys: ask for 8 bytes", problem.n));
  }
}

void check_operands(const Problem& problem, const Operands& operands) {
  check_problem(problem);
  if (selects(problem.operation)) {
    if (problem.rows == 0) return;
    check_first_keys(problem, operands);
    if (problem.ragged) check_offsets(problem, operands);
    return;
  }
  if (operands[Role::lengths].data != nullptr) {
    throw Error(ErrorCode::unavailable, "lengths of rows are read by top_k alone: leave them empty");
  }
  const std::size_t size = size_of(problem.key);
  const Operand& out = operands[Role::keys_out];
  const Operand& in = operands.input();
  if (writes_keys(problem)) check_stride(problem, out, size, problem.n);
  check_stride(problem, in, size, problem.n);
  if (problem.rows == 0) return;
  if (problem.n != 0) {
    if (writes_keys(problem)) {
      check_both(problem, {out, size, "the array of sorted keys", problem.n},
                 {in, size, "the array of keys", problem.n});
    } else {
      check_array(problem, {in, size, "the array of keys", problem.n});
    }
  }
  if (!sorts_keys_alone(problem)) check_what_travels(problem, operands);
  if (problem.ragged) check_offsets(problem, operands);
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
