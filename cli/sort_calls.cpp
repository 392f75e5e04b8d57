#include "cli/sort_calls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bitune/bitune.hpp"
#include "cli/device_ranks.hpp"
#include "cli/formats/npy.hpp"
#include "cli/host_call.hpp"
#include "measure/oracle.hpp"
#include "model/key_type.hpp"

namespace bitune::cli::sort_command {
namespace {

void verify(const std::vector<std::byte>& original, const KeyArray& sorted, const Problem& problem) {
  if (const auto fault = find_fault_of_keys(problem, original, sorted.bytes)) {
    throw Error(ErrorCode::verification,
                fmt::format("the result is wrong ({}); nothing was written. Please report this with the "
                            "configuration that `--json` shows",
                            *fault));
  }
}

/// \throws Error (input) where values are in other rows than their keys
void check_shape_of(const ValueArray& values, const std::string& path, const SortInput& input) {
  if (values.shape.size() <= 1 || values.shape == input.keys.shape) return;
  throw Error(
      ErrorCode::input,
      fmt::format("{} has the shape ({}), and {} ({}): give a value for each key, in rows as they are", path,
                  fmt::join(values.shape, ", "), input.name, fmt::join(input.keys.shape, ", ")));
}

/// What is asked of keys, and of such values with them, whatever their shape; value_bytes 0: there are none.
SortSpec spec_of(const SortOptions& options, const SortInput& input, std::uint64_t value_bytes) {
  return {.operation = value_bytes == 0 ? Operation::sort : Operation::sort_pairs,
          .key = input.keys.type,
          .value_bytes = static_cast<std::uint32_t>(value_bytes),
          .order = options.order(),
          .stable = value_bytes != 0};
}

}  // namespace

SortReport sort_keys(const SortOptions& options, CommandInput& from) {
  SortInput& input = from.keys();
  SortReport report;
  report.input = input.name;
  Problem& problem = report.problem;
  problem.key = input.keys.type;
  problem.order = options.order();
  problem.rows = rows_of(input.keys, options.rows, input.name);
  problem.n = problem.rows > 0 ? input.keys.count() / problem.rows : 0;

  Sorter& sorter = from.sorter();
  Problem prepared = problem;
  prepared.rows = std::max<std::uint64_t>(problem.rows, 1);
  prepare(sorter, prepared, report);

  const std::vector<std::byte> original = options.verify ? input.keys.bytes : std::vector<std::byte>{};
  report.times =
      sorter.sort_rows_host(input.keys.bytes.data(), problem.rows, problem.n, problem.key, problem.order);
  if (options.verify) {
    verify(original, input.keys, problem);
    report.verified = true;
  }
  return report;
}

SortReport sort_over_devices(const SortOptions& options, CommandInput& from, ValueArray* values) {
  SortInput& input = from.keys();
  const Problem problem = problem_of(options, input, values != nullptr ? values->value_bytes : 0);
  if (problem.rows != 1) {
    throw Error(ErrorCode::usage, fmt::format("--devices sort one array, and {} has {} rows: give --rows 1",
                                              input.name, problem.rows));
  }
  const std::uint64_t n = problem.n;
  std::vector<std::byte> sorted_keys(input.keys.bytes.size());
  std::vector<std::byte> sorted_values;
  Operands operands;
  operands[Role::keys_in] = {input.keys.bytes.data(), n, n};
  operands[Role::keys_out] = {sorted_keys.data(), n, n};
  if (values != nullptr) {
    check_shape_of(*values, options.values, input);
    sorted_values.resize(values->bytes.size());
    operands[Role::values_in] = {values->bytes.data(), n, n};
    operands[Role::values_out] = {sorted_values.data(), n, n};
  }
  SortReport report = call_over_devices(options.devices, options.common, problem, operands, options.verify);
  report.input = input.name;
  input.keys.bytes = std::move(sorted_keys);
  if (values != nullptr) values->bytes = std::move(sorted_values);
  return report;
}

SortReport sort_segments(const SortOptions& options, CommandInput& from, SegmentInput& segments) {
  SortInput& input = from.keys();
  const Problem problem{spec_of(options, input, 0), segments.shape};
  std::vector<std::byte> sorted = input.keys.bytes;  // what is in no segment stays
  const std::uint64_t n = input.keys.count();
  Operands operands;
  operands[Role::keys_in] = {input.keys.bytes.data(), n, n};
  operands[Role::keys_out] = {sorted.data(), n, n};
  segments.add_to(operands);
  SortReport report = call_on_host(from.sorter(), problem, operands, options.verify);
  report.input = input.name;
  input.keys.bytes = std::move(sorted);
  return report;
}

Problem problem_of(const SortOptions& options, SortInput& input, std::uint64_t value_bytes) {
  const RowsOfKeys rows = row_shape_of(input, options.rows);
  return {spec_of(options, input, value_bytes), {.n = rows.length, .rows = rows.count}};
}

SortReport sort_in_files(const SortOptions& options, CommandInput& from, OutputFile& output,
                         OutputFile* values_output, const ReadLimit& limit) {
  SortInput& input = from.keys();
  const std::uint64_t n = input.keys.count();
  ValueArray values;
  if (values_output != nullptr) {
    values = map_values(options.values, n, limit);
    check_shape_of(values, options.values, input);
  }
  const Problem problem = problem_of(options, input, values.value_bytes);
  const Format format = output_format_of(options.output_format, options.output, input.format);
  const auto sorted = map_keys(output, format, input.keys, input.keys.content().size());
  Operands operands;
  // Operands are not const, since one type serves inputs and outputs. Inputs are never written.
  operands[Role::keys_in] = {const_cast<std::byte*>(input.keys.content().data()), n, problem.n};
  operands[Role::keys_out] = {sorted.data(), n, problem.n};
  if (values_output != nullptr) {
    if (!values.npy_descr.empty()) write_npy_values_header(*values_output, values);
    const auto sorted_values = values_output->map(values.content().size());
    operands[Role::values_in] = {const_cast<std::byte*>(values.content().data()), n, problem.n};
    operands[Role::values_out] = {sorted_values.data(), n, problem.n};
  }
  SortReport report = call_on_host(from.sorter(), problem, operands, options.verify);
  report.input = input.name;
  return report;
}

SortReport sort_with_values(const SortOptions& options, CommandInput& from,
                            std::optional<SegmentInput>& segments, ValueArray& values) {
  SortInput& input = from.keys();
  const RowsOfKeys rows = segments ? RowsOfKeys{1, input.keys.count()} : row_shape_of(input, options.rows);
  check_shape_of(values, options.values, input);
  const Problem problem{spec_of(options, input, values.value_bytes),
                        segments ? segments->shape : Shape{.n = rows.length, .rows = rows.count}};
  const std::uint64_t n = input.keys.count();
  std::vector<std::byte> sorted_keys = input.keys.bytes;  // what is in no segment stays
  std::vector<std::byte> sorted_values = values.bytes;
  Operands operands;
  operands[Role::keys_in] = {input.keys.bytes.data(), n, rows.length};
  operands[Role::keys_out] = {sorted_keys.data(), n, rows.length};
  operands[Role::values_in] = {values.bytes.data(), n, rows.length};
  operands[Role::values_out] = {sorted_values.data(), n, rows.length};
  if (segments) segments->add_to(operands);
  SortReport report = call_on_host(from.sorter(), problem, operands, options.verify);
  report.input = input.name;
  input.keys.bytes = std::move(sorted_keys);
  values.bytes = std::move(sorted_values);
  return report;
}

SortReport sort_records(const SortOptions& options, const InputRequest& request, OutputFile& output) {
  SortReport report;
  Format format = Format::text;
  const auto records = read_records(request, options.records, format);
  const Format output_format = output_format_of(options.output_format, options.output, format);
  if (!records->has_format(output_format)) {
    throw Error(
        ErrorCode::usage,
        fmt::format("records of {} are not written as {}: CSV stays text, and .npy goes to .npy or raw",
                    records->name(), name_of(output_format)));
  }
  const auto keys = parse_record_keys(options.records.keys, *records, options.order());
  const KeyType index = records->count() >> 32 == 0 ? KeyType::u32 : KeyType::u64;
  const KeyArray order =
      order_of(*records, keys, options.common, index, request.type, options.verify, report);
  records->write(output, output_format, order);
  report.whole_records = true;
  return report;
}

}  // namespace bitune::cli::sort_command
