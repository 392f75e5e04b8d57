#pragma once

/// \file
/// Keys as text: numbers, one or several a line.

#include <optional>
#include <string>
#include <string_view>

#include "cli/formats/input_file.hpp"
#include "cli/formats/key_array.hpp"
#include "cli/formats/output_file.hpp"

namespace bitune::cli {

/// Whether these first bytes of a file could be text: no control characters but tabs and ends of lines.
[[nodiscard]] bool looks_like_text(std::string_view bytes) noexcept;

/// Reads numbers with commas, semicolons, blanks or tabs between them, and ends of lines. Blanks around a
/// number, quotes around it, carriage returns, a byte order mark and empty lines at the end are allowed. The
/// type is as `parse_numbers` chooses it. Several numbers in each of several lines make rows; a text without
/// numbers is an empty list. `file` names the file in errors. \throws Error (input) as parse_numbers
[[nodiscard]] KeyArray parse_text(std::string_view text, std::optional<KeyType> type, const std::string& file,
                                  const ReadLimit& limit = {});

[[nodiscard]] KeyArray read_text(InputFile& file, std::optional<KeyType> type);

/// Appends the shortest text that reads back as the same number, for each of `count` keys, and a line feed.
void append_text(std::string& text, KeyType type, const std::byte* keys, std::uint64_t count);

/// A number a line; of an array of several dimensions, a row a line.
void write_text(OutputFile& file, const KeyArray& keys);

}  // namespace bitune::cli
