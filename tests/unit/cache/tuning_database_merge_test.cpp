// Databases of several machines in one, whatever the order, and what files claim beside it.

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "cache/database/additions.hpp"
#include "cache/tuning_database.hpp"
#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

class MergeTest : public DirectoryTest {
 protected:
  // A database of a machine with a GPU of its own, which measured configurations at a time of its own.
  std::filesystem::path machine(const std::string& name, int seed, int trials) const {
    const auto path = directory / (name + ".db");
    TuningDatabase db(path, DatabaseMode::read_write);
    const auto session = db.begin_session(h200(), {"GPU-" + name, "580", "nvrtc"}, {});
    for (int i = 0; i < trials; ++i) {
      Trial one = trial(problem(1024U << static_cast<unsigned>(i % 3)), "warp(a=" + std::to_string(i) + ")",
                        seed + i);
      one.timestamp = "2026-11-21 12:" + std::to_string(seed) + ":0" + std::to_string(i) + ".000";
      one.clock = {1500, 1980, sw_power_cap};
      one.remeasured = 1;
      one.finalist = i == 1;
      db.store(session, one);
    }
    return path;
  }

  static TuningDatabase readable(const std::filesystem::path& path) {
    return {path, DatabaseMode::read_only};
  }

  MergeCounts merge(const std::filesystem::path& into, const std::vector<std::filesystem::path>& paths,
                    bool dry_run = false) const {
    std::vector<TuningDatabase> others;
    for (const auto& path : paths) others.push_back(readable(path));
    return TuningDatabase(into, DatabaseMode::read_write).merge(others, dry_run);
  }

  // All that is known of each trial but its number, sorted.
  static std::vector<std::string> contents(const std::filesystem::path& path) {
    std::vector<std::string> rows;
    for (const TrialRow& row : readable(path).trials({})) {
      rows.push_back(row.software.uuid + row.device_digest + row.protocol.text() +
                     row.trial.configuration.text() + std::to_string(row.trial.problem.n) +
                     row.trial.timestamp + row.origin + std::to_string(*row.trial.median_us()) +
                     std::to_string(row.trial.finalist) + std::to_string(row.trial.clock.highest_mhz) +
                     throttle_text(row.trial.clock.throttled) + std::to_string(row.trial.remeasured) +
                     std::to_string(row.statistics->low));
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }
};

TEST_F(MergeTest, TheOrderDoesNotMatterAndASecondTimeAddsNothing) {
  const auto a = machine("a", 10, 6);
  const auto b = machine("b", 20, 4);
  const auto c = machine("c", 30, 3);
  const auto ab = directory / "ab.db";
  const MergeCounts first = merge(ab, {a, b});
  EXPECT_EQ(first.trials, 10u);
  EXPECT_EQ(first.devices, 1u) << "equal facts are one device";
  EXPECT_EQ(first.problems, 3u);
  EXPECT_EQ(first.sessions, 2u);
  EXPECT_EQ(first.known, 0u);
  const MergeCounts again = merge(ab, {b, a});
  EXPECT_EQ(again.trials + again.sessions + again.devices + again.problems, 0u);
  EXPECT_EQ(again.known, 10u);

  const auto other = directory / "other.db";
  merge(other, {c});
  merge(other, {b});
  merge(other, {a, other});
  merge(ab, {c});
  EXPECT_EQ(contents(other), contents(ab));
  EXPECT_EQ(contents(ab).size(), 13u);
  EXPECT_EQ(readable(ab).check(), std::vector<std::string>{});
  EXPECT_EQ(readable(ab).candidates(problem(2048))[0].median_us,
            readable(other).candidates(problem(2048))[0].median_us);
  EXPECT_EQ(readable(ab).summaries({})[0].trials, 5u);
}

TEST_F(MergeTest, ADryRunAndARefusalChangeNothing) {
  const auto a = machine("a", 10, 3);
  const auto b = machine("b", 20, 3);
  const auto before = contents(a);
  EXPECT_EQ(merge(a, {b}, true).trials, 3u);
  EXPECT_EQ(contents(a), before);

  const auto unsound = machine("unsound", 30, 3);
  SQLite::Database(unsound.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE trials SET samples = '[1,2,oops]' WHERE id = 2");
  const std::string sentence = refusal(unsound, [&] { merge(a, {b, unsound}); });
  EXPECT_NE(sentence.find("not sound"), std::string::npos) << sentence;
  const auto stranger = directory / "stranger.db";
  SQLite::Database(stranger.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE t (a)");
  refusal(stranger, [&] { merge(a, {b, stranger}); });
  EXPECT_EQ(contents(a), before) << "not even what came before it";
}

TEST_F(MergeTest, AnOlderDatabaseIsMigratedInMemory) {
  for (const char* name : {"tuning_version_1.sql", "tuning_version_2.sql"}) {
    const auto old = directory / (std::string(name) + ".db");
    SQLite::Database(old.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec(bytes_of(std::filesystem::path(BITUNE_TEST_DATA) / name));
    const std::string before = bytes_of(old);
    merge(directory / "all.db", {old});
    EXPECT_EQ(bytes_of(old), before);
  }
  EXPECT_EQ(readable(directory / "all.db").trials({}).size(), 6u) << "both files hold the same evidence";
}

TEST_F(MergeTest, EveryTableIsMerged) {
  const auto a = machine("a", 10, 4);
  TuningDatabase(a, DatabaseMode::read_write)
      .import_trials({{emulated(), software(), {}, "cache 'x.json'", {[] {
                         Trial claimed = trial(problem(), "rows(a=1)", 5);
                         claimed.status = TrialStatus::unverified;
                         return claimed;
                       }()}}});
  const auto copy = directory / "copy.db";
  merge(copy, {a});
  const SQLite::Database from(a.string(), SQLite::OPEN_READONLY);
  const SQLite::Database to(copy.string(), SQLite::OPEN_READONLY);
  SQLite::Statement tables(from, "SELECT name FROM sqlite_schema WHERE type = 'table'");
  while (tables.executeStep()) {
    const std::string table = tables.getColumn(0).getString();
    const auto all_of = [&table](const SQLite::Database& db) {
      std::vector<std::string> rows;
      SQLite::Statement row(db, "SELECT * FROM " + table + " ORDER BY 1");
      while (row.executeStep()) {
        std::string text;
        for (int i = 0; i < row.getColumnCount(); ++i) text += row.getColumn(i).getString() + "|";
        rows.push_back(text);
      }
      return rows;
    };
    EXPECT_FALSE(all_of(from).empty()) << table;
    EXPECT_EQ(all_of(from), all_of(to)) << table;
  }
}

class ImportTest : public DirectoryTest {
 protected:
  static ImportedTrials claims(std::vector<Trial> trials, const std::string& origin = "cache 'a.json'") {
    for (Trial& one : trials) {
      if (one.status == TrialStatus::ok) one.status = TrialStatus::unverified;
    }
    return {h200(), software(), {}, origin, std::move(trials)};
  }

  TuningDatabase db{directory / "tuning.db", DatabaseMode::read_write};
};

TEST_F(ImportTest, CountsWhatIsNewWhatIsOtherAndWhatIsKnown) {
  Trial dated = trial(problem(), "warp(a=1)", 5);
  dated.timestamp = "2026-11-21 12:00:00.000";
  Trial failed = trial(problem(), "warp(a=2)", 5);
  failed.samples_us.clear();
  failed.status = TrialStatus::launch_failed;
  ImportCounts counts = db.import_trials({claims({dated, failed})});
  EXPECT_EQ(counts.added, 2u);
  counts = db.import_trials({claims({dated, failed, trial(problem(), "warp(a=1)", 5)}, "cache 'b.json'")});
  EXPECT_EQ(counts.skipped, 3u) << "a file that tells no time of day tells nothing new";
  dated.timestamp = "2026-11-22 12:00:00.000";
  counts = db.import_trials({claims({dated, trial(problem(), "warp(a=3)", 5)})});
  EXPECT_EQ(counts.updated, 1u);
  EXPECT_EQ(counts.added, 1u);
  EXPECT_EQ(db.trials({}).size(), 4u);
  EXPECT_EQ(db.trials({}).front().origin, "cache 'a.json'");
  EXPECT_EQ(db.candidates(problem()).size(), 0u);
  EXPECT_EQ(db.check(), std::vector<std::string>{});
}

TEST_F(ImportTest, WhatBituneMeasuredComesBackAsKnown) {
  Trial measured = trial(problem(), "warp(a=1)", 5);
  measured.timestamp = "2026-11-21 12:00:00.000";
  db.store(db.begin_session(h200(), software(), {}), measured);
  EXPECT_EQ(db.import_trials({claims({measured})}).skipped, 1u);
  measured.samples_us.back() += 1;
  EXPECT_EQ(db.import_trials({claims({measured})}).added, 1u) << "altered samples are another claim";
  EXPECT_EQ(db.candidates(problem()).size(), 1u);
}

TEST_F(ImportTest, IsAllOrNothing) {
  const Trial good = trial(problem(), "warp(a=1)", 5);
  Trial bad = good;
  bad.samples_us = {-1};
  EXPECT_THROW(db.import_trials({claims({good}), claims({good, bad})}), Error);
  EXPECT_TRUE(db.trials({}).empty());
  EXPECT_TRUE(db.devices().empty());
  EXPECT_EQ(db.import_trials({claims({good})}, true).added, 1u);
  EXPECT_TRUE(db.devices().empty()) << "a dry run keeps nothing";
  ImportedTrials verified = claims({});
  verified.trials.push_back(good);
  EXPECT_THROW(db.import_trials({verified}), Error) << "no file can verify";
}

}  // namespace
}  // namespace bitune::test
