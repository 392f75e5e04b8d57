#pragma once

/// \file
/// Keys as plain little-endian bytes, without a header.

#include "cli/formats/input_file.hpp"
#include "cli/formats/key_array.hpp"
#include "cli/formats/output_file.hpp"

namespace bitune::cli {

/// Reads to the end of the file. \throws Error (input) if it is not a whole number of keys
[[nodiscard]] KeyArray read_raw(InputFile& file, KeyType type);

void write_raw(OutputFile& file, const KeyArray& keys);

}  // namespace bitune::cli
