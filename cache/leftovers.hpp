#pragma once

/// \file
/// Temporary files and folders of processes that end before their time. What a signal ends removes its own,
/// if it is told to; what was killed at once is swept by those who come after it. A lock says who lives.

#include <filesystem>
#include <string_view>

namespace bitune {

/// A file or folder that `remove_leftovers` removes for as long as this lives. Thread-safe.
class Leftover {
 public:
  explicit Leftover(const std::filesystem::path& path);
  ~Leftover();
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;

 private:
  int place_ = -1;  ///< in the list; -1: there was no room, and it is left to those who sweep
};

/// Removes what is registered, folders with all that is in them. For a process that ends at once: may be
/// called by a signal handler.
void remove_leftovers() noexcept;

/// Locks a file for as long as it is open here or in a fork; false if another process has it. The system
/// unlocks it when that process ends, however it ends.
[[nodiscard]] bool lock_file(int descriptor) noexcept;

/// Holds the lock of a folder: a file `owner` in it, so that `sweep_folders` leaves the folder alone.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// Removes files of this user in the folder that are called `prefix` and six characters more, as mkstemp
/// names them, and that nobody has locked. Never throws: what cannot be removed stays.
void sweep_files(const std::filesystem::path& folder, std::string_view prefix) noexcept;

/// The same of folders with an `owner` that nobody has locked.
void sweep_folders(const std::filesystem::path& folder, std::string_view prefix) noexcept;

}  // namespace bitune
