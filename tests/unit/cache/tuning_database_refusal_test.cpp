// Files that are not ours, newer, damaged or out of reach: a sentence, and not a byte is changed.

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "cache/database/schema.hpp"
#include "cache/tuning_database.hpp"
#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

constexpr DatabaseMode both_modes[] = {DatabaseMode::read_write, DatabaseMode::read_only};

class RefusalTest : public DirectoryTest {
 protected:
  // Both modes must refuse the file with a sentence that has `words`, and leave its bytes as they are.
  void expect_refused(const std::string& words) {
    const std::string before = bytes_of(path);
    for (const DatabaseMode mode : both_modes) {
      const std::string sentence = refusal(path, [&] { TuningDatabase(path, mode); });
      EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
      EXPECT_TRUE(bytes_of(path) == before) << "the file was changed";
    }
  }

  void fill(int trials) {
    TuningDatabase db(path, DatabaseMode::read_write);
    const auto session = db.begin_session(h200(), software(), {});
    for (int i = 0; i < trials; ++i)
      db.store(session, trial(problem(), "warp(a=" + std::to_string(i) + ")", i + 1));
  }

  std::filesystem::path path = directory / "tuning.db";
};

TEST_F(RefusalTest, TextIsNotADatabase) {
  write_bytes(path, "once upon a time");
  expect_refused("not a SQLite database");
  write_bytes(path, std::string(5000, 'x'));
  expect_refused("not a SQLite database");
  write_bytes(path, "SQLite format 3");
  expect_refused("not a SQLite database");
}

TEST_F(RefusalTest, SomebodyElsesDatabaseIsRefused) {
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('here')");
  expect_refused("not a tuning database of bitune");
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA application_id = 252006673; PRAGMA user_version = 2");
  expect_refused("not a tuning database of bitune");
}

TEST_F(RefusalTest, ANewerDatabaseIsRefused) {
  fill(1);
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  expect_refused("newer bitune");
}

TEST_F(RefusalTest, ADatabaseWithoutVersionOrTablesIsDamaged) {
  fill(1);
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 0");
  expect_refused("damaged");
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA user_version = " + std::to_string(database::schema_version) + "; DROP VIEW best; ");
  expect_refused("view 'best' is missing");
}

TEST_F(RefusalTest, WhatIsMissingOrAnotherThanOursIsNamed) {
  fill(1);
  const std::string whole = bytes_of(path);
  const auto expect_refused_after = [&](const std::string& sql, const std::string& words) {
    write_bytes(path, whole);
    SQLite::Database(path.string(), SQLite::OPEN_READWRITE).exec("PRAGMA journal_mode = DELETE; " + sql);
    expect_refused(words);
  };
  expect_refused_after("DROP TABLE software", "table 'software' is missing");
  expect_refused_after("DROP INDEX trials_by_rank", "index 'trials_by_rank' is missing");
  expect_refused_after("DROP TRIGGER trial_is_counted_anew", "trigger 'trial_is_counted_anew' is missing");
  expect_refused_after("DROP VIEW best_of_variants", "view 'best_of_variants' is missing");
  expect_refused_after("DROP VIEW best; CREATE VIEW best AS SELECT 1",
                       "view 'best' is not defined as bitune defines it");
  expect_refused_after("DROP VIEW best; CREATE TABLE best (n INTEGER)",
                       "view 'best' is not defined as bitune defines it");
  expect_refused_after("ALTER TABLE protocols ADD COLUMN more TEXT",
                       "table 'protocols' is not defined as bitune defines it");
  // What others add stays theirs.
  write_bytes(path, whole);
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE).exec("CREATE TABLE remarks (text TEXT)");
  EXPECT_EQ(TuningDatabase(path, DatabaseMode::read_only).trials({}).size(), 1u);
}

TEST_F(RefusalTest, TruncatedFilesAreRefused) {
  fill(100);
  const std::string whole = bytes_of(path);
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{99}, std::size_t{100}, std::size_t{4095}, std::size_t{4096},
        whole.size() / 2, whole.size() - 4096, whole.size() - 1}) {
    write_bytes(path, whole.substr(0, size));
    expect_refused("");
  }
}

TEST_F(RefusalTest, ADamagedPageIsFoundBeforeAnythingIsWritten) {
  fill(300);
  std::string bytes = bytes_of(path);
  ASSERT_GT(bytes.size(), 20u * 4096);
  std::fill(bytes.end() - 8 * 4096, bytes.end(), '\x5a');
  write_bytes(path, bytes);
  const std::string sentence = refusal(path, [&] { TuningDatabase(path, DatabaseMode::read_write); });
  EXPECT_NE(sentence.find("damaged"), std::string::npos) << sentence;
  EXPECT_TRUE(bytes_of(path) == bytes);
  // A reader opens at once and finds the damage when it meets it, or in a check.
  const TuningDatabase reader(path, DatabaseMode::read_only);
  EXPECT_FALSE(reader.check().empty());
  EXPECT_TRUE(bytes_of(path) == bytes);
}

TEST_F(RefusalTest, CheckFindsRowsThatDoNotMakeSense) {
  fill(6);
  {
    SQLite::Database raw(path.string(), SQLite::OPEN_READWRITE);
    raw.exec(
        "UPDATE trials SET median_us = 77 WHERE id = 1;"
        "UPDATE trials SET samples = '[1,2' WHERE id = 2;"
        "UPDATE trials SET status = 'splendid', timestamp = 'now' WHERE id = 3;"
        "UPDATE trials SET mad_us = 77 WHERE id = 4;"
        "UPDATE trials SET high_us = 1e9 WHERE id = 5;"
        "UPDATE trials SET throttled = 'tired' WHERE id = 6; UPDATE series SET trials = 9;"
        "UPDATE configurations SET text = 'warp(b=1,a=2)' WHERE id = 1;"
        "UPDATE configurations SET variant = 'radix', text = 'radix(imad_votes=1)' WHERE id = 2;"
        "UPDATE protocols SET text = 'at noon'; UPDATE devices SET sm_count = 1;"
        "UPDATE problems SET key_width = 8; UPDATE sessions SET started = 'today'");
    raw.exec("PRAGMA foreign_keys = OFF; UPDATE trials SET configuration_id = 99 WHERE id = 3");
  }
  const TuningDatabase db(path, DatabaseMode::read_only);
  const auto sentences = db.check();
  const auto found = [&](const std::string& words) {
    return std::any_of(sentences.begin(), sentences.end(),
                       [&](const std::string& s) { return s.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(found("trial 1: its median"));
  EXPECT_TRUE(found("trial 2: '[1,2' is not a JSON array"));
  EXPECT_TRUE(found("trial 3: 'splendid'"));
  EXPECT_TRUE(found("trial 4: its deviation"));
  EXPECT_TRUE(found("trial 5: its interval"));
  EXPECT_TRUE(found("trial 6: 'tired'"));
  EXPECT_TRUE(found("series 1: it does not have as many trials"));
  EXPECT_TRUE(found("configuration 1: its text is not canonical"));
  EXPECT_FALSE(found("configuration 2")) << "an older version wrote it";
  EXPECT_TRUE(found("protocol 1: 'at noon'"));
  EXPECT_TRUE(found("device 1: its digest"));
  EXPECT_TRUE(found("problem 1: its key width is not 4"));
  EXPECT_TRUE(found("session 1: its start"));
  EXPECT_TRUE(found("row 3 of table 'trials' refers to a row of 'configurations'"));
}

TEST_F(RefusalTest, ATextThatDoesNotParseIsAnErrorThatNamesFileAndRow) {
  fill(3);
  const TuningDatabase db(path, DatabaseMode::read_only);
  SQLite::Database raw(path.string(), SQLite::OPEN_READWRITE);
  raw.exec("UPDATE configurations SET text = 'nonsense' WHERE id = 1");
  for (const auto& read : std::vector<std::function<void()>>{
           [&] { static_cast<void>(db.candidates(problem())); }, [&] { static_cast<void>(db.trials({})); },
           [&] { static_cast<void>(db.trial(1)); }, [&] { static_cast<void>(db.summaries({})); }}) {
    EXPECT_NE(refusal(path, read).find("trial 1 cannot be read: 'nonsense'"), std::string::npos);
  }
  raw.exec("UPDATE problems SET key_type = 'u33'");
  EXPECT_NE(refusal(path, [&] { static_cast<void>(db.summaries({})); }).find("problem 1"), std::string::npos);
}

TEST_F(RefusalTest, AnEmptyFileIsFilledButNotRead) {
  write_bytes(path, "");
  refusal(path, [&] { TuningDatabase(path, DatabaseMode::read_only); });
  EXPECT_EQ(bytes_of(path), "");
  fill(2);
  EXPECT_EQ(TuningDatabase(path, DatabaseMode::read_only).trials({}).size(), 2u);
}

TEST_F(RefusalTest, WhatIsMissingOrOutOfReachIsNamed) {
  EXPECT_NE(refusal(path, [&] { TuningDatabase(path, DatabaseMode::read_only); }).find("does not exist"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::create_directory(path);
  for (const DatabaseMode mode : both_modes) {
    EXPECT_NE(refusal(path, [&] { TuningDatabase(path, mode); }).find("is a directory"), std::string::npos);
  }
  write_bytes(directory / "file", "x");
  const auto below_a_file = directory / "file" / "folder" / "tuning.db";
  refusal(below_a_file, [&] { TuningDatabase(below_a_file, DatabaseMode::read_write); });
}

TEST_F(RefusalTest, ExportIsCompactReadOnlyFriendlyAndNeverReplaces) {
  fill(20);
  const auto target = directory / "best.db";
  {
    const TuningDatabase db(path, DatabaseMode::read_only);
    db.export_best(target);
    refusal(target, [&] { db.export_best(target); });
    refusal(directory / "none" / "best.db", [&] {
      write_bytes(directory / "none", "x");
      db.export_best(directory / "none" / "best.db");
    });
  }
  const std::string bytes = bytes_of(target);
  EXPECT_EQ(bytes[18], 1) << "a database in WAL mode cannot be read where nothing can be written";
  EXPECT_EQ(bytes[19], 1);
  const TuningDatabase exported(target, DatabaseMode::read_only);
  const auto rows = exported.trials({});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].trial.configuration.text(), "warp(a=0)");
  EXPECT_EQ(rows[0].trial.samples_us.size(), 3u);
  EXPECT_EQ(rows[0].software, software());
  EXPECT_EQ(exported.devices().at(0).info, h200());
  EXPECT_EQ(exported.check(), std::vector<std::string>{});
  EXPECT_EQ(exported.candidates(problem()).size(), 1u);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    files += entry.path().filename().string().starts_with("best.db") ? 1u : 0u;
  }
  EXPECT_EQ(files, 1u) << "nothing is left beside the export";
}

// Runs `body` in a child process that may not write in the test's directory, even if the tests run as root.
// The child exits with what `body` returns.
int in_unprivileged_process(const std::filesystem::path& directory, const std::function<int()>& body) {
  std::filesystem::permissions(directory, std::filesystem::perms(0555));
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(100);
    int code = 101;
    try {
      code = body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::filesystem::permissions(directory, std::filesystem::perms(0755));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(RefusalTest, AReadOnlyDirectoryCanBeReadAndIsNotWritten) {
  fill(5);
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  const std::string before = bytes_of(path);
  EXPECT_EQ(in_unprivileged_process(directory,
                                    [&] {
                                      const TuningDatabase db(path, DatabaseMode::read_only);
                                      return db.trials({}).size() == 5 && db.candidates(problem()).size() == 1
                                                 ? 0
                                                 : 1;
                                    }),
            0);
  EXPECT_EQ(in_unprivileged_process(directory,
                                    [&] {
                                      try {
                                        TuningDatabase(path, DatabaseMode::read_write);
                                      } catch (const Error& error) {
                                        return error.code() == ErrorCode::database ? 0 : 1;
                                      }
                                      return 2;
                                    }),
            0);
  EXPECT_TRUE(bytes_of(path) == before);
  EXPECT_FALSE(std::filesystem::exists(path.string() + "-wal"));
}

TEST_F(RefusalTest, TrialsInALogThatCannotBeReadAreNotPassedOver) {
  fill(1);
  write_bytes(path.string() + "-wal", "trials that another process has not moved yet");
  std::filesystem::permissions(path.string() + "-wal", std::filesystem::perms(0));
  const int code = in_unprivileged_process(directory, [&] {
    try {
      TuningDatabase(path, DatabaseMode::read_only);
    } catch (const Error& error) {
      return std::string(error.what()).find("write-ahead log") == std::string::npos ? 1 : 0;
    }
    return 2;
  });
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace bitune::test
