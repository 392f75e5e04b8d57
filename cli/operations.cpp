#include "cli/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace {

constexpr std::array<std::uint32_t, 5> widths_of_values = {1, 2, 4, 8, 16};
constexpr std::array<std::uint32_t, 3> widths_of_indices = {4, 8, 0};
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

bool takes_widths(const OperationFacts& facts) {
  return facts.usual_value_bytes != 0 || facts.usual_index_bytes != 0;
}
bool takes_values(const OperationFacts& facts) { return facts.values != Presence::never; }
bool takes_indices(const OperationFacts& facts) {
  return facts.indices != Presence::never && takes_widths(facts);
}
bool takes_k(const OperationFacts& facts) { return facts.selects; }
bool may_lack_indices(const OperationFacts& facts) {
  return facts.indices == Presence::optional && takes_widths(facts);
}

/// What is asked for and has no effect is a mistake of whoever asked.
void require_operation(std::span<const Operation> operations, bool (*takes)(const OperationFacts&),
                       const char* option, bool is_given) {
  const auto is_taken = [&](Operation operation) { return takes(facts_of(operation)); };
  if (!is_given || std::any_of(operations.begin(), operations.end(), is_taken)) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} is for {}: name that with --operation, too", option, operation_names(takes)));
}

/// Widths of what travels with the keys of one operation.
struct Widths {
  std::vector<std::uint32_t> values;
  std::vector<std::uint32_t> indices;
};

/// Of those that are asked for, those that the operation has; the usual one where none is asked for. What may
/// have values or indices has the usual indices only where no values are asked for.
Widths widths_of(const OperationFacts& facts, const Widths& asked) {
  const auto widths = [](Presence presence, const std::vector<std::uint32_t>& given, std::uint32_t usual) {
    if (presence == Presence::never) return std::vector<std::uint32_t>{};
    return given.empty() && usual != 0 ? std::vector{usual} : given;
  };
  Widths found{.values = widths(facts.values, asked.values, facts.usual_value_bytes), .indices = {}};
  found.indices = widths(facts.indices, asked.indices, found.values.empty() ? facts.usual_index_bytes : 0);
  return found;
}

/// "sort (keys alone), ..., or all of these but top_k"
std::string operations_help() {
  std::string text;
  for (const OperationFacts& facts : operation_facts)
    text += fmt::format("{} ({}), ", facts.name, facts.summary);
  return text + fmt::format("or all of these but {}", operation_names(takes_k));
}

}  // namespace

void add_operation_options(CLI::App& command, OperationOptions& options) {
  add_list(command, "--operation", options.operations, operations_help(), "OPERATION,...");
  add_list(command, "--k", options.k,
           "Of a top_k: how many keys of each array (default: 64); arrays that are shorter are left out",
           "K,...");
  add_list(command, "--value-bytes", options.value_bytes,
           "Of the value that travels with a key: 1, 2, 4, 8 or 16 (default: 4, and none with a top_k)",
           "BYTES,...");
  add_list(command, "--index-bytes", options.index_bytes,
           "Of the indices of an argsort or a top_k: 4 or 8 (default: 4); 0: a top_k of keys alone",
           "BYTES,...");
  add_flag(command, "--stable,!--unstable", options.stable,
           "Of pairs and argsort: whether equal keys stay in the order of the input (default: stable)");
}

std::string all_operation_names() {
  return operation_names([](const OperationFacts&) { return true; }, ", ");
}

std::vector<Operation> parse_operations(const std::vector<std::string>& names) {
  std::vector<Operation> operations;
  for (const std::string& name : names) {
    bool is_known = false;
    for (const OperationFacts& facts : operation_facts) {
      const bool is_meant = name == facts.name || (name == "all" && !facts.selects);
      if (is_meant) add_once(operations, facts.operation);
      is_known = is_known || is_meant;
    }
    if (!is_known) {
      throw Error(ErrorCode::usage,
                  fmt::format("'{}' is no operation: use {} or all", name, all_operation_names()));
    }
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
  require_operation(operations, takes_values, "--value-bytes", !asked.values.empty());
  require_operation(operations, takes_indices, "--index-bytes", !asked.indices.empty());
  require_operation(operations, takes_k, "--k", !k.empty());
  if (k.empty()) k = {usual_k};
  const auto needs_indices = [](Operation operation) {
    return facts_of(operation).indices == Presence::always;
  };
  if (std::any_of(operations.begin(), operations.end(), needs_indices) &&
      std::find(asked.indices.begin(), asked.indices.end(), 0U) != asked.indices.end()) {
    throw Error(ErrorCode::usage,
                fmt::format("indices of 0 bytes (none) are for {} alone", operation_names(may_lack_indices)));
  }

  std::vector<SortSpec> specs;
  for (const KeyType key : keys) {
    for (const Operation operation : operations) {
      const OperationFacts& facts = facts_of(operation);
      SortSpec spec{.operation = operation, .key = key, .order = order};
      if (!takes_widths(facts)) {
        add_once(specs, spec);
        continue;
      }
      spec.stable = options.stable && !facts.always_stable;
      const Widths widths = widths_of(facts, asked);
      for (const std::uint64_t first : facts.selects ? k : std::vector<std::uint64_t>{0}) {
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
  const OperationFacts& facts = facts_of(spec.operation);
  std::string text(facts.name);
  if (facts.selects) text += fmt::format(" {}", size_text(spec.k));
  // What an operation always has need not be named.
  const auto add = [&text](std::uint32_t bytes, Presence presence, std::string_view what) {
    if (bytes == 0) return;
    if (presence != Presence::always) text += fmt::format(" with {} of", what);
    text += fmt::format(" {} B", bytes);
  };
  add(spec.value_bytes, facts.values, "values");
  add(spec.index_bytes, facts.indices, "indices");
  return carried_bytes(spec) != 0 && !spec.stable && !facts.always_stable ? text + " unstable" : text;
}

std::string rows_text(const Shape& shape) {
  return shape.ragged ? fmt::format("{} segments", shape.rows) : std::to_string(shape.rows);
}

Table::Column operation_column() { return {.heading = "operation", .usual = operation_text({})}; }

}  // namespace bitune::cli
