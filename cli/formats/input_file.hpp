#pragma once

/// \file
/// A file, standard input or bytes in memory, read from their beginning to their end.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/formats/key_array.hpp"
#include "cli/formats/read_limit.hpp"

namespace bitune::cli {

/// A readable file with the name that messages use. Thread-confined. Every function throws Error (io) naming
/// the file. Nothing is read beyond the limit: Error (input) says so, before anything is read where the size
/// is known.
class InputFile {
 public:
  /// `path` "-" is standard input.
  explicit InputFile(std::string path, ReadLimit limit = {});

  /// These bytes, as if a file of this name held them.
  static InputFile of_bytes(std::string name, std::string bytes) {
    return {std::move(name), std::move(bytes)};
  }

  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// "standard input", or the path.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  [[nodiscard]] const ReadLimit& limit() const noexcept { return limit_; }

  /// The first bytes, up to `count` of them, without consuming them. Only before the first read.
  [[nodiscard]] std::string_view peek(std::size_t count);

  /// Bytes not yet read, where that is known (regular files, memory).
  [[nodiscard]] std::optional<std::uint64_t> remaining() const;

  /// Reads up to `count` bytes; fewer only if the file ends there. Memory grows with what arrives, so a count
  /// taken from a damaged header costs nothing.
  [[nodiscard]] std::vector<std::byte> read(std::uint64_t count);

  /// What is not yet read, left where it is: of a regular file. Nothing of it counts as read, or as memory.
  [[nodiscard]] MappedContent map() const;

  /// Reads to the end of the file.
  [[nodiscard]] std::vector<std::byte> read_all();

 private:
  InputFile(std::string name, std::string bytes) : name_(std::move(name)), peeked_(std::move(bytes)) {}

  /// Reads past what was peeked; returns how many bytes there were before the end of the file.
  std::size_t read_descriptor(char* to, std::size_t count);

  std::string name_;
  ReadLimit limit_;
  int descriptor_ = -1;  ///< of bytes in memory: none
  bool owned_ = false;
  std::string peeked_;
};

}  // namespace bitune::cli
