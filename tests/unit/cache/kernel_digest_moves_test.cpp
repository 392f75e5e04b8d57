// Kernels whose digest is another one today, while their machine code is not.

#include "cache/database/kernel_digest_moves.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <set>
#include <string>

#include "cache/tuning_database.hpp"
#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

using database::KernelDigestMove;

class KernelDigestMoves : public DirectoryTest {
 protected:
  void store(const std::string& digest, std::uint64_t n, double median_us) {
    TuningDatabase db(path, DatabaseMode::read_write);
    Trial made = trial(problem(n), "warp(block_size_x=256)", median_us);
    made.kernel_digest = digest;
    made.timestamp = "2026-01-02 03:04:0" + std::to_string(second++) + ".000";
    db.store(db.begin_session(h200(), software(), {}), made);
  }

  void move(std::span<const KernelDigestMove> moves) {
    SQLite::Database db(path.string(), SQLite::OPEN_READWRITE);
    SQLite::Transaction transaction(db);
    database::move_kernel_digests(db, moves);
    transaction.commit();
  }

  std::string digests() const {
    const TuningDatabase db(path, DatabaseMode::read_only);
    EXPECT_EQ(db.check(), std::vector<std::string>{});
    std::string all;
    const auto rows = db.trials({});  // the newest first
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) all += row->trial.kernel_digest + " ";
    return all;
  }

  std::filesystem::path path = directory / "tuning.db";
  int second = 0;
};

TEST_F(KernelDigestMoves, OldDigestsBecomeNewOnes) {
  store("old", 1024, 5);
  store("other", 2048, 5);
  store("old", 4096, 5);
  move(std::array{KernelDigestMove{"old", "new"}, KernelDigestMove{"nobody's", "new"}});
  EXPECT_EQ(digests(), "new other new ");
  const TuningDatabase db(path, DatabaseMode::read_only);
  EXPECT_EQ(db.candidates(problem(1024)).at(0).kernel_digest, "new");
}

TEST_F(KernelDigestMoves, TrialsOfBothDigestsAreOneSeries) {
  store("old", 1024, 5);
  store("new", 1024, 7);
  store("old", 2048, 6);
  move(std::array{KernelDigestMove{"old", "new"}});
  EXPECT_EQ(digests(), "new new new ");
  const TuningDatabase db(path, DatabaseMode::read_only);
  EXPECT_EQ(db.evidence(h200().digest(), problem(1024)).trials.size(), 2u);
  SQLite::Database raw(path.string(), SQLite::OPEN_READONLY);
  EXPECT_EQ(raw.execAndGet("SELECT count(*) FROM kernels").getInt(), 1);
  EXPECT_EQ(raw.execAndGet("SELECT count(*) FROM series").getInt(), 2);
  EXPECT_EQ(raw.execAndGet("SELECT sum(trials) FROM series").getInt(), 3);
}

TEST_F(KernelDigestMoves, OneMoveMayFollowAnother) {
  store("first", 1024, 5);
  store("second", 1024, 6);
  const std::array moves{KernelDigestMove{"first", "second"}, KernelDigestMove{"second", "third"}};
  move(moves);
  EXPECT_EQ(digests(), "third third ");
  move(moves);
  EXPECT_EQ(digests(), "third third ");
}

TEST_F(KernelDigestMoves, ADatabaseOfTodaysSchemaIsMovedWhenItIsOpened) {
  const std::string from(database::kernel_digest_moves().front().from);
  store("other", 1024, 5);
  {
    SQLite::Database raw(path.string(), SQLite::OPEN_READWRITE);
    SQLite::Statement old(raw, "UPDATE kernels SET digest = ?");
    old.bind(1, from);
    old.exec();
  }
  const std::string read = digests();  // in a copy
  EXPECT_NE(read, from + " ");
  const auto stored = [&] {
    SQLite::Database raw(path.string(), SQLite::OPEN_READONLY);
    return raw.execAndGet("SELECT digest FROM kernels").getString();
  };
  EXPECT_EQ(stored(), from);
  { const TuningDatabase db(path, DatabaseMode::read_write); }
  EXPECT_EQ(stored() + " ", read);
}

TEST_F(KernelDigestMoves, NoDigestIsMovedTwoWays) {
  std::set<std::string_view> from;
  for (const KernelDigestMove& move : database::kernel_digest_moves()) {
    EXPECT_TRUE(from.insert(move.from).second) << move.from;
    EXPECT_FALSE(from.contains(move.to)) << move.to << " would be moved no more";
    EXPECT_EQ(move.from.size(), 32u);
    EXPECT_EQ(move.to.size(), 32u);
  }
  EXPECT_FALSE(from.empty());
}

}  // namespace
}  // namespace bitune::test
