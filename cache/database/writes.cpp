#include "cache/database/writes.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "bitune/error.hpp"
#include "cache/database/rows.hpp"
#include "cache/database/trial_faults.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/timestamp.hpp"

namespace bitune::database {
namespace {

// Binds all values in order to a statement that is about to run.
template <class... Values>
SQLite::Statement prepared(SQLite::Database& db, const char* sql, const Values&... values) {
  SQLite::Statement statement(db, sql);
  int parameter = 1;
  (statement.bind(parameter++, values), ...);
  return statement;
}

// The id of the row that `select` finds, after `insert` (OR IGNORE) has put it there if it was missing.
// Looked for first: trials outnumber what they refer to.
template <class... Values>
std::int64_t id_of(SQLite::Database& db, const char* select, const char* insert, const Values&... values) {
  auto lookup = prepared(db, select, values...);
  if (lookup.executeStep()) return lookup.getColumn(0).getInt64();
  prepared(db, insert, values...).exec();
  return db.getLastInsertRowid();
}

std::int64_t problem_id(SQLite::Database& db, const Problem& problem) {
  SQLite::Statement lookup(db, fmt::format("SELECT id FROM problems WHERE {}", column_match<Problem>("", 1)));
  bind_fields(lookup, 1, problem);
  if (lookup.executeStep()) return lookup.getColumn(0).getInt64();
  SQLite::Statement insert(db, fmt::format("INSERT INTO problems ({}, key_width) VALUES ({}, ?)",
                                           column_list<Problem>(), place_list<Problem>()));
  insert.bind(bind_fields(insert, 1, problem), static_cast<std::int64_t>(size_of(problem.key)));
  insert.exec();
  return db.getLastInsertRowid();
}

/// Brings the facts that are no part of the digest up to date: an older bitune did not know them.
void update_later_facts(SQLite::Database& db, std::int64_t id, const DeviceInfo& device) {
  for_each_field(device, [&](std::string_view name, const auto& fact, FieldAge age) {
    if (age == FieldAge::first) return;
    const std::string column = column_of(name);
    SQLite::Statement update(
        db, fmt::format("UPDATE devices SET {0} = ?1 WHERE id = ?2 AND {0} IS NOT ?1", column));
    bind_field(update, 1, fact);
    update.bind(2, id);
    update.exec();
  });
}

std::int64_t device_id(SQLite::Database& db, const DeviceInfo& device) {
  auto lookup = prepared(db, "SELECT id FROM devices WHERE digest = ?", device.digest());
  if (lookup.executeStep()) {
    const std::int64_t id = lookup.getColumn(0).getInt64();
    lookup.reset();
    update_later_facts(db, id, device);
    return id;
  }
  SQLite::Statement insert(db, fmt::format("INSERT INTO devices ({}, digest) VALUES ({}, ?)",
                                           column_list<DeviceInfo>(), place_list<DeviceInfo>()));
  insert.bind(bind_fields(insert, 1, device), device.digest());
  insert.exec();
  return db.getLastInsertRowid();
}

[[noreturn]] void refuse(const Trial& trial, const std::string& why) {
  throw Error(ErrorCode::usage, fmt::format("the trial of {} on '{}' cannot be stored: {}",
                                            trial.configuration.text(), text_of(trial.problem), why));
}

}  // namespace

std::int64_t write_session(SQLite::Database& db, const DeviceInfo& device, const DeviceSoftware& software,
                           const Protocol& protocol, const std::string& origin, const std::string& started) {
  const std::string protocol_text = protocol.text();
  if (Protocol::parse(protocol_text) != protocol) {
    throw Error(ErrorCode::usage, fmt::format("the protocol '{}' has no unambiguous text", protocol_text));
  }
  const std::int64_t software_id =
      id_of(db, "SELECT id FROM software WHERE uuid = ?1 AND driver = ?2 AND compiler = ?3",
            "INSERT INTO software (uuid, driver, compiler) VALUES (?1, ?2, ?3)", software.uuid,
            software.driver, software.compiler);
  const std::int64_t protocol_id = id_of(db, "SELECT id FROM protocols WHERE text = ?1",
                                         "INSERT INTO protocols (text) VALUES (?1)", protocol_text);
  prepared(
      db,
      "INSERT INTO sessions (device_id, software_id, protocol_id, started, origin) VALUES (?, ?, ?, ?, ?)",
      device_id(db, device), software_id, protocol_id, started, origin)
      .exec();
  return db.getLastInsertRowid();
}

std::int64_t write_trial(SQLite::Database& db, std::int64_t session, const Trial& trial) {
  Trial stored = trial;
  if (stored.timestamp.empty()) stored.timestamp = timestamp_now();
  const auto statistics = statistics_of(stored.samples_us);
  if (Configuration::parse(trial.configuration.text()) != trial.configuration) {
    refuse(trial, "its configuration has no unambiguous text");
  }
  if (const std::string fault = fault_of(stored, statistics); !fault.empty()) refuse(trial, fault);
  const std::string& variant = trial.configuration.variant;

  auto in_session =
      prepared(db, "SELECT device_id, protocol_id, origin <> '' FROM sessions WHERE id = ?", session);
  if (!in_session.executeStep()) refuse(trial, fmt::format("there is no session {}", session));
  const std::int64_t device = in_session.getColumn(0).getInt64();
  const std::int64_t protocol = in_session.getColumn(1).getInt64();
  const int imported = in_session.getColumn(2).getInt();
  in_session.reset();
  if (imported == 1 && trial.status == TrialStatus::ok) refuse(trial, "what a file claims is not verified");
  if (imported == 0 && trial.status == TrialStatus::unverified) refuse(trial, "it comes from no file");

  const std::int64_t problem = problem_id(db, trial.problem);
  const std::int64_t kernel = id_of(db, "SELECT id FROM kernels WHERE digest = ?1",
                                    "INSERT INTO kernels (digest) VALUES (?1)", trial.kernel_digest);
  const std::int64_t configuration = id_of(
      db, "SELECT id FROM configurations WHERE text = ?1 AND variant = ?2",
      "INSERT INTO configurations (text, variant) VALUES (?1, ?2)", trial.configuration.text(), variant);
  const std::int64_t series = id_of(db,
                                    "SELECT id FROM series WHERE device_id = ?1 AND problem_id = ?2 AND "
                                    "protocol_id = ?3 AND kernel_id = ?4 "
                                    "AND variant = ?5 AND imported = ?6",
                                    "INSERT INTO series (device_id, problem_id, protocol_id, kernel_id, "
                                    "variant, imported) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                                    device, problem, protocol, kernel, variant, imported);

  SQLite::Statement insert(
      db, fmt::format("INSERT INTO trials ({}, session_id, series_id, configuration_id, samples, throttled, "
                      "median_us, mad_us, low_us, high_us, clock_low_mhz, clock_high_mhz) "
                      "VALUES ({}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                      column_list<Trial>(), place_list<Trial>()));
  int place = bind_fields(insert, 1, stored);
  for (const std::int64_t id : {session, series, configuration}) insert.bind(place++, id);
  insert.bind(place++, samples_text(trial.samples_us));
  insert.bind(place++, throttle_text(trial.clock.throttled));
  if (statistics) {
    int at = place;
    for (const double value : {statistics->median, statistics->mad, statistics->low, statistics->high}) {
      insert.bind(at++, value);
    }
  }
  if (trial.clock.is_known()) {
    insert.bind(place + 4, trial.clock.lowest_mhz);
    insert.bind(place + 5, trial.clock.highest_mhz);
  }
  insert.exec();
  return db.getLastInsertRowid();
}

std::int64_t insert_session(SQLite::Database& db, const DeviceInfo& device, const DeviceSoftware& software,
                            const Protocol& protocol, const std::string& origin, const std::string& started) {
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  const std::int64_t id = write_session(db, device, software, protocol, origin, started);
  transaction.commit();
  return id;
}

std::int64_t insert_trial(SQLite::Database& db, std::int64_t session, const Trial& trial) {
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  const std::int64_t id = write_trial(db, session, trial);
  transaction.commit();
  return id;
}

}  // namespace bitune::database
