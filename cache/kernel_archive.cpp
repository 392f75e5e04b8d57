#include "cache/kernel_archive.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <lzma.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "cache/atomic_file.hpp"
#include "cache/kernel_file.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

constexpr int archive_id = 0x42544b41;  // "BTKA", the application's id in the header of the file

/// A bundle is full from here on. Kernels that are compressed together take half of the space, and of a wheel
/// this many an eighth less than half as many. But who wants one of them expands all: that takes 7 ms, or 20
/// on a slow host.
constexpr std::size_t full_bundle = std::size_t{1} << 20;
/// What claims to be larger is damaged.
constexpr std::int64_t most_bytes = std::int64_t{64} << 20;

const std::uint8_t* bytes_of(const void* data) { return static_cast<const std::uint8_t*>(data); }
std::uint8_t* bytes_of(std::string& data) { return reinterpret_cast<std::uint8_t*>(data.data()); }

std::string compressed(const std::string& bytes) {
  lzma_options_lzma options;
  lzma_lzma_preset(&options, 9 | LZMA_PRESET_EXTREME);
  options.dict_size = 2 << 20;  // a bundle, and not the 64 MiB of the preset, which are allocated
  options.lc = 0;               // instructions have 16 bytes, each of which means something else
  options.lp = 4;
  options.pb = 4;
  std::array<lzma_filter, 2> filters = {{{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}}};
  std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  if (lzma_stream_buffer_encode(filters.data(), LZMA_CHECK_CRC32, nullptr, bytes_of(bytes.data()),
                                bytes.size(), bytes_of(packed), &size, packed.size()) != LZMA_OK) {
    throw Error(ErrorCode::io, "kernels could not be compressed: there is not enough memory");
  }
  packed.resize(size);
  return packed;
}

/// Nothing if that is not what `compressed` made of `size` bytes.
std::optional<std::string> expanded(const SQLite::Column& packed, std::int64_t size) {
  if (size < 0 || size > most_bytes) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::uint64_t most_memory = std::uint64_t{64} << 20;
  std::size_t read = 0;
  std::size_t written = 0;
  const auto packed_size = static_cast<std::size_t>(packed.getBytes());
  const lzma_ret result =
      lzma_stream_buffer_decode(&most_memory, 0, nullptr, bytes_of(packed.getBlob()), &read, packed_size,
                                bytes_of(bytes), &written, bytes.size());
  if (result != LZMA_OK || written != bytes.size()) return std::nullopt;
  return bytes;
}

/// Kernels in the order of their names, so that alike ones are neighbours.
std::vector<std::map<std::string, KernelImage>::const_iterator> by_name(
    const std::map<std::string, KernelImage>& kernels) {
  std::vector<std::map<std::string, KernelImage>::const_iterator> found;
  for (auto kernel = kernels.begin(); kernel != kernels.end(); ++kernel) found.push_back(kernel);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a->second.lowered_name < b->second.lowered_name;
  });
  return found;
}

/// Puts kernels into the tables of a new archive, bundle after bundle.
class Packer {
 public:
  explicit Packer(const SQLite::Database& database)
      : bundle_row_(database, "INSERT INTO bundles(id, bytes, file) VALUES(?, ?, ?)"),
        kernel_row_(database, "INSERT INTO kernels(key, bundle, start, bytes) VALUES(?, ?, ?, ?)") {}

  void add(const std::string& key, const std::string& file) {
    kernel_row_.bind(1, key);
    kernel_row_.bind(2, number_);
    kernel_row_.bind(3, static_cast<std::int64_t>(bundle_.size()));
    kernel_row_.bind(4, static_cast<std::int64_t>(file.size()));
    kernel_row_.exec();
    kernel_row_.reset();
    bundle_ += file;
    if (bundle_.size() >= full_bundle) close();
  }

  /// Writes the bundle that was begun.
  void close() {
    if (bundle_.empty()) return;
    const std::string packed = compressed(bundle_);
    bundle_row_.bind(1, number_++);
    bundle_row_.bind(2, static_cast<std::int64_t>(bundle_.size()));
    bundle_row_.bind(3, packed.data(), static_cast<int>(packed.size()));
    bundle_row_.exec();
    bundle_row_.reset();
    bundle_.clear();
  }

 private:
  SQLite::Statement bundle_row_;
  SQLite::Statement kernel_row_;
  std::int64_t number_ = 1;
  std::string bundle_;
};

/// Removes a file that did not become what it was to be.
class Draft {
 public:
  explicit Draft(fs::path path) : path_(std::move(path)) { remove(); }
  ~Draft() { remove(); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  void remove() const noexcept {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  fs::path path_;
};

}  // namespace

struct KernelArchive::Implementation {
  fs::path path;
  std::mutex mutex;                            // guards all below
  std::unique_ptr<SQLite::Database> database;  // null before the first look, and where there is none
  bool opened = false;
  std::int64_t last_id =
      0;  // of the bundle that was expanded last: the kernels of a plan are often neighbours
  std::string last;

  /// Makes a bundle the last one; false if it is not there as it was written.
  bool expand(std::int64_t id) {
    if (id == last_id) return true;
    SQLite::Statement row(*database, "SELECT bytes, file FROM bundles WHERE id = ?");
    row.bind(1, id);
    if (!row.executeStep()) return false;
    auto bundle = expanded(row.getColumn(1), row.getColumn(0).getInt64());
    if (!bundle) return false;
    last = std::move(*bundle);
    last_id = id;
    return true;
  }

  void open() {
    auto made = std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READONLY);
    if (made->execAndGet("PRAGMA application_id").getInt() != archive_id) {
      throw Error(ErrorCode::database, fmt::format("'{}' is no archive of kernels", path.string()));
    }
    database = std::move(made);
  }
};

KernelArchive::KernelArchive(fs::path path) : implementation_(std::make_unique<Implementation>()) {
  implementation_->path = std::move(path);
}

KernelArchive::~KernelArchive() = default;

const fs::path& KernelArchive::path() const noexcept { return implementation_->path; }

std::optional<KernelImage> KernelArchive::find(std::string_view key) const noexcept {
  try {
    const std::lock_guard lock(implementation_->mutex);
    if (!std::exchange(implementation_->opened, true)) implementation_->open();
    if (implementation_->database == nullptr) return std::nullopt;
    SQLite::Statement row(*implementation_->database,
                          "SELECT bundle, start, bytes FROM kernels WHERE key = ?");
    row.bind(1, std::string(key));
    if (!row.executeStep() || !implementation_->expand(row.getColumn(0).getInt64())) return std::nullopt;
    const std::string_view bundle = implementation_->last;
    const auto start = static_cast<std::uint64_t>(row.getColumn(1).getInt64());
    const auto bytes = static_cast<std::uint64_t>(row.getColumn(2).getInt64());
    if (start > bundle.size() || bytes > bundle.size() - start) return std::nullopt;
    return kernel_file::decode(bundle.substr(start, bytes), key);
  } catch (const std::exception&) {  // kernels that cannot be read are compiled
    return std::nullopt;
  }
}

std::size_t KernelArchive::size() const {
  try {
    const std::lock_guard lock(implementation_->mutex);
    if (implementation_->database == nullptr) implementation_->open();
    return static_cast<std::size_t>(
        implementation_->database->execAndGet("SELECT count(*) FROM kernels").getInt64());
  } catch (const SQLite::Exception& error) {
    throw Error(ErrorCode::database, fmt::format("'{}' cannot be read as an archive of kernels: {}",
                                                 path().string(), error.what()));
  }
}

void KernelArchive::write(const fs::path& path, const std::map<std::string, KernelImage>& kernels) {
  if (fs::exists(path)) {
    throw Error(ErrorCode::io,
                fmt::format("{} exists already; remove it, or name another file", path.string()));
  }
  try {
    const Draft draft(fs::path(path) += fmt::format(".{}{}", ::getpid(), temporary_suffix));
    {
      SQLite::Database database(draft.path().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      database.exec(fmt::format("PRAGMA application_id = {}", archive_id));
      SQLite::Transaction transaction(database);
      database.exec(
          "CREATE TABLE bundles(id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, file BLOB NOT NULL)");
      database.exec(
          "CREATE TABLE kernels(key TEXT PRIMARY KEY NOT NULL, bundle INTEGER NOT NULL, start INTEGER NOT "
          "NULL, bytes INTEGER NOT NULL) WITHOUT ROWID");
      Packer packer(database);
      for (const auto& kernel : by_name(kernels)) {
        packer.add(kernel->first, kernel_file::encode(kernel->first, kernel->second));
      }
      packer.close();
      transaction.commit();
    }
    fs::rename(draft.path(), path);
  } catch (const SQLite::Exception& error) {
    throw Error(ErrorCode::io, fmt::format("'{}' cannot be written: {}", path.string(), error.what()));
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorCode::io,
                fmt::format("'{}' cannot be written: {}", path.string(), error.code().message()));
  }
}

}  // namespace bitune
