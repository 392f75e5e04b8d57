#pragma once

/// \file
/// Steps from older schemas to the present one. Private to the cache room.

namespace SQLite {
class Database;
}

namespace bitune::database {

/// Brings a database of ours from any older version to `schema_version`, in one transaction: all of it or
/// nothing. A second process that migrates at the same time waits, and then finds nothing to do.
/// Precondition: no transaction is open; `user_version` is from 1 to `schema_version`. Leaves foreign keys
/// off.
void migrate(SQLite::Database& db);

}  // namespace bitune::database
