#pragma once

/// \file
/// What `bitune sort` does with what it has read: a function for each way to sort it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_input.hpp"
#include "cli/record_keys.hpp"
#include "cli/segments_input.hpp"
#include "cli/sort_input.hpp"
#include "cli/sort_report.hpp"
#include "cli/values.hpp"

namespace bitune::cli::sort_command {

struct SortOptions {
  CommonOptions common;
  InputOptions input;
  RecordOptions records;
  std::string output;
  std::string output_format;
  std::string rows;
  SegmentOptions segments;
  std::vector<std::string> devices;  ///< none: one device
  std::string values;
  std::string values_output;
  std::string generate;
  std::uint64_t seed = 1;
  bool descending = false;
  bool verify = false;

  [[nodiscard]] Order order() const noexcept { return descending ? Order::descending : Order::ascending; }
};

/// What is asked of keys, and of such values with them.
[[nodiscard]] Problem problem_of(const SortOptions& options, SortInput& input, std::uint64_t value_bytes);

// Each sorts, and verifies the result if that is asked for. What was read is the result then, but where it
// says otherwise. \throws Error

/// Keys alone, in one array or in rows.
[[nodiscard]] SortReport sort_keys(const SortOptions& options, CommandInput& from);

/// Keys, and values if there are some, over several devices. What was read stays until it is verified.
[[nodiscard]] SortReport sort_over_devices(const SortOptions& options, CommandInput& from,
                                           ValueArray* values);

/// The keys of each segment. What was read stays until it is verified.
[[nodiscard]] SortReport sort_segments(const SortOptions& options, CommandInput& from,
                                       SegmentInput& segments);

/// Keys and values, in the order of the keys. What was read stays until it is verified.
[[nodiscard]] SortReport sort_with_values(const SortOptions& options, CommandInput& from,
                                          std::optional<SegmentInput>& segments, ValueArray& values);

/// From files to files, none of which is read or written as a whole.
[[nodiscard]] SortReport sort_in_files(const SortOptions& options, CommandInput& from, OutputFile& output,
                                       OutputFile* values_output, const ReadLimit& limit);

/// Writes whole records in the order of some of their fields.
[[nodiscard]] SortReport sort_records(const SortOptions& options, const InputRequest& request,
                                      OutputFile& output);

}  // namespace bitune::cli::sort_command
