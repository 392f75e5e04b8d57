#pragma once

/// \file
/// Files of values that travel with keys.

#include <string>

#include "cli/formats/key_array.hpp"
#include "cli/formats/output_file.hpp"
#include "cli/formats/read_limit.hpp"

namespace bitune::cli {

/// Reads a value for each of `keys` keys: a .npy file of any dtype, else raw bytes, of which each key has as
/// many. \throws Error (input, io)
[[nodiscard]] ValueArray read_values(const std::string& path, std::uint64_t keys, const ReadLimit& limit);

/// Writes them as they came: as .npy, or raw.
void write_values(OutputFile& file, const ValueArray& values);

}  // namespace bitune::cli
