#pragma once

/// \file
/// A folder of a process's own, for files that nobody else may see half-written.

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "cache/leftovers.hpp"

namespace bitune {

/// A folder that only this user can read, removed with all that is in it on destruction (by the process that
/// made it: not by a fork of it). If that process is killed, the next one that makes such a folder removes
/// it.
class TemporaryFolder {
 public:
  /// Below `$TMPDIR`, else /tmp. \throws Error (io)
  TemporaryFolder();
  /// In `parent`, called `prefix` and six characters more. \throws std::system_error
  TemporaryFolder(const std::filesystem::path& parent, std::string_view prefix);
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

}  // namespace bitune
