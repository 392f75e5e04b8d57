#include "cache/database/writes.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bitune/error.hpp"
#include "cache/database/rows.hpp"
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
  return id_of(
      db,
      "SELECT id FROM problems WHERE operation = ?1 AND key_type = ?2 AND value_type = ?3 AND key_order = ?4 "
      "AND n = ?5 AND rows = ?6 AND key_width = ?7",
      "INSERT INTO problems (operation, key_type, value_type, key_order, n, rows, key_width) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
      std::string(name_of(problem.operation)), std::string(name_of(problem.key)),
      std::string(name_of(problem.value)), std::string(name_of(problem.order)), stored_size(problem.n),
      stored_size(problem.rows), static_cast<std::int64_t>(size_of(problem.key)));
}

std::int64_t device_id(SQLite::Database& db, const DeviceInfo& device) {
  auto lookup = prepared(db, "SELECT id FROM devices WHERE digest = ?", device.digest());
  if (lookup.executeStep()) return lookup.getColumn(0).getInt64();
  std::string places = "?";
  for (int i = 1; i < device_column_count; ++i) places += ", ?";
  SQLite::Statement insert(db, fmt::format("INSERT INTO devices ({}) VALUES ({})", device_columns, places));
  bind_device(insert, 1, device);
  insert.exec();
  return db.getLastInsertRowid();
}

[[noreturn]] void refuse(const Trial& trial, const std::string& why) {
  throw Error(ErrorCode::usage, fmt::format("the trial of {} on '{}' cannot be stored: {}",
                                            trial.configuration.text(), text_of(trial.problem), why));
}

void validate(const Trial& trial) {
  const std::string text = trial.configuration.text();
  if (Configuration::parse(text) != trial.configuration)
    refuse(trial, "its configuration has no unambiguous text");
  const auto measured = [](double value) { return std::isfinite(value) && value >= 0; };
  if (!std::all_of(trial.samples_us.begin(), trial.samples_us.end(), measured)) {
    refuse(trial, "a sample is not a time");
  }
  if (!measured(trial.compile_ms) || !measured(trial.verify_ms) || !measured(trial.measure_ms)) {
    refuse(trial, "the time of a stage is not a time");
  }
  if (!trial.timestamp.empty() && !is_timestamp(trial.timestamp)) {
    refuse(trial, fmt::format("'{}' is not a timestamp like '2026-11-21 12:00:00.000'", trial.timestamp));
  }
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
  validate(trial);
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
      db,
      "INSERT INTO trials (session_id, series_id, configuration_id, status, message, finalist, median_us, "
      "mad_us, low_us, high_us, samples, clock_low_mhz, clock_high_mhz, throttled, remeasured, compile_ms, "
      "verify_ms, measure_ms, registers, local_bytes, shared_bytes, launches, timestamp) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, session);
  insert.bind(2, series);
  insert.bind(3, configuration);
  insert.bind(4, std::string(name_of(trial.status)));
  insert.bind(5, trial.message);
  insert.bind(6, trial.finalist ? 1 : 0);
  if (const auto statistics = statistics_of(trial.samples_us)) {
    insert.bind(7, statistics->median);
    insert.bind(8, statistics->mad);
    insert.bind(9, statistics->low);
    insert.bind(10, statistics->high);
  }
  insert.bind(11, samples_text(trial.samples_us));
  if (trial.clock.is_known()) {
    insert.bind(12, trial.clock.lowest_mhz);
    insert.bind(13, trial.clock.highest_mhz);
  }
  insert.bind(14, throttle_text(trial.clock.throttled));
  insert.bind(15, trial.remeasured);
  insert.bind(16, trial.compile_ms);
  insert.bind(17, trial.verify_ms);
  insert.bind(18, trial.measure_ms);
  insert.bind(19, trial.registers);
  insert.bind(20, trial.local_bytes);
  insert.bind(21, trial.shared_bytes);
  insert.bind(22, trial.launches);
  insert.bind(23, trial.timestamp.empty() ? timestamp_now() : trial.timestamp);
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
