#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <optional>

#include "bitune/error.hpp"
#include "cache/database/queries.hpp"
#include "cache/database/rows.hpp"
#include "cache/database/schema.hpp"
#include "cache/database/trial_faults.hpp"
#include "model/key_type.hpp"
#include "model/statistics.hpp"

namespace bitune::database {
namespace {

using Sentences = std::vector<std::string>;

// Adds a sentence for every row of `sql` (id first) on which `read` throws or returns a text.
template <class Read>
void check_rows(const SQLite::Database& db, const std::string& sql, const char* what, Sentences& sentences,
                Read&& read) {
  SQLite::Statement row(db, sql);
  while (row.executeStep()) {
    std::string problem;
    try {
      problem = read(row);
    } catch (const Error& error) {
      problem = error.what();
    }
    if (!problem.empty())
      sentences.push_back(fmt::format("{} {}: {}", what, row.getColumn(0).getInt64(), problem));
  }
}

void check_file(const SQLite::Database& db, Sentences& sentences) {
  SQLite::Statement integrity(db, "PRAGMA integrity_check");
  while (integrity.executeStep()) {
    const std::string line = integrity.getColumn(0).getString();
    if (line != "ok") sentences.push_back("the file is damaged: " + line);
  }
  SQLite::Statement dangling(db, "PRAGMA foreign_key_check");
  while (dangling.executeStep()) {
    sentences.push_back(fmt::format("row {} of table '{}' refers to a row of '{}' that is not there",
                                    dangling.getColumn(1).getInt64(), dangling.getColumn(0).getString(),
                                    dangling.getColumn(2).getString()));
  }
}

void check_texts(const SQLite::Database& db, Sentences& sentences) {
  check_rows(db, fmt::format("SELECT d.id, d.digest, {} FROM devices d", device_columns()), "device",
             sentences, [](const SQLite::Statement& row) -> std::string {
               int column = 2;
               if (read_device(row, column).digest() == row.getColumn(1).getString()) return {};
               return "its digest is not that of its facts";
             });
  check_rows(db, "SELECT id, text FROM protocols", "protocol", sentences, [](const SQLite::Statement& row) {
    static_cast<void>(Protocol::parse(row.getColumn(1).getString()));
    return std::string();
  });
  check_rows(db, fmt::format("SELECT p.id, p.key_width, {} FROM problems p", problem_columns()), "problem",
             sentences, [](const SQLite::Statement& row) -> std::string {
               int column = 2;
               const std::size_t width = size_of(read_problem(row, column).key);
               if (row.getColumn(1).getInt64() == static_cast<std::int64_t>(width)) return {};
               return fmt::format("its key width is not {}", width);
             });
  check_rows(db, "SELECT id, text, variant FROM configurations", "configuration", sentences,
             [](const SQLite::Statement& row) -> std::string {
               const auto configuration = Configuration::parse_as_written(row.getColumn(1).getString());
               if (configuration.text() != row.getColumn(1).getString()) return "its text is not canonical";
               if (configuration.variant != row.getColumn(2).getString())
                 return "its variant is not that of its text";
               return {};
             });
  check_rows(db, "SELECT id, started FROM sessions", "session", sentences,
             [](const SQLite::Statement& row) -> std::string {
               return is_timestamp(row.getColumn(1).getString()) ? "" : "its start is not a timestamp";
             });
}

// The statistics in four columns from `first` on: all or none.
std::optional<SampleStatistics> read_statistics(const SQLite::Statement& row, int first) {
  SampleStatistics statistics;
  int known = 0;
  for (double* value : {&statistics.median, &statistics.mad, &statistics.low, &statistics.high}) {
    const SQLite::Column column = row.getColumn(first++);
    if (!column.isNull()) ++known;
    *value = column.getDouble();
  }
  if (known != 0 && known != 4) throw Error(ErrorCode::database, "its statistics are not complete");
  return known == 0 ? std::nullopt : std::optional(statistics);
}

void check_trials(const SQLite::Database& db, Sentences& sentences) {
  check_rows(db,
             fmt::format("SELECT id, samples, throttled, median_us, mad_us, low_us, high_us, {} FROM trials",
                         column_list<Trial>()),
             "trial", sentences, [](const SQLite::Statement& row) {
               Trial trial;
               trial.samples_us = parse_samples(row.getColumn(1).getString());
               static_cast<void>(parse_throttle(row.getColumn(2).getString()));
               int column = 7;
               read_fields(row, column, trial);
               return fault_of(trial, read_statistics(row, 3));
             });
  check_rows(
      db,
      "SELECT t.id FROM trials t JOIN series s ON s.id = t.series_id JOIN sessions e ON e.id = t.session_id "
      "JOIN configurations c ON c.id = t.configuration_id WHERE s.device_id <> e.device_id "
      "OR s.protocol_id <> e.protocol_id OR s.variant <> c.variant OR s.imported <> (e.origin <> '')",
      "trial", sentences,
      [](const SQLite::Statement&) -> std::string { return "its series is not of its session and variant"; });
  check_rows(db,
             "SELECT t.id FROM trials t JOIN series s ON s.id = t.series_id WHERE (s.imported = 1 AND "
             "t.status = 'ok') "
             "OR (s.imported = 0 AND t.status = 'unverified')",
             "trial", sentences, [](const SQLite::Statement&) -> std::string {
               return "what a file claims is 'unverified', what bitune measured is not";
             });
}

void check_counts(const SQLite::Database& db, Sentences& sentences) {
  check_rows(db,
             "SELECT s.id, s.trials, s.ok, count(t.id), coalesce(sum(t.status = 'ok'), 0) FROM series s "
             "LEFT JOIN trials t ON t.series_id = s.id GROUP BY s.id",
             "series", sentences, [](const SQLite::Statement& row) -> std::string {
               if (row.getColumn(1).getInt64() == row.getColumn(3).getInt64() &&
                   row.getColumn(2).getInt64() == row.getColumn(4).getInt64()) {
                 return {};
               }
               return "it does not have as many trials as it counts";
             });
}

}  // namespace

std::vector<std::string> check(const SQLite::Database& db) {
  Sentences sentences;
  try {
    check_file(db, sentences);
    for (const std::string& problem : schema_problems(db))
      sentences.push_back("the schema is wrong: " + problem);
    check_texts(db, sentences);
    check_trials(db, sentences);
    check_counts(db, sentences);
  } catch (const SQLite::Exception& exception) {
    sentences.push_back(fmt::format("the file cannot be read to its end: {}", exception.what()));
  }
  return sentences;
}

}  // namespace bitune::database
