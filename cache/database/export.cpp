#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <system_error>
#include <tuple>

#include "bitune/error.hpp"
#include "cache/database/connection.hpp"
#include "cache/database/queries.hpp"
#include "cache/database/rows.hpp"
#include "cache/database/schema.hpp"
#include "cache/database/writes.hpp"

namespace bitune::database {
namespace {

namespace fs = std::filesystem;

void copy_best(const SQLite::Database& from, SQLite::Database& to) {
  SQLite::Statement best(from,
                         fmt::format("{} WHERE t.id IN (SELECT trial_id FROM best_of_variants) ORDER BY t.id",
                                     select_trial_rows()));
  std::map<std::string, DeviceInfo> devices;
  for (const DeviceRow& row : database::devices(from)) devices[row.info.digest()] = row.info;

  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, std::int64_t>
      sessions;
  while (best.executeStep()) {
    const TrialRow row = read_trial_row(best);
    const auto key = std::tuple(row.device_digest, row.software.uuid, row.software.driver,
                                row.software.compiler, row.protocol.text());
    auto session = sessions.find(key);
    if (session == sessions.end()) {
      const std::int64_t id = insert_session(to, devices.at(row.device_digest), row.software, row.protocol,
                                             row.origin, row.trial.timestamp);
      session = sessions.emplace(key, id).first;
    }
    insert_trial(to, session->second, row.trial);
  }
}

}  // namespace

void export_best(const SQLite::Database& db, const fs::path& path) {
  if (fs::exists(path)) {
    throw Error(ErrorCode::database,
                fmt::format("'{}' exists; remove it or export to another file", path.string()));
  }
  fs::path temporary = path;
  temporary += fmt::format(".export-{}", ::getpid());
  const auto remove_temporary = [&temporary] {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
      fs::remove(fs::path(temporary) += suffix, ignored);
  };
  try {
    auto copy = open(temporary, DatabaseMode::read_write);
    // Nobody sees the copy before it is whole, so that it needs no sync a trial.
    copy->exec("PRAGMA synchronous = OFF");
    copy_best(db, *copy);
    // One file that can be read where nothing can be written: no log beside it, and no free pages.
    copy->execAndGet("PRAGMA journal_mode = DELETE");
    copy->exec("VACUUM");
    copy.reset();
    fs::rename(temporary, path);
  } catch (const fs::filesystem_error& error) {
    remove_temporary();
    throw Error(ErrorCode::database,
                fmt::format("'{}' cannot be written: {}", path.string(), error.code().message()));
  } catch (const SQLite::Exception& exception) {
    remove_temporary();
    throw error_of(path, "exporting", exception);
  } catch (...) {
    remove_temporary();
    throw;
  }
}

}  // namespace bitune::database
