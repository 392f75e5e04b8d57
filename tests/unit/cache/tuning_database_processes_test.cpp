// Several processes on one file, and processes that are killed.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <atomic>
#include <future>
#include <latch>
#include <set>

#include "bitune/log.hpp"
#include "cache/tuning_database.hpp"
#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

class ProcessesTest : public DirectoryTest {
 protected:
  // Runs `body(i)` in a process of its own for every i; returns how many did not return.
  static int failures_of(int processes, const std::function<void(int)>& body) {
    std::vector<pid_t> children;
    for (int i = 0; i < processes; ++i) children.push_back(start([&] { body(i); }));
    int failures = 0;
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      failures += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
    }
    return failures;
  }

  static pid_t start(const std::function<void()>& body) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    try {
      body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }

  std::filesystem::path path = directory / "data" / "tuning.db";
};

TEST_F(ProcessesTest, EightProcessesLoseNothing) {
  constexpr int processes = 8;
  constexpr int trials = 60;
  // All of them create the file, the device, the problem and the configurations at once.
  EXPECT_EQ(failures_of(processes,
                        [this](int process) {
                          TuningDatabase db(path, DatabaseMode::read_write);
                          const auto session = db.begin_session(h200(), software(), {});
                          for (int i = 0; i < trials; ++i) {
                            Trial stored = trial(problem(), "warp(a=" + std::to_string(i) + ")", i + 1);
                            stored.launches = process;
                            db.store(session, stored);
                          }
                        }),
            0);
  const TuningDatabase db(path, DatabaseMode::read_only);
  const auto rows = db.trials({});
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(processes * trials));
  std::set<std::pair<int, std::string>> seen;
  for (const TrialRow& row : rows) seen.emplace(row.trial.launches, row.trial.configuration.text());
  EXPECT_EQ(seen.size(), rows.size());
  EXPECT_EQ(db.devices().size(), 1u);
  EXPECT_EQ(db.check(), std::vector<std::string>{});
}

TEST_F(ProcessesTest, EightProcessesMigrateOnce) {
  std::filesystem::create_directories(path.parent_path());
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec(bytes_of(std::filesystem::path(BITUNE_TEST_DATA) / "tuning_version_1.sql"));
  EXPECT_EQ(failures_of(8,
                        [this](int) {
                          TuningDatabase db(path, DatabaseMode::read_write);
                          db.store(db.begin_session(h200(), software(), {}),
                                   trial(problem(), "warp(a=1)", 1));
                        }),
            0);
  const TuningDatabase db(path, DatabaseMode::read_only);
  EXPECT_EQ(db.trials({}).size(), 6u + 8u);
  EXPECT_EQ(db.check(), std::vector<std::string>{});
}

TEST_F(ProcessesTest, AKilledProcessLosesAtMostTheTrialUnderWay) {
  { const TuningDatabase created(path, DatabaseMode::read_write); }
  for (int round = 0; round < 5; ++round) {
    int channel[2];
    ASSERT_EQ(::pipe(channel), 0);
    const std::size_t before = TuningDatabase(path, DatabaseMode::read_only).trials({}).size();
    const pid_t child = start([&] {
      TuningDatabase db(path, DatabaseMode::read_write);
      const auto session = db.begin_session(h200(), software(), {});
      for (int i = 0;; ++i) {
        db.store(session, trial(problem(), "warp(a=" + std::to_string(i) + ")", i + 1));
        if (::write(channel[1], "x", 1) != 1) return;
      }
    });
    ::close(channel[1]);
    std::size_t confirmed = 0;
    char byte = 0;
    while (confirmed < 20u + static_cast<unsigned>(round) * 7 && ::read(channel[0], &byte, 1) == 1)
      ++confirmed;
    ::kill(child, SIGKILL);
    while (::read(channel[0], &byte, 1) == 1) ++confirmed;
    ::close(channel[0]);
    ::waitpid(child, nullptr, 0);

    const TuningDatabase db(path, DatabaseMode::read_write);
    const std::size_t stored = db.trials({}).size() - before;
    EXPECT_GE(stored, confirmed);
    EXPECT_LE(stored, confirmed + 1);
    EXPECT_EQ(db.check(), std::vector<std::string>{});
  }
}

TEST_F(ProcessesTest, AWriterWaitsForAnother) {
  TuningDatabase db(path, DatabaseMode::read_write);
  const auto session = db.begin_session(h200(), software(), {});
  int locked[2];
  int may_end[2];
  ASSERT_EQ(::pipe(locked), 0);
  ASSERT_EQ(::pipe(may_end), 0);
  char byte = 0;
  const pid_t child = start([&] {
    SQLite::Database raw(path.string(), SQLite::OPEN_READWRITE);
    raw.exec("BEGIN IMMEDIATE");
    if (::write(locked[1], "x", 1) != 1) ::_exit(2);
    if (::read(may_end[0], &byte, 1) != 1) ::_exit(2);
    raw.exec("COMMIT");
  });
  ASSERT_EQ(::read(locked[0], &byte, 1), 1);
  std::atomic<bool> told = false;
  const LogFunction before = set_log([&](const std::string& sentence) {
    EXPECT_NE(sentence.find(path.string() + "': another process holds it; waiting"), std::string::npos)
        << sentence;
    told = true;
    told.notify_all();
  });
  std::latch begun(1);
  std::atomic<bool> has_stored = false;
  auto writer = std::async(std::launch::async, [&] {
    begun.count_down();
    db.store(session, trial(problem(), "warp(a=1)", 1));
    has_stored = true;
  });
  begun.wait();
  const TuningDatabase reader(path, DatabaseMode::read_only);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(reader.trials({}).empty()) << "readers do not wait";
  told.wait(false);
  EXPECT_FALSE(has_stored) << "the other process has the lock";
  ASSERT_EQ(::write(may_end[1], "x", 1), 1);
  writer.get();
  set_log(before);
  ::waitpid(child, nullptr, 0);
  for (const int end : {locked[0], locked[1], may_end[0], may_end[1]}) ::close(end);
  EXPECT_EQ(db.trials({}).size(), 1u);
}

TEST_F(ProcessesTest, NothingIsStoredInAFileThatIsGone) {
  const auto refused = [this](const std::function<void(TuningDatabase&, std::int64_t)>& store,
                              const std::function<void()>& lose) {
    TuningDatabase db(path, DatabaseMode::read_write);
    const auto session = db.begin_session(h200(), software(), {});
    db.store(session, trial(problem(), "warp(a=1)", 1));
    lose();
    return refusal(path, [&] { store(db, session); });
  };
  const auto store = [](TuningDatabase& db, std::int64_t session) {
    db.store(session, trial(problem(), "warp(a=2)", 2));
  };
  const auto begin = [](TuningDatabase& db, std::int64_t) { db.begin_session(h200(), software(), {}); };
  const auto end = [](TuningDatabase& db, std::int64_t) { db.require_in_place(); };
  const auto deleted = [this] { std::filesystem::remove(path); };
  const auto replaced = [this] {
    std::filesystem::remove(path);
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(path.string() + suffix);
    const TuningDatabase another(path, DatabaseMode::read_write);
  };
  EXPECT_NE(refused(store, deleted).find("was deleted or replaced"), std::string::npos);
  EXPECT_NE(refused(begin, deleted).find("was deleted or replaced"), std::string::npos);
  EXPECT_NE(refused(end, deleted).find("was deleted or replaced"), std::string::npos);
  EXPECT_NE(refused(store, replaced).find("was deleted or replaced"), std::string::npos);
}

TEST_F(ProcessesTest, AConnectionKeepsItsLocksWhenAnotherOneIsOpenedAndClosed) {
  // POSIX drops all of a process's locks on a file when any of its descriptors is closed. Another process
  // would then take itself for the last one, and remove the log that this one goes on to write to.
  std::array<int, 2> may_begin{};
  ASSERT_EQ(::pipe(may_begin.data()), 0);
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(start([&] {  // before this process has opened anything
      char byte = 0;
      if (::read(may_begin[0], &byte, 1) != 1) ::_exit(2);
      TuningDatabase db(path, DatabaseMode::read_write);
      db.store(db.begin_session(h200(), software(), {}), trial(problem(), "warp(a=1)", 1));
    }));
  }
  {
    TuningDatabase db(path, DatabaseMode::read_write);
    const auto session = db.begin_session(h200(), software(), {});
    for (int i = 0; i < 2; ++i) {
      { const TuningDatabase other(path, DatabaseMode::read_only); }
      ASSERT_EQ(::write(may_begin[1], "x", 1), 1);
      int status = 0;
      ASSERT_GT(::wait(&status), 0);
      EXPECT_EQ(status, 0);
      db.store(session, trial(problem(), "warp(a=2)", 2));
    }
  }
  for (const int end : may_begin) ::close(end);
  const TuningDatabase db(path, DatabaseMode::read_only);
  EXPECT_EQ(db.trials({}).size(), 4u);
  EXPECT_EQ(db.check(), std::vector<std::string>{});
}

}  // namespace
}  // namespace bitune::test
