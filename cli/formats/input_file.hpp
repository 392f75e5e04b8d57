#pragma once

/// \file
/// A file or standard input, read from its beginning to its end.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bitune::cli {

/// A readable file with the name that messages use. Thread-confined. Every function throws Error (io) naming
/// the file.
class InputFile {
 public:
  /// `path` "-" is standard input.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// "standard input", or the path.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The first bytes, up to `count` of them, without consuming them. Only before the first read.
  [[nodiscard]] std::string_view peek(std::size_t count);

  /// Bytes not yet read, where that is known (regular files).
  [[nodiscard]] std::optional<std::uint64_t> remaining() const;

  /// Reads up to `count` bytes; fewer only if the file ends there. Memory grows with what arrives, so a count
  /// taken from a damaged header costs nothing.
  [[nodiscard]] std::vector<std::byte> read(std::uint64_t count);

  /// Reads to the end of the file.
  [[nodiscard]] std::vector<std::byte> read_all();

 private:
  /// Reads past what was peeked; returns how many bytes there were before the end of the file.
  std::size_t read_descriptor(char* to, std::size_t count);

  std::string name_;
  int descriptor_ = -1;
  bool owned_ = false;
  std::string peeked_;
};

}  // namespace bitune::cli
