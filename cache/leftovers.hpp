#pragma once

/// \file
/// Temporary files and folders of processes that end before their time. What a signal ends removes its own,
/// if it is told to; what was killed at once is swept by those who come after it. A lock says who lives.

#include <filesystem>
#include <initializer_list>
#include <string>
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

/// Removes a folder with all that is in it, `bitune-owner` last: whoever is killed meanwhile leaves a folder
/// that is swept.
void remove_folder(const std::filesystem::path& folder) noexcept;

/// Locks a file for as long as it is open here or in a fork; false if another process has it. The system
/// unlocks it when that process ends, however it ends.
[[nodiscard]] bool lock_file(int descriptor) noexcept;

/// Holds the lock of a folder, so that `sweep_folders` leaves it alone, and marks it with a file
/// `bitune-owner`, so that it is swept when this process is dead.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Whether somebody swept the folder before it was locked: then another one is needed.
  [[nodiscard]] bool is_swept() const noexcept { return swept_; }

 private:
  int descriptor_ = -1;
  bool swept_ = false;
};

/// Removes files of this user in the folder that are called `prefix` and six characters more, as mkstemp
/// names them, and that nobody has locked; and what is called as one of them with one of `companions` behind.
/// Never throws: what cannot be removed stays.
void sweep_files(const std::filesystem::path& folder, std::string_view prefix,
                 std::initializer_list<const char*> companions = {}) noexcept;

/// A new file in the folder, open and locked, called `prefix` and six characters more, with the permissions
/// of any new file; its path is put into `path`. -1 and errno if that fails. First those that the dead left
/// are swept, as sweep_files does.
[[nodiscard]] int create_locked_file(const std::filesystem::path& folder, const std::string& prefix,
                                     std::string& path, std::initializer_list<const char*> companions = {});

/// The same of folders: of those that have a `bitune-owner`, with all that is in them, and of others if they
/// are empty.
void sweep_folders(const std::filesystem::path& folder, std::string_view prefix) noexcept;

}  // namespace bitune
