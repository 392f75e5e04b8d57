#include "measure/oracle_call.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "runtime/segment_bounds.hpp"

namespace bitune::oracle {
namespace {

constexpr std::array<std::string_view, role_count> role_names = {"keys_in",    "keys_out",    "values_in",
                                                                 "values_out", "indices_out", "offsets",
                                                                 "ends",       "lengths",     "workspace"};

std::string_view name_of_role(Role role) { return role_names[static_cast<std::size_t>(role)]; }

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorCode::usage, "the oracle: " + sentence);
}

Rules rules_of(const Problem& problem) {
  const bool is_power = (problem.value_bytes & (problem.value_bytes - 1)) == 0;
  if (!is_power || problem.value_bytes > 16) {
    refuse(fmt::format("a value of {} bytes: it has 1, 2, 4, 8 or 16", problem.value_bytes));
  }
  if (problem.index_bytes != 0 && problem.index_bytes != 4 && problem.index_bytes != 8) {
    refuse(fmt::format("an index of {} bytes: it has 4 or 8", problem.index_bytes));
  }
  return {.key = problem.key,
          .descending = problem.order == Order::descending,
          .equal_nans = problem.value_bytes != 0 || problem.index_bytes != 0,
          .stable = problem.stable || facts_of(problem.operation).always_stable,
          .value_bytes = problem.value_bytes,
          .index_bytes = problem.index_bytes};
}

RowRanges::Numbers share(std::vector<std::uint64_t> numbers) {
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(numbers));
}

}  // namespace

Call::Call(const Problem& problem, const Operands& operands)
    : problem_(problem), operands_(operands), rules_(rules_of(problem)) {
  if (problem.ragged) read_offsets();
  if (operands[Role::lengths].data != nullptr) read_lengths();
  set_ranges();
  const OperationFacts& facts = facts_of(problem.operation);
  const bool indices = problem.index_bytes != 0;
  const bool values = problem.value_bytes != 0;
  const auto require = [&](Presence presence, bool has, std::string_view what) {
    if (presence == Presence::always && !has) refuse(fmt::format("'{}' needs {}", facts.name, what));
  };
  require(facts.indices, indices, "index_bytes");
  require(facts.values, values, "value_bytes");
  check(Role::keys_in, true);
  check(Role::keys_out, facts.keys_out == Presence::always || !indices);
  check(Role::values_in, values);
  check(Role::values_out, values);
  check(Role::indices_out, indices);
}

void Call::read_offsets() {
  if (const auto missing = missing_bounds(problem_, operands_)) refuse(*missing);
  if (const auto wrong = find_wrong_segment(problem_, operands_)) refuse(*wrong);
  const SegmentBounds bounds(operands_);
  std::vector<std::uint64_t> begins(problem_.rows);
  std::vector<std::uint64_t> lengths(problem_.rows);
  for (std::uint64_t row = 0; row < problem_.rows; ++row) {
    begins[row] = bounds.begin(row);
    lengths[row] = bounds.end(row) - begins[row];
  }
  begins_ = share(std::move(begins));
  lengths_ = share(std::move(lengths));
}

void Call::read_lengths() {
  const Operand& given = operands_[Role::lengths];
  if (given.elements < problem_.rows) refuse(fmt::format("{} rows need as many lengths", problem_.rows));
  if (given.stride != 4 && given.stride != 8)
    refuse(fmt::format("a length of {} bytes: it has 4 or 8", given.stride));
  std::vector<std::uint64_t> lengths(problem_.rows);
  for (std::uint64_t row = 0; row < problem_.rows; ++row) {
    const std::uint64_t room = lengths_ ? (*lengths_)[row] : problem_.n;
    lengths[row] = std::min(load_number(given, row), room);
  }
  lengths_ = share(std::move(lengths));
}

void Call::set_ranges() {
  RowRanges inputs{.rows = problem_.rows,
                   .row_length = problem_.n,
                   .row_stride = 0,
                   .begins = begins_,
                   .lengths = lengths_};
  RowRanges outputs = inputs;
  if (selects(problem_.operation)) {
    outputs.row_length = problem_.ragged ? problem_.k : std::min(problem_.k, problem_.n);
    outputs.begins = nullptr;
    if (lengths_) {
      std::vector<std::uint64_t> counts = *lengths_;
      for (std::uint64_t& count : counts) count = std::min(count, problem_.k);
      outputs.lengths = share(std::move(counts));
    }
  }
  for (std::size_t i = 0; i < role_count; ++i) {
    const auto role = static_cast<Role>(i);
    ranges_[i] = role == Role::keys_in || role == Role::values_in ? inputs : outputs;
    ranges_[i].row_stride = operands_[role].stride;
  }
}

void Call::check(Role role, bool needed) const {
  const Operand& operand = operands_[role];
  if (operand.data == nullptr) {
    if (needed && key_count(problem_) != 0) {
      refuse(fmt::format("'{}' needs {}", text_of(problem_), name_of_role(role)));
    }
    return;
  }
  const RowRanges& rows = ranges(role);
  const bool is_output = role != Role::keys_in && role != Role::values_in;
  std::uint64_t end_before = 0;
  for (std::uint64_t row = 0; row < rows.rows; ++row) {
    const std::uint64_t length = is_output ? room(row) : rows.length(row);
    if (length == 0) continue;
    const bool fits = (row == 0 || rows.begins || rows.row_stride <= operand.elements) &&
                      rows.begin(row) <= operand.elements && length <= operand.elements - rows.begin(row);
    if (!fits) {
      refuse(fmt::format("row {} of {} does not fit into its {} elements", row, name_of_role(role),
                         operand.elements));
    }
    // Segments were looked at when they were read.
    if (is_output && !rows.begins && rows.begin(row) < end_before) {
      refuse(fmt::format("rows of {} overlap", name_of_role(role)));
    }
    end_before = rows.begin(row) + length;
  }
}

std::uint64_t Call::room(std::uint64_t row) const {
  const RowRanges& outputs = ranges(Role::keys_out);
  return selects(problem_.operation) ? outputs.row_length : outputs.length(row);
}

const std::byte* Call::at(Role role, std::uint64_t row, std::uint64_t element_bytes) const {
  const auto* data = static_cast<const std::byte*>(operands_[role].data);
  return data == nullptr ? nullptr : data + ranges(role).begin(row) * element_bytes;
}

Row Call::row(std::uint64_t row) const {
  const std::size_t key_bytes = size_of(problem_.key);
  return {.keys_in = at(Role::keys_in, row, key_bytes),
          .keys_out = at(Role::keys_out, row, key_bytes),
          .values_in = rules_.value_bytes != 0 ? at(Role::values_in, row, rules_.value_bytes) : nullptr,
          .values_out = rules_.value_bytes != 0 ? at(Role::values_out, row, rules_.value_bytes) : nullptr,
          .indices_out = rules_.index_bytes != 0 ? at(Role::indices_out, row, rules_.index_bytes) : nullptr,
          .length = inputs().length(row),
          .count = ranges(Role::keys_out).length(row),
          .room = room(row)};
}

}  // namespace bitune::oracle
