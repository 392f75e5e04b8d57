#pragma once

/// \file
/// Reading and pruning evidence: the queries behind TuningDatabase. Private to the cache room.

#include <string>
#include <utility>
#include <vector>

#include "cache/evidence.hpp"
#include "cache/tuning_database.hpp"

namespace SQLite {
class Database;
}

namespace bitune::database {

[[nodiscard]] std::optional<TrialRow> measured(const SQLite::Database& db, const std::string& device_digest,
                                               const Trial& like, const Protocol& protocol);
[[nodiscard]] std::vector<std::pair<std::string, std::string>> tried(const SQLite::Database& db,
                                                                     const std::string& device_digest,
                                                                     const Problem& problem,
                                                                     const Protocol& protocol);

/// The statement behind `candidates`; its parameters are three operations, and the members of the group
/// (`group_of`).
[[nodiscard]] std::string candidates_sql();
[[nodiscard]] std::vector<Candidate> candidates(const SQLite::Database& db, const Problem& problem);

[[nodiscard]] std::vector<DeviceRow> devices(const SQLite::Database& db);
[[nodiscard]] std::vector<TrialRow> trials(const SQLite::Database& db, const TrialFilter& filter);
[[nodiscard]] std::optional<TrialRow> trial(const SQLite::Database& db, std::int64_t id);
[[nodiscard]] std::vector<MeasuredTrial> measurements(const SQLite::Database& db, const TrialFilter& filter);
[[nodiscard]] std::vector<TrialRow> best(const SQLite::Database& db, const TrialFilter& filter);
/// The statements behind `summaries` and `best`, for tests of how they are executed.
[[nodiscard]] std::string leaders_sql(const TrialFilter& filter);
[[nodiscard]] std::string counts_sql(const TrialFilter& filter);
[[nodiscard]] std::vector<ProblemSummary> summaries(const SQLite::Database& db, const TrialFilter& filter);

[[nodiscard]] Evidence evidence(const SQLite::Database& db, const std::string& device_digest,
                                const Problem& problem);

std::uint64_t prune(SQLite::Database& db, const TrialFilter& filter, bool superseded_only, bool dry_run);

/// One sentence a problem: integrity, foreign keys, schema, and every stored text.
[[nodiscard]] std::vector<std::string> check(const SQLite::Database& db);

/// Copies devices and the best trials of every variant into a new database at `path`.
void export_best(const SQLite::Database& db, const std::filesystem::path& path);

}  // namespace bitune::database
