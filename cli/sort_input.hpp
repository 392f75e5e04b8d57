#pragma once

/// \file
/// What `bitune sort` sorts: a file or generated keys, in rows.

#include <cstdint>
#include <optional>
#include <string>

#include "cli/formats/format.hpp"

namespace bitune::cli {

/// Keys with the name and format they came with.
struct SortInput {
  KeyArray keys;
  std::string name;
  Format format = Format::raw;
};

/// Reads a file ("-": standard input), in the given format or the one that it seems to have.
/// \throws Error (input, io, usage)
[[nodiscard]] SortInput read_input(const std::string& path, std::optional<Format> format,
                                   std::optional<KeyType> type);

/// Makes keys as "random:1000000" says: a distribution and a size. \throws Error (usage)
[[nodiscard]] SortInput generate_input(const std::string& what, KeyType type, std::uint64_t seed);

/// Number of rows that are sorted on their own. `option` is the text of --rows: empty for a single array, a
/// number, or "auto" for the leading dimensions of the array. \throws Error (usage) where it does not fit the
/// shape
[[nodiscard]] std::uint64_t rows_of(const KeyArray& keys, const std::string& option, const std::string& name);

}  // namespace bitune::cli
