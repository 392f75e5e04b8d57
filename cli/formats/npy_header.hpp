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

/// What the dictionary of a header says.
struct NpyHeader {
  std::string descr;  ///< "<f4"; a structured type is refused
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;

  bool operator==(const NpyHeader&) const = default;
};

/// Reads the dictionary, a Python literal. `file` names the file in errors. \throws Error (input)
[[nodiscard]] NpyHeader parse_npy_header(std::string_view text, const std::string& file);

/// Key type of a dtype, whatever its byte order; "V2" is bf16, as NumPy saves it, and bool is u8. \throws
/// Error (input)
[[nodiscard]] KeyType key_type_of_descr(std::string_view descr, const std::string& file);

/// Bytes of an element of any dtype but Python objects and structures. \throws Error (input)
[[nodiscard]] std::uint64_t element_bytes_of_descr(std::string_view descr, const std::string& file);

/// The dtype that NumPy gives to a key type.
[[nodiscard]] std::string_view descr_of(KeyType type) noexcept;

/// The whole header of version 1.0 (2.0 where the dictionary needs it), padded so that the keys begin at a
/// multiple of 64.
[[nodiscard]] std::string npy_header_text(std::string_view descr, const std::vector<std::uint64_t>& shape);

}  // namespace bitune::cli
