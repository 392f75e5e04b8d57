#pragma once

/// \file
/// Keys as text: one number a line.

#include <optional>
#include <string>
#include <string_view>

#include "cli/formats/input_file.hpp"
#include "cli/formats/key_array.hpp"
#include "cli/formats/output_file.hpp"

namespace bitune::cli {

/// Reads one number a line; blanks around it, a carriage return and empty lines at the end are allowed.
/// Without `type` the keys are i64 if every line is an integer, else f64. `file` names the file in errors.
/// \throws Error (input) with the line: no number, a fraction or NaN where integers are due, out of the
/// type's range
[[nodiscard]] KeyArray parse_text(std::string_view text, std::optional<KeyType> type,
                                  const std::string& file);

[[nodiscard]] KeyArray read_text(InputFile& file, std::optional<KeyType> type);

/// Appends the shortest text that reads back as the same number, and a line feed, for each of `count` keys.
void append_text(std::string& text, KeyType type, const std::byte* keys, std::uint64_t count);

void write_text(OutputFile& file, const KeyArray& keys);

}  // namespace bitune::cli
