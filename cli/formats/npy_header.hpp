#pragma once

/// \file
/// The header of NumPy's .npy format, versions 1.0 to 3.0.
/// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/types.hpp"

namespace bitune::cli {

inline constexpr std::string_view npy_magic = "\x93NUMPY";
inline constexpr std::size_t npy_preamble_bytes = 8;  ///< magic, major, minor
inline constexpr std::size_t npy_longest_header = 1
                                                  << 16;  ///< NumPy itself refuses more than 10000 by default

/// A field of the records of a structured array.
struct NpyField {
  std::string name;   ///< in UTF-8; empty: bytes between two fields
  std::string descr;  ///< "<f4"; empty where it holds an array or fields of its own
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;

  bool operator==(const NpyField&) const = default;
};

/// What the dictionary of a header says.
struct NpyHeader {
  std::string descr;  ///< "<f4"; of a structured array the list of its fields, as it stands there
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::vector<NpyField> fields = {};  ///< of a structured array; else empty
  bool utf8 = false;                  ///< version 3.0; else it is in Latin-1

  bool operator==(const NpyHeader&) const = default;
};

/// Reads the dictionary, a Python literal, which is in UTF-8 or Latin-1. `file` names the file in errors.
/// \throws Error (input)
[[nodiscard]] NpyHeader parse_npy_header(std::string_view text, const std::string& file, bool utf8 = false);

/// Key type of a dtype, whatever its byte order; "V2" is bf16, as NumPy saves it, and bool is u8. \throws
/// Error (input)
[[nodiscard]] KeyType key_type_of_descr(std::string_view descr, const std::string& file);

/// Bytes of an element of any dtype but Python objects and structures. \throws Error (input)
[[nodiscard]] std::uint64_t element_bytes_of_descr(std::string_view descr, const std::string& file);

/// The dtype that NumPy gives to a key type.
[[nodiscard]] std::string_view descr_of(KeyType type) noexcept;

/// The whole header of version 1.0 (2.0 where the dictionary needs it, 3.0 if it is to be in UTF-8), padded
/// so that the keys begin at a multiple of 64.
[[nodiscard]] std::string npy_header_text(std::string_view descr, const std::vector<std::uint64_t>& shape,
                                          bool utf8 = false);

}  // namespace bitune::cli
