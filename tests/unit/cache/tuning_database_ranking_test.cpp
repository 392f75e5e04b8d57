// Which trials are candidates: verified, not superseded, under one protocol, finalists first.

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "cache/database/queries.hpp"
#include "cache/tuning_database.hpp"
#include "model/standing.hpp"
#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

class RankingTest : public DirectoryTest {
 protected:
  std::filesystem::path path = directory / "tuning.db";
  TuningDatabase db{path, DatabaseMode::read_write};
  std::int64_t session = db.begin_session(h200(), software(), {});

  // Stores a trial a minute after the last.
  std::int64_t store(Trial trial, std::int64_t in_session = 0) {
    if (trial.timestamp.empty())
      trial.timestamp = "2026-11-21 12:" + std::to_string(10 + minute_++) + ":00.000";
    return db.store(in_session == 0 ? session : in_session, trial);
  }

  // "configuration median" of each candidate, sorted.
  std::vector<std::string> candidates(const Problem& about = problem()) const {
    std::vector<std::string> texts;
    for (const Candidate& c : db.candidates(about)) {
      texts.push_back(c.configuration.text() + " " + std::to_string(static_cast<int>(c.median_us)));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
  }

 private:
  int minute_ = 0;
};

using Texts = std::vector<std::string>;

TEST_F(RankingTest, TheFastestOfEachVariantIsACandidate) {
  store(trial(problem(), "warp(a=1)", 20));
  const auto best = store(trial(problem(), "warp(a=2)", 10));
  store(trial(problem(), "warp(a=3)", 30));
  store(trial(problem(), "shared(a=1)", 15));
  EXPECT_EQ(candidates(), (Texts{"shared(a=1) 15", "warp(a=2) 10"}));

  const auto found = db.candidates(problem());
  const auto warp = std::find_if(found.begin(), found.end(),
                                 [](const auto& c) { return c.configuration.variant == "warp"; });
  ASSERT_NE(warp, found.end());
  EXPECT_EQ(warp->trial_id, best);
  EXPECT_EQ(warp->device, h200());
  EXPECT_EQ(warp->device_digest, h200().digest());
  EXPECT_EQ(warp->problem, problem());
  EXPECT_EQ(warp->kernel_digest, "kernels-a");
}

TEST_F(RankingTest, OnlyVerifiedTrialsAreCandidates) {
  for (int i = 1; i < static_cast<int>(TrialStatus::unverified); ++i) {
    Trial failed = trial(problem(), "warp(a=" + std::to_string(i) + ")", 1);
    failed.status = static_cast<TrialStatus>(i);
    store(failed);
  }
  Trial unmeasured = trial(problem(), "warp(a=100)", 1);
  unmeasured.samples_us.clear();
  store(unmeasured);
  EXPECT_EQ(candidates(), Texts{});
  store(trial(problem(), "warp(a=101)", 99));
  EXPECT_EQ(candidates(), (Texts{"warp(a=101) 99"}));
}

TEST_F(RankingTest, WhatAFileClaimsIsNeitherACandidateNorReplacesWhatWasMeasured) {
  store(trial(problem(), "warp(a=1)", 50));
  const auto imported = db.begin_session(h200(), software(), {}, "cache 'h200.json'");
  Trial claimed = trial(problem(), "warp(a=2)", 1);
  EXPECT_THROW(db.store(imported, claimed), Error) << "nobody verified it here";
  claimed.status = TrialStatus::unverified;
  EXPECT_THROW(store(claimed), Error) << "it has no file";
  const auto id = db.store(imported, claimed);
  Trial failed = trial(problem(), "warp(a=1)", 1);  // newer than what was measured
  failed.status = TrialStatus::launch_failed;
  failed.timestamp = "2099-01-01 00:00:00.000";
  db.store(imported, failed);

  EXPECT_EQ(candidates(), (Texts{"warp(a=1) 50"}));
  EXPECT_EQ(db.tried(h200().digest(), problem(), {}).size(), 1u) << "resume tries what a file claims";
  EXPECT_EQ(db.trial(id)->origin, "cache 'h200.json'");
  EXPECT_EQ(db.trial(id)->trial.median_us(), 1);
  EXPECT_EQ(db.check(), std::vector<std::string>{});
}

TEST_F(RankingTest, TheSameKeysAndShapeAreCandidatesWithWhateverTravels) {
  Problem descending = problem();
  descending.order = Order::descending;
  Problem rows = problem();
  rows.rows = 100;
  Problem other_rows = problem();
  other_rows.rows = 5;
  Problem pairs = problem();
  pairs.operation = Operation::sort_pairs;
  pairs.value_bytes = 4;
  store(trial(problem(), "warp(a=1)", 1));
  store(trial(problem(4096), "warp(a=2)", 2));
  store(trial(problem(1024, KeyType::f32), "warp(a=3)", 3));
  store(trial(descending, "warp(a=4)", 4));
  store(trial(problem(1024, KeyType::u64), "warp(a=5)", 5));
  store(trial(problem(1024, KeyType::u16), "warp(a=6)", 6));
  store(trial(rows, "warp(a=7)", 7));
  Problem wide_pairs = pairs;
  wide_pairs.value_bytes = 16;
  Problem argsort = problem();
  argsort.operation = Operation::argsort;
  argsort.index_bytes = 8;
  Problem with_indices = problem();
  with_indices.index_bytes = 4;
  store(trial(pairs, "warp(a=8)", 8));
  store(trial(argsort, "warp(a=10)", 10));
  store(trial(with_indices, "warp(a=11)", 11));
  store(trial(problem(2048), "warp(a=9)", 9),
        db.begin_session(emulated(), {"emulated", "emulated", "g++"}, {}));

  EXPECT_EQ(candidates(), (Texts{"warp(a=1) 1", "warp(a=2) 2", "warp(a=3) 3", "warp(a=4) 4", "warp(a=9) 9"}));
  EXPECT_EQ(candidates(other_rows), (Texts{"warp(a=7) 7"})) << "many rows and one array are tuned apart";
  EXPECT_EQ(candidates(problem(1, KeyType::f64)), (Texts{"warp(a=5) 5"}));
  EXPECT_EQ(candidates(problem(1, KeyType::bf16)), (Texts{"warp(a=6) 6"}));
  const Texts carrying = {"warp(a=10) 10", "warp(a=11) 11", "warp(a=8) 8"};
  EXPECT_EQ(candidates(wide_pairs), carrying) << "whatever travels with the keys";
  EXPECT_EQ(candidates(argsort), carrying);
  EXPECT_EQ(candidates(problem(1, KeyType::u8)), Texts{});
}

TEST_F(RankingTest, ALaterTrialSupersedesAnOlderOneOfItsKind) {
  store(trial(problem(), "warp(a=1)", 10));
  store(trial(problem(), "warp(a=2)", 20));
  store(trial(problem(), "warp(a=1)", 30));
  EXPECT_EQ(candidates(), (Texts{"warp(a=2) 20"})) << "the lucky first measurement does not count any more";
}

TEST_F(RankingTest, LaterIsByTimeNotByRow) {
  Trial imported = trial(problem(), "warp(a=1)", 50);
  store(trial(problem(), "warp(a=1)", 10));
  imported.timestamp = "2025-01-01 00:00:00.000";
  store(imported);
  EXPECT_EQ(candidates(), (Texts{"warp(a=1) 10"})) << "old evidence that is imported stays old";
}

TEST_F(RankingTest, OfOneMomentTheLaterRowCounts) {
  Trial first = trial(problem(), "warp(a=1)", 10);
  first.timestamp = "2026-11-21 12:00:00.000";
  Trial second = trial(problem(), "warp(a=1)", 30);
  second.timestamp = first.timestamp;
  store(first);
  store(second);
  EXPECT_EQ(candidates(), (Texts{"warp(a=1) 30"}));
}

TEST_F(RankingTest, ALaterFailureSupersedesBothKinds) {
  Trial finalist = trial(problem(), "warp(a=1)", 10);
  finalist.finalist = true;
  store(trial(problem(), "warp(a=1)", 10));
  store(finalist);
  store(trial(problem(), "warp(a=2)", 40));
  Trial failed = trial(problem(), "warp(a=1)", 1);
  failed.status = TrialStatus::wrong_result;
  store(failed);
  EXPECT_EQ(candidates(), (Texts{"warp(a=2) 40"}));
}

TEST_F(RankingTest, FinalistsGoFirst) {
  store(trial(problem(), "warp(a=1)", 5));
  store(trial(problem(), "warp(a=2)", 6));
  Trial finalist = trial(problem(), "warp(a=1)", 9);
  finalist.finalist = true;
  store(finalist);
  finalist = trial(problem(), "warp(a=2)", 8);
  finalist.finalist = true;
  store(finalist);
  EXPECT_EQ(candidates(), (Texts{"warp(a=2) 8"}));
  EXPECT_EQ(db.summaries({}).at(0).best->trial.configuration.text(), "warp(a=2)");
}

TEST_F(RankingTest, ProtocolsAreNotRankedTogether) {
  Protocol cold;
  cold.cold_l2 = true;
  const auto cold_session = db.begin_session(h200(), software(), cold);
  store(trial(problem(), "warp(a=1)", 10));
  store(trial(problem(), "shared(a=1)", 12));
  store(trial(problem(), "warp(a=2)", 30), cold_session);
  EXPECT_EQ(candidates(), (Texts{"warp(a=2) 30"})) << "without finalists the newest protocol counts";

  Trial finalist = trial(problem(), "warp(a=1)", 11);
  finalist.finalist = true;
  finalist.timestamp = "2026-11-20 00:00:00.000";
  store(finalist);
  EXPECT_EQ(candidates(), (Texts{"shared(a=1) 12", "warp(a=1) 11"}))
      << "a protocol with finalists goes before one that was interrupted";
}

TEST_F(RankingTest, NewKernelsReplaceOldOnesOnceTheyHaveFinalists) {
  const auto of = [](const char* kernels, const char* configuration, double median, bool finalist) {
    Trial result = trial(problem(), configuration, median);
    result.kernel_digest = kernels;
    result.finalist = finalist;
    return result;
  };
  store(of("kernels-a", "warp(a=1)", 10, true));
  store(of("kernels-b", "warp(a=2)", 50, false));
  EXPECT_EQ(candidates(), (Texts{"warp(a=1) 10"}))
      << "one early trial does not displace the outcome of a session";
  store(of("kernels-b", "warp(a=2)", 51, true));
  EXPECT_EQ(candidates(), (Texts{"warp(a=2) 51"}));
  EXPECT_EQ(db.candidates(problem()).at(0).kernel_digest, "kernels-b");
}

/// What model/standing.hpp says is best, of all trials.
class ByTheRule {
 public:
  explicit ByTheRule(std::vector<TrialRow> trials) {
    std::sort(trials.begin(), trials.end(), is_newer);
    std::map<Series, const TrialRow*> bests;
    std::map<std::pair<Series, std::string>, std::vector<const TrialRow*>> newer;
    for (const TrialRow& row : trials) {
      const Series series{{row.device_digest, row.trial.problem},
                          row.protocol.text(),
                          row.trial.configuration.variant,
                          row.trial.kernel_digest};
      auto& later = newer[{series, row.trial.configuration.text()}];
      const bool stands = std::none_of(later.begin(), later.end(), [&row](const TrialRow* other) {
        return supersedes(other->trial.status == TrialStatus::ok, other->trial.finalist, row.trial.finalist);
      });
      later.push_back(&row);
      if (!stands || row.trial.status != TrialStatus::ok) continue;
      const auto [best, is_new] = bests.emplace(series, &row);
      if (!is_new && rank(row) < rank(*best->second)) best->second = &row;
    }
    std::map<Place, const TrialRow*> first;
    for (const auto& [series, best] : bests) keep(first, std::get<0>(series), *best, series_rank);
    std::map<std::pair<Place, std::string>, const TrialRow*> variants;
    for (const auto& [series, best] : bests) {
      const auto& [place, protocol, variant, kernels] = series;
      if (first.at(place)->protocol.text() == protocol) keep(variants, {place, variant}, *best, series_rank);
    }
    std::map<Place, const TrialRow*> winners;
    for (const auto& [variant, best] : variants) {
      best_of_variants.insert(best->id);
      keep(winners, variant.first, *best, rank);
    }
    for (const auto& [place, winner] : winners) best.insert(winner->id);
  }

  std::set<std::int64_t> best_of_variants;
  std::set<std::int64_t> best;

 private:
  using Place = std::pair<std::string, Problem>;
  using Series = std::tuple<Place, std::string, std::string, std::string>;

  static TrialRank rank(const TrialRow& row) { return {row.trial.finalist, *row.trial.median_us(), row.id}; }
  static SeriesRank series_rank(const TrialRow& row) {
    return {row.trial.finalist, row.trial.timestamp, row.id};
  }
  template <class Key, class Rank>
  static void keep(std::map<Key, const TrialRow*>& kept, const Key& key, const TrialRow& row, Rank rank_of) {
    const auto [entry, is_new] = kept.emplace(key, &row);
    if (!is_new && rank_of(row) < rank_of(*entry->second)) entry->second = &row;
  }
};

// What is best is said twice, in SQL and in C++: see model/standing.hpp.
TEST_F(RankingTest, CandidatesAndViewsAreWhatTheRuleSays) {
  std::minstd_rand random(7);
  const auto any = [&random](std::uint64_t count) { return random() % count; };
  Protocol cold;
  cold.cold_l2 = true;
  DeviceInfo other = h200();
  other.name = "another GPU";
  std::vector<std::int64_t> sessions;
  for (const DeviceInfo& device : {h200(), other}) {
    for (const Protocol& protocol : {Protocol{}, cold})
      sessions.push_back(db.begin_session(device, software(), protocol));
  }
  for (int i = 0; i < 600; ++i) {
    Problem about = problem();
    about.n = 1024 << any(6);
    about.key = any(2) == 0 ? KeyType::u32 : KeyType::f32;
    const char* variant = std::array{"warp", "shared", "rows"}[any(3)];
    Trial made = trial(about, variant + std::string("(a=") + std::to_string(any(4)) + ")",
                       static_cast<double>(1 + any(50)));
    made.kernel_digest = std::array{"kernels-a", "kernels-b"}[any(2)];
    made.finalist = any(8) == 0;
    made.timestamp = "2026-11-2" + std::to_string(any(3)) + " 12:00:00.000";
    if (any(10) == 0) made.status = TrialStatus::spilled;
    store(made, sessions[any(sessions.size())]);
  }
  std::set<std::int64_t> found;
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::int64_t>>> lengths;  // by device
  for (const Candidate& candidate : db.candidates(problem())) {
    EXPECT_TRUE(found.insert(candidate.trial_id).second) << candidate.trial_id;
    lengths[candidate.device.name].emplace_back(candidate.problem.n, candidate.trial_id);
  }
  EXPECT_EQ(lengths.size(), 2u);
  for (const auto& [device, order] : lengths) EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  const ByTheRule expected(db.trials({}));
  EXPECT_GT(expected.best_of_variants.size(), 50u);
  EXPECT_EQ(found, expected.best_of_variants);
  SQLite::Database raw(path.string());
  const auto ids = [&raw](const char* sql) {
    std::set<std::int64_t> ids;
    SQLite::Statement rows(raw, sql);
    while (rows.executeStep()) ids.insert(rows.getColumn(0).getInt64());
    return ids;
  };
  EXPECT_EQ(ids("SELECT trial_id FROM best_of_variants"), expected.best_of_variants);
  EXPECT_EQ(ids("SELECT trial_id FROM best"), expected.best);
  std::set<std::int64_t> listed;
  for (const TrialRow& row : db.best({})) listed.insert(row.id);
  EXPECT_EQ(listed, expected.best);
  std::map<std::pair<std::string, Problem>, TrialRank> first;
  for (const Candidate& candidate : db.candidates(problem())) {
    const auto [entry, is_new] =
        first.try_emplace({candidate.device_digest, candidate.problem}, candidate.rank());
    entry->second = std::min(entry->second, candidate.rank());
  }
  std::set<std::int64_t> ranked;
  for (const auto& [place, rank] : first) ranked.insert(rank.trial_id);
  EXPECT_EQ(ranked, expected.best) << "what selection takes first";
}

TEST_F(RankingTest, CandidatesNeverScanTheTrials) {
  store(trial(problem(), "warp(a=1)", 10));
  SQLite::Database raw(path.string());
  SQLite::Statement plan(raw, "EXPLAIN QUERY PLAN " + database::candidates_sql());
  std::string all;
  bool seeks_rank = false;
  while (plan.executeStep()) {
    const std::string step = plan.getColumn(3).getString();
    all += step + "\n";
    for (const char* table : {"t", "l", "later", "trials", "s", "series"}) {
      EXPECT_FALSE(step == std::string("SCAN ") + table ||
                   step.starts_with(std::string("SCAN ") + table + " "))
          << step;
    }
    seeks_rank |= step.find("trials_by_rank (series_id=?)") != std::string::npos;
  }
  EXPECT_TRUE(seeks_rank) << all;
  EXPECT_NE(all.find("trials_by_configuration (series_id=? AND configuration_id=? AND timestamp>?)"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("problems_by_width"), std::string::npos) << all;
}

}  // namespace
}  // namespace bitune::test
