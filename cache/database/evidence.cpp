#include "cache/evidence.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "bitune/error.hpp"
#include "cache/database/queries.hpp"
#include "cache/database/rows.hpp"
#include "cache/database/schema.hpp"
#include "model/key_type.hpp"

namespace bitune::database {
namespace {

struct Place {
  std::int64_t device = 0;
  std::int64_t problem = 0;
};

std::optional<Place> place_of(const SQLite::Database& db, const std::string& device_digest,
                              const Problem& problem) {
  SQLite::Statement statement(
      db, fmt::format("SELECT d.id, p.id FROM devices d CROSS JOIN problems p WHERE d.digest = ?1 AND {}",
                      column_match<Problem>("p.", 2)));
  statement.bind(1, device_digest);
  bind_fields(statement, 2, problem);
  if (!statement.executeStep()) return std::nullopt;
  return Place{statement.getColumn(0).getInt64(), statement.getColumn(1).getInt64()};
}

// Of each variant the series that its best trial is in. If a variant has no best trial, it is the series with
// the newest trial that was measured here.
std::string ranked_series() {
  return fmt::format(R"sql(
WITH leading AS (
  SELECT s.id, s.variant FROM ({}) b
  JOIN trials t ON t.id = b.trial_id
  JOIN series s ON s.id = t.series_id
  WHERE b.device_id = ?2),
others AS (
  SELECT s.id, row_number() OVER (PARTITION BY s.variant
    ORDER BY (SELECT max(t.id) FROM trials t WHERE t.series_id = s.id) DESC) AS place
  FROM series s
  WHERE s.problem_id = ?1 AND s.device_id = ?2 AND NOT s.imported AND s.variant NOT IN (SELECT variant FROM leading))
SELECT id FROM leading UNION ALL SELECT id FROM others WHERE place = 1)sql",
                     best_of_variants_select("p.id = ?1"));
}

}  // namespace

Evidence evidence(const SQLite::Database& db, const std::string& device_digest, const Problem& problem) {
  Evidence result;
  const auto place = place_of(db, device_digest, problem);
  if (!place) return result;

  SQLite::Statement statement(db, fmt::format(R"sql(
SELECT t.id, c.text, t.status, substr(t.message, 1, 400), t.median_us, t.finalist, {}
FROM trials t JOIN configurations c ON c.id = t.configuration_id
WHERE t.series_id IN ({}) ORDER BY t.timestamp, t.id)sql",
                                              superseded_condition, ranked_series()));
  statement.bind(1, place->problem);
  statement.bind(2, place->device);
  while (statement.executeStep()) {
    TrialOutcome outcome;
    outcome.id = statement.getColumn(0).getInt64();
    try {
      outcome.configuration = Configuration::parse(statement.getColumn(1).getString());
      outcome.status = parse_trial_status(statement.getColumn(2).getString());
    } catch (const Error& error) {
      throw Unreadable("trial", outcome.id, error.what());
    }
    outcome.message = statement.getColumn(3).getString();
    if (outcome.status == TrialStatus::ok && !statement.getColumn(4).isNull()) {
      outcome.median_us = statement.getColumn(4).getDouble();
    }
    outcome.finalist = statement.getColumn(5).getInt() != 0;
    outcome.superseded = statement.getColumn(6).getInt() != 0;
    result.trials.push_back(std::move(outcome));
  }

  SQLite::Statement all(db, R"sql(
SELECT count(*) FROM series s JOIN trials t ON t.series_id = s.id WHERE s.problem_id = ? AND s.device_id = ?)sql");
  all.bind(1, place->problem);
  all.bind(2, place->device);
  all.executeStep();
  result.left_out = static_cast<std::uint64_t>(all.getColumn(0).getInt64()) -
                    static_cast<std::uint64_t>(result.trials.size());
  return result;
}

}  // namespace bitune::database
