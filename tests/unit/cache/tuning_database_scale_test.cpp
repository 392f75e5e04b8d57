// Many trials: what is asked often is answered by indices and counters, and never by reading all of them.

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>

#include "cache/database/queries.hpp"
#include "tests/support/many_trials.hpp"
#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

constexpr std::uint64_t series = std::uint64_t{2} * 12 * 17 * 6;

class ScaleTest : public DirectoryTest {
 protected:
  ScaleTest() { make_many_trials(path, 3 * series); }

  /// The plan of a query, a line a step.
  [[nodiscard]] std::string plan_of(const std::string& sql) const {
    const SQLite::Database raw(path.string(), SQLite::OPEN_READONLY);
    SQLite::Statement plan(raw, "EXPLAIN QUERY PLAN " + sql);
    std::string text;
    while (plan.executeStep()) text += plan.getColumn(3).getString() + "\n";
    return text;
  }

  std::filesystem::path path = directory / "tuning.db";
};

TEST_F(ScaleTest, CountsAndTheBestAreThoseOfTheTrials) {
  const TuningDatabase db(path, DatabaseMode::read_only);
  const auto summaries = db.summaries({});
  const auto best = db.best({});
  ASSERT_EQ(summaries.size(), series / 6) << "a row a device and problem";
  ASSERT_EQ(best.size(), summaries.size());
  std::uint64_t trials = 0;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    ASSERT_TRUE(summaries[i].best);
    EXPECT_EQ(best[i].id, summaries[i].best->id) << "in the same order";
    trials += summaries[i].trials;
  }
  EXPECT_EQ(trials, 3 * series);

  std::map<std::pair<std::string, std::string>, double> fastest;
  TrialFilter filter;
  filter.key = KeyType::bf16;
  filter.n = 1 << 14;
  filter.status = TrialStatus::ok;
  for (const TrialRow& row : db.trials(filter)) {
    const auto [entry, is_new] =
        fastest.try_emplace({row.device_digest, row.trial.configuration.variant}, row.statistics->median);
    if (!is_new) entry->second = std::min(entry->second, row.statistics->median);
  }
  const auto of_problem = db.best(filter);
  ASSERT_EQ(of_problem.size(), 2u);
  for (const TrialRow& row : of_problem) {
    for (const auto& [key, us] : fastest) {
      if (key.first == row.device_digest) {
        EXPECT_LE(row.statistics->median, us);
      }
    }
  }
}

TEST_F(ScaleTest, NoQueryOfEveryDayReadsAllTrials) {
  TrialFilter filter;
  filter.key = KeyType::u32;
  filter.n = 1 << 20;
  TrialFilter failures;
  failures.status = TrialStatus::spilled;
  for (const std::string& sql :
       {database::leaders_sql({}), database::leaders_sql(filter), database::counts_sql({}),
        database::counts_sql(failures), database::candidates_sql()}) {
    const std::string plan = plan_of(sql);
    for (const char* scan : {"SCAN t\n", "SCAN t ", "SCAN l\n", "SCAN l ", "SCAN trials", "SCAN later"}) {
      EXPECT_EQ(plan.find(scan), std::string::npos) << scan << " in " << plan;
    }
  }
  EXPECT_EQ(plan_of(database::counts_sql({})).find(" t "), std::string::npos) << "series count their trials";
  const std::string leaders = plan_of(database::leaders_sql({}));
  EXPECT_NE(leaders.find("USING INDEX trials_by_rank (series_id=?)"), std::string::npos) << leaders;
  EXPECT_NE(leaders.find("trials_by_configuration (series_id=? AND configuration_id=?"), std::string::npos)
      << leaders;
}

TEST_F(ScaleTest, PruningKeepsTheCounts) {
  TuningDatabase db(path, DatabaseMode::read_write);
  TrialFilter filter;
  filter.status = TrialStatus::spilled;
  EXPECT_GT(db.prune(filter, false), 0u);
  for (const ProblemSummary& summary : db.summaries({})) EXPECT_EQ(summary.trials, summary.ok);
  EXPECT_EQ(db.check(), std::vector<std::string>{});
}

}  // namespace
}  // namespace bitune::test
