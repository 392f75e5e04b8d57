#pragma once

/// \file
/// What `bitune sort`, `bitune argsort` and `bitune topk` say of what is done.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bitune/bitune.hpp"
#include "bitune/multi.hpp"
#include "cli/formats/format.hpp"

namespace bitune::cli {

/// A field that records were sorted by.
struct SortedField {
  std::string name;
  KeyType type = KeyType::u32;
  Order order = Order::ascending;
};

/// A sort of all rows of an input.
struct SortReport {
  std::string input;
  std::string output;          ///< empty if nothing was written
  std::string conversion;      ///< what was changed as the input was read; empty if nothing
  std::string values_output;   ///< where values went that travelled with the keys; else empty
  std::string indices_output;  ///< where the indices of a top_k went; else empty
  std::string device;
  Problem problem;                ///< of one row; `rows` as the input has them
  std::vector<SortedField> keys;  ///< of records, the one that matters most first; the problem is that one's
  bool whole_records = false;     ///< they were written; else indices were
  Explanation how;
  HostSortTimes times;  ///< sums over all rows; of several devices, each step on the one that is last
  std::vector<MultiResult> ranks;  ///< one for each device of several, else none
  double prepare_ms = 0;
  std::optional<bool> verified;  ///< nothing if that was not asked for
};

/// Lines for people.
[[nodiscard]] std::string sort_text(const SortReport& report);
/// A JSON document.
[[nodiscard]] std::string sort_json(const SortReport& report);

/// The document to standard output, or the lines to standard error.
void print_report(const SortReport& report, bool as_json);

/// Refuses to write what is no text to a terminal. `destination` "-" is standard output. \throws Error
/// (usage)
void refuse_terminal(const std::string& destination, Format format);

}  // namespace bitune::cli
