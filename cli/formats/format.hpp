#pragma once

/// \file
/// Which format a file has, and reading and writing in it.

#include <optional>
#include <string>
#include <string_view>

#include "cli/formats/input_file.hpp"
#include "cli/formats/key_array.hpp"
#include "cli/formats/output_file.hpp"

namespace bitune::cli {

enum class Format { npy, raw, text };

[[nodiscard]] std::string_view name_of(Format format) noexcept;

/// \throws Error (usage) that lists the formats there are.
[[nodiscard]] Format parse_format(std::string_view text);

/// Format by a file name's ending: .npy; .bin and .raw; .txt, .csv and .tsv. Nothing for others.
[[nodiscard]] std::optional<Format> format_of_name(std::string_view path);

/// Format of an input, by one rule for files and standard input: .npy if its first bytes say so, else by its
/// name's ending, else text. \throws Error (input) if none of that can be, and (usage) as refuse_foreign_name
[[nodiscard]] Format detect_format(InputFile& file);

/// \throws Error (usage) if the name's ending is that of a format that others read, and bitune does not
void refuse_foreign_name(std::string_view path);

/// \throws Error (input, io, usage) naming the file
[[nodiscard]] KeyArray read_keys(InputFile& file, Format format, std::optional<KeyType> type);
void write_keys(OutputFile& file, Format format, const KeyArray& keys);

}  // namespace bitune::cli
