#pragma once

/// \file
/// Adding much at once: what files claim, and the evidence of other databases. Private to the cache room. No
/// function updates a row; each is one transaction.

#include <vector>

#include "cache/tuning_database.hpp"

namespace SQLite {
class Database;
}

namespace bitune::database {

/// \throws Error (input) if a trial cannot be stored
[[nodiscard]] ImportCounts import_trials(SQLite::Database& db, const std::vector<ImportedTrials>& imports,
                                         bool dry_run);

/// Precondition: the others are sound, and of today's schema.
[[nodiscard]] MergeCounts merge(SQLite::Database& db, const std::vector<const SQLite::Database*>& others,
                                bool dry_run);

}  // namespace bitune::database
