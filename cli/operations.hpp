#pragma once

/// \file
/// Options that say what is done to keys: which operations, of which widths, stable or not.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bitune/types.hpp"
#include "cli/terminal.hpp"

namespace CLI {
class App;
}

namespace bitune::cli {

/// As they are typed. An empty list of widths: 4 bytes.
struct OperationOptions {
  std::vector<std::string> operations = {"sort"};
  std::vector<std::string> value_bytes;
  std::vector<std::string> index_bytes;
  std::vector<std::string> k = {};  ///< of top_k; empty: 64
  bool stable = true;
};

/// Adds --operation, --k, --value-bytes, --index-bytes and --stable, --unstable, bound to `options`.
void add_operation_options(CLI::App& command, OperationOptions& options);

/// The names of all operations, with commas between.
[[nodiscard]] std::string all_operation_names();

/// Operations by name, "all" for those that have no k; without duplicates. \throws Error (usage) for what is
/// none
[[nodiscard]] std::vector<Operation> parse_operations(const std::vector<std::string>& names);

/// Widths of values: 1, 2, 4, 8 or 16 bytes; without duplicates. \throws Error (usage)
[[nodiscard]] std::vector<std::uint32_t> parse_value_bytes(const std::vector<std::string>& numbers);

/// Widths of indices: 4 or 8 bytes, or 0 for none; without duplicates. \throws Error (usage)
[[nodiscard]] std::vector<std::uint32_t> parse_index_bytes(const std::vector<std::string>& numbers);

/// What is to be sorted: of each key type each operation, and of that each width that it has. Each meaning is
/// there once: a sort of keys has no widths, and is not said to be stable.
/// \throws Error (usage) for a width that no operation of these has, too
[[nodiscard]] std::vector<SortSpec> sort_specs_of(const OperationOptions& options,
                                                  std::span<const KeyType> keys, Order order);

/// What a table says of it: "sort", "sort_pairs 4 B", "argsort 4 B unstable", "top_k 64 with indices of 4 B".
[[nodiscard]] std::string operation_text(const SortSpec& spec);

/// How many rows, as a table says it: "64", "3000 segments".
[[nodiscard]] std::string rows_text(const Shape& shape);

/// The column of a table for that: left out where all are sorts of keys.
[[nodiscard]] Table::Column operation_column();

}  // namespace bitune::cli
