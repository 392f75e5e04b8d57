#pragma once

/// \file
/// Arrays in NumPy's .npy format.

#include <optional>

#include "cli/formats/input_file.hpp"
#include "cli/formats/key_array.hpp"
#include "cli/formats/output_file.hpp"

namespace bitune::cli {

/// Reads a whole .npy file: any of the twelve key types, and bool as u8, with any number of dimensions but
/// none. Big endian becomes little endian, and Fortran order C order, which `conversion` tells. `type`, if
/// given, must be the file's own, or bf16 for a file of u16 (bits saved under another name). \throws Error
/// (input, usage, io) naming the file; truncated files and trailing bytes are errors.
[[nodiscard]] KeyArray read_npy(InputFile& file, std::optional<KeyType> type);

void write_npy(OutputFile& file, const KeyArray& keys);

/// Reads a .npy file whose elements are only moved: of any dtype but objects and structures, and of one
/// dimension. \throws as read_npy
[[nodiscard]] ValueArray read_npy_values(InputFile& file);

void write_npy_values(OutputFile& file, const ValueArray& values);

}  // namespace bitune::cli
