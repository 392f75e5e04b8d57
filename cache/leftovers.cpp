#include "cache/leftovers.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <system_error>

namespace bitune {
namespace {

namespace fs = std::filesystem;

// Not the name that it had when it was locked itself: an older bitune would find nobody there.
constexpr const char* owner_name = "bitune-owner";

/// How deep folders are removed: kernels lie less deep.
constexpr int deepest = 8;

/// The path is written before the flag and read after it, by a signal handler, too.
struct Place {
  std::array<char, 4096> path{};
  bool taken = false;  // held by a Leftover; guarded by the mutex
  pid_t owner = 0;     // a fork has the list, too, but not what is in it
  std::atomic<bool> is_there = false;
};
std::array<Place, 16> places;
std::mutex places_mutex;

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler reads it");

void remove_all_below(int folder, int depth) noexcept;

/// Nothing here allocates: a signal may have come in the middle of malloc.
void remove_entry(int parent, const char* name, int depth) noexcept {
  if (::unlinkat(parent, name, 0) == 0 || depth == 0) return;
  const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  remove_all_below(folder, depth - 1);
  ::close(folder);
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

void remove_all_below(int folder, int depth) noexcept {
  // Entries move while others are removed: what one pass misses, the next one meets. The owner goes last, so
  // that a folder that somebody still writes to can be swept later.
  constexpr int passes = 3;
  bool others = true;
  for (int pass = 0; pass < passes && others; ++pass) {
    others = false;
    ::lseek(folder, 0, SEEK_SET);
    alignas(dirent64) std::array<char, 2048> buffer;
    for (ssize_t size = 0; (size = ::getdents64(folder, buffer.data(), buffer.size())) > 0;) {
      for (ssize_t at = 0; at < size;) {
        const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
        at += entry->d_reclen;
        const char* name = entry->d_name;
        if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
        if (std::strcmp(name, owner_name) == 0) continue;
        others = true;
        remove_entry(folder, name, depth);
      }
    }
  }
  if (!others) ::unlinkat(folder, owner_name, 0);
}

bool is_temporary_name(std::string_view name, std::string_view prefix) {
  constexpr std::size_t random_characters = 6;
  if (name.size() != prefix.size() + random_characters || !name.starts_with(prefix)) return false;
  return std::all_of(name.end() - random_characters, name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

/// Calls `remove` if it is a file, or a folder, of this user that belongs to no process, and holds its lock
/// meanwhile: nobody can take it over. Anybody may put files into a shared folder: no link is followed.
template <class Remove>
void if_abandoned(const fs::path& path, mode_t kind, Remove&& remove) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat status = {};
  if (::fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == kind &&
      status.st_uid == ::geteuid() && lock_file(descriptor)) {
    remove();
  }
  ::close(descriptor);
}

mode_t permissions_of_new_files() noexcept {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

template <class Visit>
void for_each_temporary(const fs::path& folder, std::string_view prefix, Visit&& visit) noexcept {
  try {
    std::error_code error;
    fs::directory_iterator entries(folder.empty() ? "." : folder, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      if (is_temporary_name(entries->path().filename().string(), prefix)) visit(entries->path());
    }
  } catch (const std::exception&) {  // out of memory: whoever comes next sweeps
  }
}

}  // namespace

Leftover::Leftover(const fs::path& path) {
  const std::string& name = path.native();
  const std::lock_guard lock(places_mutex);
  const auto free =
      std::find_if(places.begin(), places.end(), [](const Place& place) { return !place.taken; });
  if (free == places.end() || name.size() >= free->path.size()) return;
  std::copy_n(name.c_str(), name.size() + 1, free->path.begin());
  free->taken = true;
  free->owner = ::getpid();
  free->is_there = true;
  place_ = static_cast<int>(free - places.begin());
}

Leftover::~Leftover() {
  if (place_ < 0) return;
  const std::lock_guard lock(places_mutex);
  Place& place = places[static_cast<std::size_t>(place_)];
  place.is_there = false;
  place.taken = false;
}

void remove_leftovers() noexcept {
  for (const Place& place : places) {
    if (place.is_there && place.owner == ::getpid()) remove_entry(AT_FDCWD, place.path.data(), deepest);
  }
}

void remove_folder(const fs::path& folder) noexcept { remove_entry(AT_FDCWD, folder.c_str(), deepest); }

bool lock_file(int descriptor) noexcept { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

FolderLock::FolderLock(const fs::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {
  const bool is_taken = descriptor_ >= 0 && !lock_file(descriptor_) && errno == EWOULDBLOCK;
  struct stat locked = {};
  struct stat named = {};
  const bool is_there = descriptor_ >= 0 && ::fstat(descriptor_, &locked) == 0 &&
                        ::stat(folder.c_str(), &named) == 0 && locked.st_dev == named.st_dev &&
                        locked.st_ino == named.st_ino;
  swept_ = is_taken || !is_there;
  if (swept_) return;
  const int owner = ::open((folder / owner_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (owner >= 0) ::close(owner);
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void sweep_files(const fs::path& folder, std::string_view prefix,
                 std::initializer_list<const char*> companions) noexcept {
  for_each_temporary(folder, prefix, [companions](const fs::path& path) {
    if_abandoned(path, S_IFREG, [&path, companions] {
      for (const char* suffix : companions) ::unlink((path.native() + suffix).c_str());
      ::unlink(path.c_str());
    });
  });
}

int create_locked_file(const fs::path& folder, const std::string& prefix, std::string& path,
                       std::initializer_list<const char*> companions) {
  sweep_files(folder, prefix, companions);
  while (true) {
    path = (folder / (prefix + "XXXXXX")).string();
    const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0) return descriptor;
    // Somebody may be about to sweep it, or have done so, before it is locked. Where files have no locks,
    // nobody sweeps.
    const bool taken = !lock_file(descriptor) && errno == EWOULDBLOCK;
    struct stat status = {};
    const bool is_there = !taken && ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
    if (is_there && ::fchmod(descriptor, permissions_of_new_files()) == 0) return descriptor;
    const int reason = errno;
    ::close(descriptor);
    ::unlink(path.c_str());
    if (is_there) {
      errno = reason;
      return -1;
    }
  }
}

void sweep_folders(const fs::path& folder, std::string_view prefix) noexcept {
  for_each_temporary(folder, prefix, [](const fs::path& path) {
    if_abandoned(path, S_IFDIR, [&path] {
      std::error_code ignored;
      // One without an owner was left before it had one, and is empty; or it is no folder of ours.
      if (fs::exists(path / owner_name, ignored)) {
        remove_folder(path);
      } else {
        ::rmdir(path.c_str());
      }
    });
  });
}

}  // namespace bitune
