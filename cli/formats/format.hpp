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

/// Format by a file name's ending: .npy; .bin and .raw; .txt and .csv. Nothing for others.
[[nodiscard]] std::optional<Format> format_of_name(std::string_view path);

/// Format of an input: as its first bytes say (.npy), else its name, else text for standard input, else raw
/// if a type is given. \throws Error (usage) if none of that tells
[[nodiscard]] Format detect_format(InputFile& file, bool type_given);

/// \throws Error (input, io, usage) naming the file
[[nodiscard]] KeyArray read_keys(InputFile& file, Format format, std::optional<KeyType> type);
void write_keys(OutputFile& file, Format format, const KeyArray& keys);

}  // namespace bitune::cli
