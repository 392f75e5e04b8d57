#pragma once

/// \file
/// A private folder for the files that compiling and loading kernels goes through.

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "cache/leftovers.hpp"

namespace bitune::emulated {

/// A folder that only this user can read, removed with all that is in it on destruction (by the process that
/// made it: not by a fork of it). If that process is killed, the next one that makes such a folder removes
/// it.
class TemporaryFolder {
 public:
  /// Below `$TMPDIR`, else /tmp. \throws Error (io)
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// A path in it that was not given out before. Thread-safe.
  [[nodiscard]] std::filesystem::path unique(std::string_view suffix) const;

 private:
  std::filesystem::path path_;
  pid_t owner_;
  std::optional<FolderLock> lock_;
  std::optional<Leftover> leftover_;
};

/// The process's own, made when first asked for and removed at exit. Thread-safe.
[[nodiscard]] const TemporaryFolder& process_folder();

/// Writes a whole file, with the folders that lead to it. \throws Error (io)
void write_file(const std::filesystem::path& path, std::string_view text);

/// Reads a whole file. \throws Error (io)
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace bitune::emulated
