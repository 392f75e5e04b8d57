#pragma once

/// \file
/// Keys in host memory, as the formats read and write them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bitune/types.hpp"
#include "cache/file_mapping.hpp"
#include "model/key_type.hpp"

namespace bitune::cli {

/// An array that was not read: it lies in a file, from a byte to the end.
struct MappedContent {
  std::shared_ptr<const FileMapping> mapping;  ///< null: there is none
  std::uint64_t begin = 0;

  [[nodiscard]] std::span<const std::byte> content() const noexcept {
    return std::span<const std::byte>(mapping->bytes()).subspan(begin);
  }
};

/// An array of keys of one type in C order. Invariant: the size of `content()` is the product of `shape`
/// times the key's size.
struct KeyArray {
  KeyType type = KeyType::u32;
  std::vector<std::uint64_t> shape;  ///< never empty; one entry for a plain list
  std::vector<std::byte> bytes;      ///< empty where the keys were left in their file
  std::string
      npy_descr;         ///< dtype of the .npy file it came from, so that the output has the same; else empty
  char separator = ',';  ///< between the numbers of a line, where rows are written as text
  bool ragged = false;   ///< a list of text whose lines have different counts of numbers
  std::string conversion =
      {};  ///< what was changed when it was read, for people: "big endian to little endian"

  MappedContent in_file = {};

  /// The keys, which may be those of a file.
  [[nodiscard]] std::span<const std::byte> content() const noexcept {
    return in_file.mapping ? in_file.content() : std::span(bytes);
  }

  /// Number of keys.
  [[nodiscard]] std::uint64_t count() const noexcept { return content().size() / size_of(type); }
};

/// Values that travel with keys, in C order. Nothing is known of them but their size.
struct ValueArray {
  std::uint64_t value_bytes = 0;
  std::vector<std::uint64_t> shape;  ///< empty where the file does not say one
  std::vector<std::byte> bytes;      ///< as of KeyArray
  std::string npy_descr;             ///< as of KeyArray
  bool npy_utf8 = false;             ///< whether names in the dtype are in UTF-8
  MappedContent in_file = {};

  [[nodiscard]] std::span<const std::byte> content() const noexcept {
    return in_file.mapping ? in_file.content() : std::span(bytes);
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return content().size() / value_bytes; }
};

/// The i-th of a list of indices, u32 or u64.
[[nodiscard]] inline std::uint64_t index_at(const KeyArray& indices, std::uint64_t i) noexcept {
  std::uint64_t index = 0;  // bitune runs on little-endian hosts
  const std::size_t width = size_of(indices.type);
  std::memcpy(&index, indices.bytes.data() + i * width, width);
  return index;
}

/// A list of keys without further shape.
[[nodiscard]] inline KeyArray make_list(KeyType type, std::vector<std::byte> bytes) {
  KeyArray keys;
  keys.type = type;
  keys.bytes = std::move(bytes);
  keys.shape = {keys.count()};
  return keys;
}

}  // namespace bitune::cli
