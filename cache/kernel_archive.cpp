#include "cache/kernel_archive.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

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

constexpr int archive_id = 0x42544b41;         // "BTKA", the application's id in the header of the file
constexpr uLong most_bytes = uLong{64} << 20;  // of a kernel; what claims to be larger is damaged

std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                bytes.size(), Z_BEST_COMPRESSION) != Z_OK) {
    throw Error(ErrorCode::io, "a kernel could not be compressed: there is not enough memory");
  }
  packed.resize(size);
  return packed;
}

/// Nothing if that is not what `compressed` made of `size` bytes.
std::optional<std::string> expanded(const SQLite::Column& packed, std::int64_t size) {
  if (size < 0 || static_cast<uLong>(size) > most_bytes) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(size), '\0');
  uLongf length = bytes.size();
  const int result =
      uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length, static_cast<const Bytef*>(packed.getBlob()),
                 static_cast<uLong>(packed.getBytes()));
  if (result != Z_OK || length != bytes.size()) return std::nullopt;
  return bytes;
}

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
    SQLite::Statement row(*implementation_->database, "SELECT bytes, file FROM kernels WHERE key = ?");
    row.bind(1, std::string(key));
    if (!row.executeStep()) return std::nullopt;
    const auto file = expanded(row.getColumn(1), row.getColumn(0).getInt64());
    return file ? kernel_file::decode(*file, key) : std::nullopt;
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
          "CREATE TABLE kernels(key TEXT PRIMARY KEY NOT NULL, bytes INTEGER NOT NULL, file BLOB NOT NULL) "
          "WITHOUT ROWID");
      SQLite::Statement insert(database, "INSERT INTO kernels(key, bytes, file) VALUES(?, ?, ?)");
      for (const auto& [key, image] : kernels) {
        const std::string file = kernel_file::encode(key, image);
        const std::string packed = compressed(file);
        insert.bind(1, key);
        insert.bind(2, static_cast<std::int64_t>(file.size()));
        insert.bind(3, packed.data(), static_cast<int>(packed.size()));
        insert.exec();
        insert.reset();
      }
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
