#pragma once

/// \file
/// Inserting evidence. Private to the cache room. No function updates a row, but for facts of a device that
/// its digest does not hold.

#include <cstdint>
#include <string>

#include "cache/tuning_database.hpp"

namespace SQLite {
class Database;
}

namespace bitune::database {

/// Inserts a session, and its device, software and protocol if they are new, in one transaction; returns its
/// id.
std::int64_t insert_session(SQLite::Database& db, const DeviceInfo& device, const DeviceSoftware& software,
                            const Protocol& protocol, const std::string& origin, const std::string& started);

/// Inserts a trial, and what it refers to if that is new, in one transaction; returns its id.
/// \throws Error (usage) if the trial holds what could not be read back. Also if it is `ok` in a session that
/// reads a file, or `unverified` in another.
std::int64_t insert_trial(SQLite::Database& db, std::int64_t session, const Trial& trial);

/// The same inside of a transaction that the caller has opened.
std::int64_t write_session(SQLite::Database& db, const DeviceInfo& device, const DeviceSoftware& software,
                           const Protocol& protocol, const std::string& origin, const std::string& started);
std::int64_t write_trial(SQLite::Database& db, std::int64_t session, const Trial& trial);

}  // namespace bitune::database
