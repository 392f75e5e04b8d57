#include "cache/database/connection.hpp"

#include <SQLiteCpp/Backup.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "bitune/log.hpp"
#include "cache/database/migrations.hpp"
#include "cache/database/schema.hpp"
#include "cache/leftovers.hpp"

namespace bitune::database {
namespace {

namespace fs = std::filesystem;

// Above this, a full check at each opening would cost more than a second; `bitune db check` still does it.
constexpr std::uintmax_t checked_at_opening_bytes = std::uintmax_t{64} << 20;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorCode::database, fmt::format("'{}' {}", path.string(), why));
}

constexpr const char* use_another = "name another file with --db or BITUNE_DB";

void refuse_stranger(const fs::path& path, std::int32_t id) {
  if (id == application_id) return;
  refuse(path, fmt::format("is a SQLite database, but not a tuning database of bitune; {}", use_another));
}

void refuse_version(const fs::path& path, std::int32_t version) {
  if (version > schema_version) {
    refuse(path,
           fmt::format(
               "was written by a newer bitune (version {} of the schema, this one knows {}); upgrade, or {}",
               version, schema_version, use_another));
  }
  if (version < 1)
    refuse(path, "is damaged: it has no schema version; restore it from a copy or move it away");
}

fs::path beside(const fs::path& path, const char* suffix) { return fs::path(path) += suffix; }

bool is_filled(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  return !error && bytes > 0;
}

enum class FileKind { missing, empty, database };

using FileHeader = std::array<char, 100>;

// The first bytes of a file, zeros behind its end, read by SQLite's own file layer. To open and close the
// file by other means would drop the locks that connections of this process have on it: POSIX has them by
// process and file. Another process would then take itself for the last one, and remove the log that they
// write to.
FileHeader header_of(const fs::path& path) {
  sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
  std::vector<char> name(static_cast<std::size_t>(vfs->mxPathname) + 1);
  const auto words = static_cast<std::size_t>(vfs->szOsFile) / sizeof(std::max_align_t) + 1;
  std::vector<std::max_align_t> memory(words);
  auto* const file = reinterpret_cast<sqlite3_file*>(memory.data());

  FileHeader header{};
  int result = vfs->xFullPathname(vfs, path.c_str(), static_cast<int>(name.size()), name.data());
  const auto full_name = sqlite3_create_filename(name.data(), "", "", 0, nullptr);
  if (result == SQLITE_OK) {
    result = vfs->xOpen(vfs, full_name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nullptr);
  }
  if (result == SQLITE_OK) {
    result = file->pMethods->xRead(file, header.data(), static_cast<int>(header.size()), 0);
  }
  if (file->pMethods != nullptr) file->pMethods->xClose(file);
  sqlite3_free_filename(full_name);
  if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) {
    refuse(path, fmt::format("cannot be read: {}", sqlite3_errstr(result)));
  }
  return header;
}

// Looks at the file's header without a connection. Opening a database can already write to its file (a
// rollback, a checkpoint), and what is not ours must not be touched.
FileKind inspect(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return FileKind::missing;
  if (error) refuse(path, fmt::format("cannot be reached: {}", error.message()));
  if (fs::is_directory(status))
    refuse(path, fmt::format("is a directory, not a tuning database; {}", use_another));

  if (::access(path.c_str(), R_OK) != 0) {
    refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  if (!is_filled(path)) return FileKind::empty;
  const FileHeader header = header_of(path);
  const std::uintmax_t size = fs::file_size(path, error);  // not before: the file may be growing
  if (error) refuse(path, fmt::format("cannot be read: {}", error.message()));
  constexpr std::string_view magic("SQLite format 3\0", 16);
  if (size < header.size() || std::string_view(header.data(), magic.size()) != magic) {
    refuse(path, fmt::format("is not a SQLite database; {}", use_another));
  }
  const auto big_endian = [&header](std::size_t at, std::size_t bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + bytes; ++i) value = value << 8 | static_cast<unsigned char>(header[i]);
    return value;
  };
  refuse_stranger(path, static_cast<std::int32_t>(big_endian(68, 4)));
  refuse_version(path, static_cast<std::int32_t>(big_endian(60, 4)));

  // SQLite takes a last page that is cut short for a whole one. While a log or journal is there, the size may
  // change.
  const std::uintmax_t page_bytes = big_endian(16, 2) == 1 ? 65536 : big_endian(16, 2);
  const std::uintmax_t whole = page_bytes * big_endian(28, 4);
  if (size < whole && !is_filled(beside(path, "-wal")) && !is_filled(beside(path, "-journal"))) {
    refuse(path, fmt::format("is damaged: it has {} of {} bytes; restore it from a copy or move it away",
                             size, whole));
  }
  return FileKind::database;
}

// The same questions to SQLite, which also sees what is still in the write-ahead log, and whether the schema
// is whole.
void verify(const fs::path& path, SQLite::Database& db, bool all_pages) {
  refuse_stranger(path, db.execAndGet("PRAGMA application_id").getInt());
  const int version = db.execAndGet("PRAGMA user_version").getInt();
  refuse_version(path, version);
  if (all_pages) {
    const std::string verdict = db.execAndGet("PRAGMA quick_check(1)").getString();
    if (verdict != "ok") {
      refuse(path, fmt::format("is damaged ({}); restore it from a copy or move it away", verdict));
    }
  }
  if (version == schema_version) {
    if (const auto problems = schema_problems(db); !problems.empty()) {
      refuse(path, fmt::format("is damaged: {}; restore it from a copy or move it away", problems.front()));
    }
  }
}

// SQLite's question whether to wait on while another connection holds a lock, asked for the `calls`-th time
// since the first. Tuners that share a file wait for milliseconds; whoever waits longer should know for whom.
int wait_for_others(void* connection, int calls) {
  constexpr int most_pause_ms = 10;
  constexpr int calls_until_told = 60;  // half a second
  constexpr int most_calls = 3000;      // half a minute; `guarded` begins anew
  if (calls == calls_until_told) {
    log_sentence(fmt::format("tuning database '{}': another process holds it; waiting, {} s at most",
                             sqlite3_db_filename(static_cast<sqlite3*>(connection), "main"),
                             patience.count()));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min(calls + 1, most_pause_ms)));
  return calls < most_calls ? 1 : 0;
}

std::unique_ptr<SQLite::Database> connect(const std::string& name, int flags) {
  auto db = std::make_unique<SQLite::Database>(name, flags);
  sqlite3_busy_handler(db->getHandle(), wait_for_others, db->getHandle());
  // A refused database must keep its bytes: closing it moves nothing out of its log.
  sqlite3_db_config(db->getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return db;
}

void create_directory_of(const fs::path& path) {
  if (!path.has_parent_path()) return;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    refuse(path, fmt::format("cannot be created: directory '{}': {}; {}", path.parent_path().string(),
                             error.message(), use_another));
  }
}

std::unique_ptr<SQLite::Database> open_writable(const fs::path& path) {
  FileKind kind = inspect(path);
  if (kind == FileKind::missing) {
    create_directory_of(path);
    create_file(path);
    kind = inspect(path);
  }
  auto db = connect(path.string(), SQLite::OPEN_READWRITE);
  if (kind == FileKind::empty) {
    SQLite::Transaction transaction(*db, SQLite::TransactionBehavior::EXCLUSIVE);
    if (db->execAndGet("PRAGMA user_version").getInt() == 0) create_schema(*db);
    transaction.commit();
  }
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  verify(path, *db, !error && bytes <= checked_at_opening_bytes);
  migrate(*db);
  // Where the file system has no shared memory, SQLite keeps its rollback journal: slower, and as safe.
  db->execAndGet("PRAGMA journal_mode = WAL");
  db->exec("PRAGMA synchronous = NORMAL");
  db->exec("PRAGMA foreign_keys = ON");
  sqlite3_db_config(db->getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
  return db;
}

// "file:" URI of a path, all but unreserved characters escaped.
std::string uri_of(const fs::path& path) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '-' || c == '_' || c == '.' || c == '~';
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

// A read-only connection. Reading a database in WAL mode needs a shared-memory file beside it. Where none can
// be made, the file is read as it is, if there is no log that would be missed.
std::unique_ptr<SQLite::Database> connect_read_only(const fs::path& path) {
  try {
    auto db = connect(path.string(), SQLite::OPEN_READONLY);
    db->execAndGet("SELECT count(*) FROM sqlite_schema");
    return db;
  } catch (const SQLite::Exception& exception) {
    const int code = exception.getErrorCode();
    if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) throw;
  }
  if (is_filled(beside(path, "-wal"))) {
    refuse(path,
           "has trials in its write-ahead log and stands in a directory that cannot be written; run "
           "'bitune db check' once as a user who can write there");
  }
  return connect(uri_of(path) + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI);
}

std::unique_ptr<SQLite::Database> open_read_only(const fs::path& path) {
  const FileKind kind = inspect(path);
  if (kind == FileKind::missing) {
    refuse(path, "does not exist; 'bitune tune' creates it");
  }
  if (kind == FileKind::empty) refuse(path, "is empty; 'bitune tune' fills it");
  auto db = connect_read_only(path);
  verify(path, *db, false);
  if (!is_of_today(*db)) {
    auto copy = connect(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Backup(*copy, *db).executeStep();
    migrate(*copy);
    db = std::move(copy);
  }
  return db;
}

}  // namespace

std::unique_ptr<SQLite::Database> open(const fs::path& path, DatabaseMode mode) {
  return guarded(path, "opening it", [&] {
    return mode == DatabaseMode::read_write ? open_writable(path) : open_read_only(path);
  });
}

void create_file(const fs::path& path) {
  // Made under a name of its own, and linked into place when it is whole. If several processes create it at
  // once, one wins, and the others open the winner's file. What a killed one left, the next one removes.
  const std::initializer_list<const char*> companions = {"-journal", "-wal", "-shm"};
  std::string temporary;
  const int descriptor =
      create_locked_file(path.parent_path(), path.filename().string() + ".new-", temporary, companions);
  if (descriptor < 0) {
    refuse(path, fmt::format("cannot be created ({}); make its directory writable, or {}",
                             std::strerror(errno), use_another));
  }
  const auto remove_all = [&temporary, descriptor, &companions] {
    for (const char* suffix : companions) ::unlink((temporary + suffix).c_str());
    ::unlink(temporary.c_str());
    ::close(descriptor);
  };
  std::error_code error;
  try {
    auto db = std::make_unique<SQLite::Database>(temporary, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Transaction transaction(*db, SQLite::TransactionBehavior::EXCLUSIVE);
    create_schema(*db);
    transaction.commit();
    db->execAndGet("PRAGMA journal_mode = WAL");
    db.reset();
    fs::create_hard_link(temporary, path, error);
    // File systems without hard links: a rename replaces, so that it is only done while nobody has created
    // the file.
    if (error && error != std::errc::file_exists && !fs::exists(path)) fs::rename(temporary, path, error);
  } catch (const SQLite::Exception& exception) {
    remove_all();
    throw error_of(path, "creating it", exception);
  }
  remove_all();
  if (error && error != std::errc::file_exists)
    refuse(path, fmt::format("cannot be created: {}", error.message()));
}

void require_in_place(const fs::path& path, SQLite::Database& db) {
  int moved = 0;
  const int result = sqlite3_file_control(db.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (result != SQLITE_OK || moved == 0) return;
  refuse(path,
         "was deleted or replaced while it was in use: what is stored from now on would be lost; begin "
         "again, with a file that stays");
}

bool is_busy(const SQLite::Exception& exception) noexcept {
  return exception.getErrorCode() == SQLITE_BUSY || exception.getErrorCode() == SQLITE_LOCKED;
}

Error error_of(const fs::path& path, const Unreadable& row) {
  return Error(ErrorCode::database,
               fmt::format("tuning database '{}': {}; see 'bitune db check'", path.string(), row.what()));
}

Error error_of(const fs::path& path, const std::string& doing, const SQLite::Exception& exception) {
  const char* advice = "see 'bitune db check'";
  switch (exception.getErrorCode()) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      advice = "it is damaged: restore it from a copy or move it away";
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      advice = "another process holds it: try again when that is done";
      break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      advice = "make the file and its directory writable, or name another file with --db or BITUNE_DB";
      break;
    case SQLITE_FULL:
      advice = "the disk is full: free some space";
      break;
    default:
      break;
  }
  return Error(ErrorCode::database, fmt::format("tuning database '{}': {} failed: {}; {}", path.string(),
                                                doing, exception.what(), advice));
}

}  // namespace bitune::database
