#pragma once

/// \file
/// Sorting records by some of their fields, as `bitune sort --key` and `bitune argsort --key` do.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/formats/records.hpp"
#include "cli/sort_input.hpp"
#include "cli/sort_report.hpp"

namespace bitune::cli {

/// The options that say by what records are sorted, as they are typed.
struct RecordOptions {
  std::vector<std::string> keys;
  bool no_header = false;
};

/// --key and --no-header.
void add_record_options(CLI::App& command, RecordOptions& options);

/// \throws Error (usage) where they do not go together
void check_record_options(const RecordOptions& options);

/// A field by which records are sorted.
struct RecordKey {
  std::size_t field = 0;
  Order order = Order::ascending;

  bool operator==(const RecordKey&) const = default;
};

/// What "price:desc,time" and the like name: the first field matters most, and each may say its order. A
/// text, or a part of it, that is a field's name as it stands, commas and colons included, names that field.
/// \throws Error (usage) that lists the fields
[[nodiscard]] std::vector<RecordKey> parse_record_keys(const std::vector<std::string>& texts,
                                                       const Records& records, Order order);

/// Reads the records of a file with their format. \throws Error (input, io, usage)
[[nodiscard]] std::unique_ptr<Records> read_records(const InputRequest& request, const RecordOptions& options,
                                                    Format& format);

/// Where the sorted records come from, as indices of `index` (u32 or u64). Records with equal keys keep their
/// order. One stable argsort for each key, the last key first. \throws Error
[[nodiscard]] KeyArray order_of(const Records& records, const std::vector<RecordKey>& keys,
                                const CommonOptions& common, KeyType index, std::optional<KeyType> type,
                                bool verify, SortReport& report);

}  // namespace bitune::cli
