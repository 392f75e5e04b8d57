#pragma once

/// \file
/// An output file that appears whole or not at all.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cache/file_mapping.hpp"
#include "cache/leftovers.hpp"

namespace bitune::cli {

/// Writes to a temporary file beside the destination and renames it at `commit`. Without `commit` (an
/// exception, or SIGINT, SIGTERM, SIGHUP) the temporary file is removed and the destination is as it was. A
/// What a killed process left is removed by the next one that writes to the same destination. A
/// destination that exists and is no regular file (a pipe, /dev/null) is written directly; a symbolic link is
/// followed.
///
/// Signals do so in the command (remove_leftovers_on_signals). Thread-confined. Every function throws Error
/// (io).
class OutputFile {
 public:
  /// `path` "-" is standard output. Opens at once, so that an unwritable place is noticed before any work is
  /// done.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  /// Whether it is a file, which can be mapped.
  [[nodiscard]] bool is_file() const noexcept { return !temporary_.empty(); }

  /// So many bytes behind what was written, to be written in memory until `commit`. Their room on the disk is
  /// taken now. Only of what is_file(), and once.
  [[nodiscard]] std::span<std::byte> map(std::uint64_t bytes);

  /// Makes the file durable and visible. The object is done with after that.
  void commit();

 private:
  void close_and_remove() noexcept;
  [[noreturn]] void fail(const char* what) const;

  std::string name_;         ///< for messages
  std::string destination_;  ///< links resolved
  std::string temporary_;    ///< empty where the destination is written directly
  std::optional<Leftover> leftover_;
  int descriptor_ = -1;
  FileMapping mapping_;
};

}  // namespace bitune::cli
