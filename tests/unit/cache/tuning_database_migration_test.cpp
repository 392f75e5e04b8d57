// Files that older versions wrote, stored in tests/data as SQL: the same evidence in each.

#include <SQLiteCpp/SQLiteCpp.h>

#include "cache/database/kernel_digest_moves.hpp"
#include "cache/database/schema.hpp"
#include "cache/tuning_database.hpp"
#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

class MigrationTest : public DirectoryTest, public testing::WithParamInterface<int> {
 protected:
  MigrationTest() {
    const std::string name = "tuning_version_" + std::to_string(GetParam()) + ".sql";
    const std::string sql = bytes_of(std::filesystem::path(BITUNE_TEST_DATA) / name);
    SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
  }

  int stored_version() const {
    SQLite::Database raw(path.string(), SQLite::OPEN_READONLY);
    return raw.execAndGet("PRAGMA user_version").getInt();
  }

  static void expect_migrated(const TuningDatabase& db) {
    EXPECT_EQ(db.check(), std::vector<std::string>{});

    const auto devices = db.devices();
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_EQ(devices[0].info, h200());
    EXPECT_EQ(devices[0].software, software());
    EXPECT_EQ(devices[0].trials, 4u);
    EXPECT_EQ(devices[0].last_seen, "2026-01-03 03:04:05.000");
    EXPECT_EQ(devices[1].info, emulated());

    ASSERT_EQ(db.trials({}).size(), 6u);
    const auto spilled = db.trial(5);
    ASSERT_TRUE(spilled) << "trials keep their numbers";
    EXPECT_EQ(spilled->trial.status, TrialStatus::spilled);
    EXPECT_EQ(spilled->trial.message, "32 bytes of local memory");
    EXPECT_EQ(spilled->trial.configuration.text(), "shared(tile=4096)");
    EXPECT_EQ(spilled->trial.local_bytes, 32);
    EXPECT_EQ(spilled->trial.timestamp, "2026-01-02 03:04:08.000");
    const auto cold = db.trial(6);
    ASSERT_TRUE(cold);
    EXPECT_TRUE(cold->protocol.cold_l2);
    EXPECT_EQ(cold->trial.problem,
              (Problem{{.key = KeyType::bf16, .order = Order::descending}, {.n = 1000, .rows = 16}}));
    EXPECT_EQ(cold->trial.samples_us, std::vector<double>{0.1});
    EXPECT_EQ(cold->origin, "") << "bitune measured all that there was";

    const auto candidates = db.candidates(problem(1024, KeyType::f32));
    ASSERT_EQ(candidates.size(), 1u);
    EXPECT_EQ(candidates[0].trial_id, 2) << "the finalist";
    EXPECT_EQ(candidates[0].median_us, 9.75);
    const Protocol of_then =
        Protocol::parse("distribution=random seed=1 l2=warm samples=7..50 budget_ms=100");
    EXPECT_EQ(db.tried(h200().digest(), problem(1048576), of_then).size(), 3u);

    const auto finalist = db.trial(2);
    ASSERT_TRUE(finalist && finalist->statistics) << "statistics are made of the samples";
    EXPECT_EQ(finalist->statistics, statistics_of({9, 8, 12, 10.5}));
    EXPECT_EQ(spilled->statistics, std::nullopt);
    EXPECT_FALSE(finalist->trial.clock.is_known());
    EXPECT_EQ(finalist->trial.remeasured, 0);
    const auto summaries = db.summaries({});
    ASSERT_EQ(summaries.size(), 3u) << "counts are those of the trials";
    EXPECT_EQ(summaries[0].trials + summaries[1].trials + summaries[2].trials, 6u);
    EXPECT_EQ(summaries[0].ok + summaries[1].ok + summaries[2].ok, 4u);
  }

  std::filesystem::path path = directory / "tuning.db";
};

TEST_P(MigrationTest, AnOlderVersionIsMigratedWithAllItsEvidence) {
  {
    TuningDatabase db(path, DatabaseMode::read_write);
    expect_migrated(db);
    db.store(db.begin_session(h200(), software(), {}), trial(problem(), "warp(a=1)", 3));
  }
  EXPECT_EQ(stored_version(), database::schema_version);
  const TuningDatabase again(path, DatabaseMode::read_only);
  EXPECT_EQ(again.trials({}).size(), 7u);
  EXPECT_EQ(again.check(), std::vector<std::string>{});
}

TEST_P(MigrationTest, AMigratedFileHasTheSchemaOfANewOne) {
  { const TuningDatabase db(path, DatabaseMode::read_write); }
  const SQLite::Database raw(path.string(), SQLite::OPEN_READONLY);
  EXPECT_EQ(database::schema_problems(raw), std::vector<std::string>{});
  SQLite::Statement leftovers(raw, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'v%\\_%' ESCAPE '\\'");
  ASSERT_TRUE(leftovers.executeStep());
  EXPECT_EQ(leftovers.getColumn(0).getInt(), 0);
}

TEST_P(MigrationTest, AReaderUnderstandsItAndLeavesItAsItIs) {
  const std::string before = bytes_of(path);
  {
    const TuningDatabase db(path, DatabaseMode::read_only);
    expect_migrated(db);
  }
  EXPECT_EQ(bytes_of(path), before);
}

TEST_P(MigrationTest, AFileThatCannotBeMigratedIsLeftAsItIs) {
  {
    SQLite::Database raw(path.string(), SQLite::OPEN_READWRITE);
    raw.exec("PRAGMA foreign_keys = OFF; UPDATE trials SET session_id = 77 WHERE id = 9");
  }
  const std::string before = bytes_of(path);
  const std::string sentence = refusal(path, [&] { TuningDatabase(path, DatabaseMode::read_write); });
  EXPECT_NE(sentence.find("not there"), std::string::npos) << sentence;
  EXPECT_EQ(bytes_of(path), before);
}

TEST_P(MigrationTest, VariantsHaveTheNamesAndKernelsTheVersionsOfToday) {
  if (GetParam() == 1) GTEST_SKIP() << "version 1 has no table of configurations";
  {
    SQLite::Database raw(path.string(), SQLite::OPEN_READWRITE);
    raw.exec(R"sql(
UPDATE series SET variant = 'row_pairs' WHERE variant = 'warp';
UPDATE configurations SET variant = 'row_pairs', text = replace(text, 'warp(', 'row_pairs(') WHERE variant = 'warp';
)sql");
    SQLite::Statement old(raw, "UPDATE kernels SET digest = ?");
    old.bind(1, std::string(database::kernel_digest_moves().front().from));
    if (raw.execAndGet("SELECT count(*) FROM kernels").getInt() == 1) old.exec();
  }
  const TuningDatabase db(path, DatabaseMode::read_write);
  EXPECT_EQ(db.check(), std::vector<std::string>{});
  const auto candidates = db.candidates(problem(1024, KeyType::f32));
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].configuration.variant, "packed_rows");
  EXPECT_EQ(candidates[0].configuration.text(), "packed_rows(block_size_x=512,items=8)");
  for (const database::KernelDigestMove& move : database::kernel_digest_moves()) {
    EXPECT_NE(candidates[0].kernel_digest, move.from);
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, MigrationTest, testing::Range(1, database::schema_version));

}  // namespace
}  // namespace bitune::test
