#include "cache/tuning_database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "bitune/error.hpp"
#include "cache/database/additions.hpp"
#include "cache/database/connection.hpp"
#include "cache/database/queries.hpp"
#include "cache/database/rows.hpp"
#include "cache/database/writes.hpp"
#include "model/timestamp.hpp"

namespace bitune {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

struct TuningDatabase::Implementation {
  std::filesystem::path path;
  DatabaseMode mode;
  std::unique_ptr<SQLite::Database> db;

  SQLite::Database& writable() const {
    if (mode == DatabaseMode::read_only) {
      throw Error(ErrorCode::database, fmt::format("'{}' was opened to be read only", path.string()));
    }
    return *db;
  }

  /// What `function` returns, a whole transaction that writes to this database. Looked at afterwards: where
  /// the file is gone, nothing was stored that anybody could find.
  template <class Function>
  auto write(const char* doing, Function&& function) const {
    SQLite::Database& open = writable();
    auto result = database::guarded(path, doing, [&] { return function(open); });
    database::require_in_place(path, open);
    return result;
  }
};

std::filesystem::path TuningDatabase::default_path() {
  if (const auto path = environment("BITUNE_DB"); !path.empty()) return path;
  std::filesystem::path data = environment("XDG_DATA_HOME");
  if (data.empty()) {
    const auto home = environment("HOME");
    if (home.empty()) {
      throw Error(ErrorCode::database,
                  "none of BITUNE_DB, XDG_DATA_HOME and HOME is set; say with --db or BITUNE_DB "
                  "where the tuning database is");
    }
    data = std::filesystem::path(home) / ".local" / "share";
  }
  return data / "bitune" / "tuning.db";
}

TuningDatabase::TuningDatabase(const std::filesystem::path& path, DatabaseMode mode)
    : implementation_(
          std::make_unique<Implementation>(Implementation{path, mode, database::open(path, mode)})) {}
TuningDatabase::~TuningDatabase() = default;
TuningDatabase::TuningDatabase(TuningDatabase&&) noexcept = default;
TuningDatabase& TuningDatabase::operator=(TuningDatabase&&) noexcept = default;

const std::filesystem::path& TuningDatabase::path() const noexcept { return implementation_->path; }

void TuningDatabase::require_in_place() const {
  database::require_in_place(implementation_->path, *implementation_->db);
}

std::int64_t TuningDatabase::begin_session(const DeviceInfo& device, const DeviceSoftware& software,
                                           const Protocol& protocol, const std::string& origin) {
  return implementation_->write("beginning a session", [&](SQLite::Database& db) {
    return database::insert_session(db, device, software, protocol, origin, timestamp_now());
  });
}

std::int64_t TuningDatabase::store(std::int64_t session, const Trial& trial) {
  return implementation_->write(
      "storing a trial", [&](SQLite::Database& db) { return database::insert_trial(db, session, trial); });
}

ImportCounts TuningDatabase::import_trials(const std::vector<ImportedTrials>& imports, bool dry_run) {
  return implementation_->write(
      "importing", [&](SQLite::Database& db) { return database::import_trials(db, imports, dry_run); });
}

MergeCounts TuningDatabase::merge(const std::vector<TuningDatabase>& others, bool dry_run) {
  std::vector<const SQLite::Database*> sources;
  for (const TuningDatabase& other : others) {
    if (const auto problems = other.check(); !problems.empty()) {
      throw Error(ErrorCode::database,
                  fmt::format("'{}' is not merged, as it is not sound: {}; see 'bitune db check'",
                              other.path().string(), problems.front()));
    }
    sources.push_back(other.implementation_->db.get());
  }
  return implementation_->write("merging",
                                [&](SQLite::Database& db) { return database::merge(db, sources, dry_run); });
}

std::vector<std::pair<std::string, std::string>> TuningDatabase::tried(const std::string& device_digest,
                                                                       const Problem& problem,
                                                                       const Protocol& protocol) const {
  return database::guarded(path(), "reading what was tried", [&] {
    return database::tried(*implementation_->db, device_digest, problem, protocol);
  });
}

std::optional<TrialRow> TuningDatabase::measured(const std::string& device_digest, const Trial& like,
                                                 const Protocol& protocol) const {
  return database::guarded(path(), "reading what was measured", [&] {
    return database::measured(*implementation_->db, device_digest, like, protocol);
  });
}

std::vector<Candidate> TuningDatabase::candidates(const Problem& problem) const {
  return database::guarded(path(), "reading candidates",
                           [&] { return database::candidates(*implementation_->db, problem); });
}

std::vector<DeviceRow> TuningDatabase::devices() const {
  return database::guarded(path(), "reading devices",
                           [&] { return database::devices(*implementation_->db); });
}

std::vector<TrialRow> TuningDatabase::trials(const TrialFilter& filter) const {
  return database::guarded(path(), "reading trials",
                           [&] { return database::trials(*implementation_->db, filter); });
}

std::optional<TrialRow> TuningDatabase::trial(std::int64_t id) const {
  return database::guarded(path(), "reading a trial",
                           [&] { return database::trial(*implementation_->db, id); });
}

std::vector<MeasuredTrial> TuningDatabase::measurements(const TrialFilter& filter) const {
  return database::guarded(path(), "reading measurements",
                           [&] { return database::measurements(*implementation_->db, filter); });
}

std::vector<TrialRow> TuningDatabase::best(const TrialFilter& filter) const {
  return database::guarded(path(), "reading the best",
                           [&] { return database::best(*implementation_->db, filter); });
}

std::vector<ProblemSummary> TuningDatabase::summaries(const TrialFilter& filter) const {
  return database::guarded(path(), "reading summaries",
                           [&] { return database::summaries(*implementation_->db, filter); });
}

Evidence TuningDatabase::evidence(const std::string& device_digest, const Problem& problem) const {
  return database::guarded(path(), "reading the evidence of a problem",
                           [&] { return database::evidence(*implementation_->db, device_digest, problem); });
}

std::uint64_t TuningDatabase::prune(const TrialFilter& filter, bool superseded_only, bool dry_run) {
  const auto prune = [&](SQLite::Database& db) {
    return database::prune(db, filter, superseded_only, dry_run);
  };
  if (!dry_run) return implementation_->write("pruning", prune);
  return database::guarded(path(), "pruning", [&] { return prune(*implementation_->db); });
}

std::vector<std::string> TuningDatabase::check() const {
  return database::guarded(path(), "checking", [&] { return database::check(*implementation_->db); });
}

void TuningDatabase::export_best(const std::filesystem::path& target) const {
  database::guarded(path(), "exporting", [&] { database::export_best(*implementation_->db, target); });
}

}  // namespace bitune
