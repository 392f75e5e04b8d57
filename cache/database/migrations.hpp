#pragma once

/// \file
/// Steps from older schemas, and from older digests of the same kernels, to those of today. Private to the
/// cache room.

namespace SQLite {
class Database;
}

namespace bitune::database {

/// Whether a database has today's schema, and no kernels whose digest was moved.
[[nodiscard]] bool is_of_today(SQLite::Database& db);

/// Makes a database of ours one of today, in one transaction: all of it or nothing. A second process that
/// migrates at the same time waits, and then finds nothing to do.
/// Precondition: no transaction is open; `user_version` is from 1 to `schema_version`. Leaves foreign keys
/// off.
void migrate(SQLite::Database& db);

}  // namespace bitune::database
