#include "cli/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace {

constexpr std::array common_operations = {Operation::sort, Operation::sort_pairs, Operation::argsort};
constexpr std::array<std::uint32_t, 5> widths_of_values = {1, 2, 4, 8, 16};
constexpr std::array<std::uint32_t, 2> widths_of_indices = {4, 8};
constexpr std::uint32_t usual_width = 4;

template <class T>
void add_once(std::vector<T>& list, T value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

std::vector<std::uint32_t> parse_widths(const std::vector<std::string>& numbers,
                                        std::span<const std::uint32_t> allowed, const char* sentence) {
  std::vector<std::uint32_t> widths;
  for (const std::string& number : numbers) {
    const auto width = std::find_if(allowed.begin(), allowed.end(),
                                    [&](std::uint32_t bytes) { return std::to_string(bytes) == number; });
    if (width == allowed.end()) throw Error(ErrorCode::usage, fmt::format("{}, not '{}'", sentence, number));
    add_once(widths, *width);
  }
  return widths;
}

/// What is asked for and has no effect is a mistake of whoever asked.
void require_operation(std::span<const Operation> operations, Operation needed, const char* option,
                       const std::vector<std::uint32_t>& widths) {
  if (widths.empty() || std::find(operations.begin(), operations.end(), needed) != operations.end()) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} is for {}: name that with --operation, too", option, name_of(needed)));
}

}  // namespace

void add_operation_options(CLI::App& command, OperationOptions& options) {
  add_list(command, "--operation", options.operations,
           "sort (keys alone), sort_pairs (a value travels with each key), argsort (where sorted keys come "
           "from), or all",
           "OPERATION,...");
  add_list(command, "--value-bytes", options.value_bytes,
           "Of the value of a pair: 1, 2, 4, 8 or 16 (default: 4)", "BYTES,...");
  add_list(command, "--index-bytes", options.index_bytes, "Of the indices of an argsort: 4 or 8 (default: 4)",
           "BYTES,...");
  add_flag(command, "--stable,!--unstable", options.stable,
           "Of pairs and argsort: whether equal keys stay in the order of the input (default: stable)");
}

std::vector<Operation> parse_operations(const std::vector<std::string>& names) {
  std::vector<Operation> operations;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const Operation operation : common_operations) add_once(operations, operation);
      continue;
    }
    const auto known = std::find_if(common_operations.begin(), common_operations.end(),
                                    [&name](Operation operation) { return name_of(operation) == name; });
    if (known == common_operations.end()) {
      throw Error(
          ErrorCode::usage,
          fmt::format("'{}' is no operation that can be done: use sort, sort_pairs, argsort or all", name));
    }
    add_once(operations, *known);
  }
  return operations;
}

std::vector<std::uint32_t> parse_value_bytes(const std::vector<std::string>& numbers) {
  return parse_widths(numbers, widths_of_values, "a value has 1, 2, 4, 8 or 16 bytes");
}

std::vector<std::uint32_t> parse_index_bytes(const std::vector<std::string>& numbers) {
  return parse_widths(numbers, widths_of_indices, "an index has 4 or 8 bytes");
}

std::vector<SortSpec> sort_specs_of(const OperationOptions& options, std::span<const KeyType> keys,
                                    Order order) {
  const std::vector<Operation> operations = parse_operations(options.operations);
  std::vector<std::uint32_t> value_bytes = parse_value_bytes(options.value_bytes);
  std::vector<std::uint32_t> index_bytes = parse_index_bytes(options.index_bytes);
  require_operation(operations, Operation::sort_pairs, "--value-bytes", value_bytes);
  require_operation(operations, Operation::argsort, "--index-bytes", index_bytes);
  if (value_bytes.empty()) value_bytes = {usual_width};
  if (index_bytes.empty()) index_bytes = {usual_width};

  std::vector<SortSpec> specs;
  for (const KeyType key : keys) {
    for (const Operation operation : operations) {
      SortSpec spec{.operation = operation, .key = key, .order = order};
      if (operation == Operation::sort) {
        add_once(specs, spec);
        continue;
      }
      spec.stable = options.stable;
      const bool has_values = operation == Operation::sort_pairs;
      for (const std::uint32_t bytes : has_values ? value_bytes : index_bytes) {
        (has_values ? spec.value_bytes : spec.index_bytes) = bytes;
        add_once(specs, spec);
      }
    }
  }
  return specs;
}

std::string operation_text(const SortSpec& spec) {
  std::string text(name_of(spec.operation));
  if (spec.value_bytes != 0) text += fmt::format(" {} B", spec.value_bytes);
  if (spec.index_bytes != 0) {
    text += fmt::format("{} {} B", spec.operation == Operation::argsort ? "" : " with indices of",
                        spec.index_bytes);
  }
  return carried_bytes(spec) != 0 && !spec.stable ? text + " unstable" : text;
}

Table::Column operation_column() { return {.heading = "operation", .usual = operation_text({})}; }

}  // namespace bitune::cli
