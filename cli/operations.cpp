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
constexpr std::array<std::uint32_t, 3> widths_of_indices = {4, 8, 0};
constexpr std::uint32_t usual_width = 4;
constexpr std::uint64_t usual_k = 64;

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

bool is_among(std::span<const Operation> operations, Operation operation) {
  return std::find(operations.begin(), operations.end(), operation) != operations.end();
}

/// What is asked for and has no effect is a mistake of whoever asked.
void require_operation(std::span<const Operation> operations, std::span<const Operation> needed,
                       const char* option, bool is_given) {
  const auto is_named = [&](Operation operation) { return is_among(operations, operation); };
  if (!is_given || std::any_of(needed.begin(), needed.end(), is_named)) return;
  std::string names;
  for (const Operation operation : needed) {
    names += fmt::format("{}{}", names.empty() ? "" : " and ", name_of(operation));
  }
  throw Error(ErrorCode::usage, fmt::format("{} is for {}: name that with --operation, too", option, names));
}

/// Widths of what travels with the keys of one operation.
struct Widths {
  std::vector<std::uint32_t> values;
  std::vector<std::uint32_t> indices;
};

/// Of those that are asked for, those that the operation has; 4 bytes where none is asked for. A top_k gives
/// indices, unless values alone are asked for.
Widths widths_of(Operation operation, const Widths& asked) {
  const auto or_usual = [](const std::vector<std::uint32_t>& widths) {
    return widths.empty() ? std::vector{usual_width} : widths;
  };
  switch (operation) {
    case Operation::sort_pairs:
      return {.values = or_usual(asked.values), .indices = {}};
    case Operation::top_k:
      return asked.values.empty() ? Widths{.values = {}, .indices = or_usual(asked.indices)} : asked;
    default:
      return {.values = {}, .indices = or_usual(asked.indices)};
  }
}

}  // namespace

void add_operation_options(CLI::App& command, OperationOptions& options) {
  add_list(command, "--operation", options.operations,
           "sort (keys alone), sort_pairs (a value travels with each key), argsort (where sorted keys come "
           "from), top_k (the first k, with their indices), or all (but top_k)",
           "OPERATION,...");
  add_list(command, "--k", options.k,
           "Of a top_k: how many keys of each array (default: 64); arrays that are shorter are left out",
           "K,...");
  add_list(command, "--value-bytes", options.value_bytes,
           "Of the value of a pair: 1, 2, 4, 8 or 16 (default: 4); of a top_k, which has none by default",
           "BYTES,...");
  add_list(command, "--index-bytes", options.index_bytes,
           "Of the indices of an argsort or a top_k: 4 or 8 (default: 4); of a top_k of keys alone 0",
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
    const auto known = std::find_if(all_operations.begin(), all_operations.end(),
                                    [&name](Operation operation) { return name_of(operation) == name; });
    if (known == all_operations.end()) {
      throw Error(ErrorCode::usage,
                  fmt::format("'{}' is no operation: use sort, sort_pairs, argsort, top_k or all", name));
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
  const Widths asked{.values = parse_value_bytes(options.value_bytes),
                     .indices = parse_index_bytes(options.index_bytes)};
  std::vector<std::uint64_t> k;
  for (const std::string& text : options.k) add_once(k, parse_size(text));
  require_operation(operations, std::array{Operation::sort_pairs, Operation::top_k}, "--value-bytes",
                    !asked.values.empty());
  require_operation(operations, std::array{Operation::argsort, Operation::top_k}, "--index-bytes",
                    !asked.indices.empty());
  require_operation(operations, std::array{Operation::top_k}, "--k", !k.empty());
  if (k.empty()) k = {usual_k};
  if (is_among(operations, Operation::argsort) &&
      std::find(asked.indices.begin(), asked.indices.end(), 0U) != asked.indices.end()) {
    throw Error(ErrorCode::usage, "indices of 0 bytes (none) are for top_k alone");
  }

  std::vector<SortSpec> specs;
  for (const KeyType key : keys) {
    for (const Operation operation : operations) {
      SortSpec spec{.operation = operation, .key = key, .order = order};
      if (operation == Operation::sort) {
        add_once(specs, spec);
        continue;
      }
      const bool is_top_k = operation == Operation::top_k;
      spec.stable = options.stable && !is_top_k;
      const Widths widths = widths_of(operation, asked);
      for (const std::uint64_t first : is_top_k ? k : std::vector<std::uint64_t>{0}) {
        spec.k = first;
        for (const std::uint32_t bytes : widths.values) {
          spec.value_bytes = bytes;
          add_once(specs, spec);
        }
        spec.value_bytes = 0;
        for (const std::uint32_t bytes : widths.indices) {
          spec.index_bytes = bytes;
          add_once(specs, spec);
        }
        spec.index_bytes = 0;
      }
    }
  }
  return specs;
}

std::string operation_text(const SortSpec& spec) {
  std::string text(name_of(spec.operation));
  const bool is_top_k = spec.operation == Operation::top_k;
  if (is_top_k) text += fmt::format(" {}", size_text(spec.k));
  if (spec.value_bytes != 0) {
    text += fmt::format("{} {} B", is_top_k ? " with values of" : "", spec.value_bytes);
  }
  if (spec.index_bytes != 0) {
    const bool says_itself = spec.operation == Operation::argsort;
    text += fmt::format("{} {} B", says_itself ? "" : " with indices of", spec.index_bytes);
  }
  return carried_bytes(spec) != 0 && !spec.stable && !is_top_k ? text + " unstable" : text;
}

std::string rows_text(const Shape& shape) {
  return shape.ragged ? fmt::format("{} segments", shape.rows) : std::to_string(shape.rows);
}

Table::Column operation_column() { return {.heading = "operation", .usual = operation_text({})}; }

}  // namespace bitune::cli
