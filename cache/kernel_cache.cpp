#include "cache/kernel_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sstream>
#include <system_error>
#include <vector>

#include "bitune/error.hpp"
#include "bitune/log.hpp"
#include "cache/atomic_file.hpp"
#include "cache/kernel_file.hpp"
#include "model/digest.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kernel_extension = ".kernel";
constexpr std::string_view note_extension = ".note";
constexpr std::chrono::hours abandoned_after{1};
// Other processes store too: the directory is read again after this many stores of our own.
constexpr unsigned stores_between_scans = 256;

struct Entry {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

// Digests are hexadecimal; any other text is digested, so that it can never lead out of the directory.
std::string file_stem(std::string_view digest) {
  const bool plain = digest.size() >= 8 && digest.size() <= 128 &&
                     std::all_of(digest.begin(), digest.end(),
                                 [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  return plain ? std::string(digest) : Digest().add(digest).hex();
}

fs::path path_of(const fs::path& directory, std::string_view digest, std::string_view extension) {
  const std::string stem = file_stem(digest);
  return directory / stem.substr(0, 2) / (stem + std::string(extension));
}

// Names of kernels and notes, and of those that are being written.
bool is_stored(std::string_view name) {
  return name.ends_with(kernel_extension) || name.ends_with(note_extension);
}
bool is_temporary(std::string_view name) {
  return name.ends_with(temporary_suffix) && (name.find(kernel_extension) != std::string_view::npos ||
                                              name.find(note_extension) != std::string_view::npos);
}

// All files in the two levels of the directory whose name is one that we give. The directory may be shared
// with other programs, and files may vanish while they are listed.
std::vector<Entry> entries_in(const fs::path& directory, bool (*is_wanted)(std::string_view name)) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator folder(directory, error), end; !error && folder != end;
       folder.increment(error)) {
    const std::string prefix = folder->path().filename().string();
    if (prefix.size() != 2) continue;
    std::error_code inner;
    for (fs::directory_iterator file(folder->path(), inner); !inner && file != end; file.increment(inner)) {
      const std::string name = file->path().filename().string();
      if (!name.starts_with(prefix) || !is_wanted(name)) continue;
      std::error_code gone;
      Entry entry{file->path(), file->file_size(gone), {}};
      if (!gone) entry.used = file->last_write_time(gone);
      if (!gone) entries.push_back(std::move(entry));
    }
  }
  return entries;
}

std::uint64_t total_bytes(const std::vector<Entry>& entries) {
  std::uint64_t total = 0;
  for (const Entry& entry : entries) total += entry.bytes;
  return total;
}

bool remove_file(const fs::path& path) {
  std::error_code error;
  return fs::remove(path, error);
}

// The whole file, which is marked as used if `decode` finds something in it.
template <class Decode>
auto read_used(const fs::path& path, Decode&& decode) -> decltype(decode(std::string_view())) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  // Inserted as a whole, since that turns an error of the disk into a failed stream.
  if (!file || !(content << file.rdbuf())) return std::nullopt;
  auto found = decode(content.view());
  if (found) {
    std::error_code ignored;  // in a directory that is only read, nothing is evicted either
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  }
  return found;
}

void remove_abandoned(const fs::path& directory) {
  const auto limit = fs::file_time_type::clock::now() - abandoned_after;
  for (const Entry& entry : entries_in(directory, is_temporary)) {
    if (entry.used < limit) remove_file(entry.path);
  }
}

}  // namespace

struct KernelCache::Implementation {
  fs::path directory;
  std::uint64_t cap_bytes;

  std::mutex mutex;               // guards all below
  bool writable = true;           // false after the first failure: the one warning is out
  std::uint64_t known_bytes = 0;  // in the directory at the last scan, and stored by this object since
  unsigned stores_until_scan = 0;

  void warn_once(const std::string& why) {
    {
      const std::lock_guard lock(mutex);
      if (!writable) return;
      writable = false;
    }
    log_sentence(fmt::format("kernels are not kept in '{}': {}; name a writable directory with BITUNE_CACHE",
                             directory.string(), why));
  }

  // Throws what goes wrong.
  void write(const fs::path& path, std::string_view file) {
    if (file.size() > cap_bytes) return;
    write_atomically(path, file);
    const std::lock_guard lock(mutex);
    enforce_cap(file.size());
  }

  // Precondition: the mutex is held. Evicts some more than is needed, so that not every store has to read the
  // directory.
  void enforce_cap(std::uint64_t new_bytes) {
    known_bytes += new_bytes;
    if (stores_until_scan > 0 && known_bytes <= cap_bytes) {
      --stores_until_scan;
      return;
    }
    stores_until_scan = stores_between_scans;
    remove_abandoned(directory);
    std::vector<Entry> entries = entries_in(directory, is_stored);
    known_bytes = total_bytes(entries);
    if (known_bytes <= cap_bytes) return;
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    const std::uint64_t goal = std::max(cap_bytes - cap_bytes / 8, new_bytes);
    for (const Entry& entry : entries) {
      if (known_bytes <= goal) break;
      if (remove_file(entry.path)) known_bytes -= entry.bytes;
    }
  }
};

std::filesystem::path KernelCache::default_directory() {
  const auto environment = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  if (auto directory = environment("BITUNE_CACHE"); !directory.empty()) return directory;
  if (const auto caches = environment("XDG_CACHE_HOME"); !caches.empty()) return caches / "bitune";
  if (const auto home = environment("HOME"); !home.empty()) return home / ".cache" / "bitune";
  throw Error(ErrorCode::io,
              "none of BITUNE_CACHE, XDG_CACHE_HOME and HOME is set; say with BITUNE_CACHE where "
              "compiled kernels may be kept");
}

KernelCache::KernelCache(std::filesystem::path directory, std::uint64_t cap_bytes)
    : implementation_(std::make_unique<Implementation>()) {
  implementation_->directory = std::move(directory);
  implementation_->cap_bytes = cap_bytes;
}

KernelCache::~KernelCache() = default;

const std::filesystem::path& KernelCache::directory() const noexcept { return implementation_->directory; }

std::optional<KernelImage> KernelCache::find(std::string_view digest) {
  return read_used(path_of(implementation_->directory, digest, kernel_extension),
                   [&](std::string_view file) { return kernel_file::decode(file, digest); });
}

void KernelCache::store(std::string_view digest, const KernelImage& image) noexcept {
  try {
    {
      const std::lock_guard lock(implementation_->mutex);
      if (!implementation_->writable) return;
    }
    implementation_->write(path_of(implementation_->directory, digest, kernel_extension),
                           kernel_file::encode(digest, image));
  } catch (const std::system_error& error) {
    implementation_->warn_once(error.code().message());
  } catch (const std::exception& error) {
    implementation_->warn_once(error.what());
  }
}

std::optional<std::string> KernelCache::find_note(std::string_view key) {
  return read_used(path_of(implementation_->directory, key, note_extension),
                   [&](std::string_view file) { return kernel_file::decode_note(file, key); });
}

void KernelCache::store_note(std::string_view key, std::string_view text) noexcept {
  try {
    implementation_->write(path_of(implementation_->directory, key, note_extension),
                           kernel_file::encode_note(key, text));
  } catch (const std::exception&) {  // the warning is for kernels that are compiled anew by each process
  }
}

KernelCache::Statistics KernelCache::statistics() const {
  const std::vector<Entry> entries = entries_in(implementation_->directory, is_stored);
  return {entries.size(), total_bytes(entries)};
}

std::uint64_t KernelCache::clear() {
  std::uint64_t removed = 0;
  for (const Entry& entry : entries_in(implementation_->directory, is_stored))
    removed += remove_file(entry.path) ? 1 : 0;
  for (const Entry& entry : entries_in(implementation_->directory, is_temporary)) remove_file(entry.path);
  const std::lock_guard lock(implementation_->mutex);
  implementation_->known_bytes = 0;
  implementation_->stores_until_scan = 0;
  return removed;
}

}  // namespace bitune
