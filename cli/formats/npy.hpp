#pragma once

/// \file
/// Arrays in NumPy's .npy format.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/formats/input_file.hpp"
#include "cli/formats/key_array.hpp"
#include "cli/formats/npy_header.hpp"
#include "cli/formats/output_file.hpp"

namespace bitune::cli {

/// Reads a whole .npy file: any of the twelve key types, and bool as u8, with any number of dimensions but
/// none. Big endian becomes little endian, and Fortran order C order, which `conversion` tells. `type`, if
/// given, must be the file's own, or bf16 for a file of u16 (bits saved under another name). \throws Error
/// (input, usage, io) naming the file; truncated files and trailing bytes are errors.
[[nodiscard]] KeyArray read_npy(InputFile& file, std::optional<KeyType> type);

/// All up to the first key.
void write_npy_header(OutputFile& file, const KeyArray& keys);
void write_npy(OutputFile& file, const KeyArray& keys);

/// Reads a .npy file whose elements are only moved: of any dtype but objects and structures, and of one
/// dimension. \throws as read_npy
[[nodiscard]] ValueArray read_npy_values(InputFile& file);

/// All up to the first value.
void write_npy_values_header(OutputFile& file, const ValueArray& values);
void write_npy_values(OutputFile& file, const ValueArray& values);

/// Reads all up to the first element. \throws as read_npy
[[nodiscard]] NpyHeader read_npy_header(InputFile& file);

/// Bytes of the elements that the header promises. \throws Error (input) if they exceed what any memory holds
[[nodiscard]] std::uint64_t promised_npy_bytes(const NpyHeader& header, std::uint64_t element_bytes,
                                               const std::string& file);

/// Reads the elements behind the header, each of so many bytes, in the order of the file. \throws as read_npy
[[nodiscard]] std::vector<std::byte> read_npy_elements(InputFile& file, const NpyHeader& header,
                                                       std::uint64_t element_bytes);

/// The type of keys of this dtype: its own, or `wanted` where that is given and may be. \throws as read_npy
[[nodiscard]] KeyType resolve_npy_type(std::string_view descr, std::optional<KeyType> wanted,
                                       const std::string& file);

/// Reverses the bytes of each element.
void swap_bytes(std::vector<std::byte>& bytes, std::size_t element_bytes);

}  // namespace bitune::cli
