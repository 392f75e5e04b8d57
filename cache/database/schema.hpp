#pragma once

/// \file
/// The tables of the tuning database. Private to the cache room.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace SQLite {
class Database;
}

namespace bitune::database {

/// "BiTu": marks a SQLite file as one of ours.
inline constexpr std::int32_t application_id = 0x42695475;

/// `user_version` of the schema below. A change of the schema raises it and adds a step to migrations.cpp.
/// So does a new entry of kernel_digest_moves.cpp, which needs no step of its own.
inline constexpr std::int32_t schema_version = 4;

/// Creates tables, indices, triggers and views in an empty database and marks it as ours.
/// Precondition: a transaction is open.
void create_schema(SQLite::Database& db);

/// Creates tables, indices, triggers and views only: what a migration fills.
void create_objects(SQLite::Database& db);

/// What the database lacks of the schema, a clause each ("table 'trials' is missing"); empty if it is whole.
[[nodiscard]] std::vector<std::string> schema_problems(const SQLite::Database& db);

// What is best is said here in SQL, and in C++ in `model/standing.hpp`, which tells the rule.

/// SQL condition on `t` (trials): another trial of the same series and configuration is newer and supersedes
/// it.
extern const std::string_view superseded_condition;

/// ORDER BY terms of TrialRank. `of` is what the columns are prefixed with ("b.").
[[nodiscard]] std::string trial_rank(std::string_view of);

/// A SELECT of (device_id, problem_id, protocol_id, variant, trial_id, finalist, median_us, timestamp), one
/// row for each series: its best verified trial that is not superseded. `problem_condition` is an SQL
/// condition on `p` (problems). `columns` (", c.text") and `joins` (" CROSS JOIN configurations c ON ...")
/// may add to it what is told of `p`, `s` (series) and `l` (trials).
[[nodiscard]] std::string leaders_select(std::string_view problem_condition, std::string_view columns,
                                         std::string_view joins);

/// A SELECT of (device_id, problem_id, variant, trial_id, finalist, median_us), one row for each device,
/// problem and variant: the best verified trial that is not superseded. `problem_condition` is an SQL
/// condition on `p` (problems).
///
/// Of the protocols of one device and problem, and of the kernels of one variant under that protocol, those
/// of the first series by SeriesRank.
[[nodiscard]] std::string best_of_variants_select(std::string_view problem_condition);

}  // namespace bitune::database
