// What a report reads of one problem: the trials that are ranked together, and how many are not.

#include <string>
#include <vector>

#include "cache/tuning_database.hpp"
#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

class EvidenceTest : public DirectoryTest {
 protected:
  TuningDatabase db{directory / "tuning.db", DatabaseMode::read_write};
  std::int64_t session = db.begin_session(h200(), software(), {});

  // Stores a trial a minute after the last.
  std::int64_t store(Trial trial, std::int64_t in_session = 0) {
    trial.timestamp = "2026-11-21 12:" + std::to_string(10 + minute_++) + ":00.000";
    return db.store(in_session == 0 ? session : in_session, trial);
  }

  [[nodiscard]] Evidence evidence(const Problem& about = problem()) const {
    return db.evidence(h200().digest(), about);
  }

 private:
  int minute_ = 0;
};

Trial failed(const std::string& configuration, TrialStatus status, const std::string& message) {
  Trial failure = trial(problem(), configuration, 1);
  failure.status = status;
  failure.message = message;
  failure.samples_us.clear();
  return failure;
}

TEST_F(EvidenceTest, HasAllTrialsOfTheProblemInTheOrderOfTime) {
  const auto first = store(trial(problem(), "warp(a=1)", 20));
  const auto second = store(failed("warp(a=2)", TrialStatus::spilled, std::string(1000, 'x')));
  const auto third = store(trial(problem(), "shared(a=1)", 10));
  store(trial(problem(2048), "warp(a=1)", 20));

  const Evidence found = evidence();
  ASSERT_EQ(found.trials.size(), 3U);
  EXPECT_EQ(found.left_out, 0U);
  EXPECT_EQ(found.trials[0].id, first);
  EXPECT_EQ(found.trials[0].configuration.text(), "warp(a=1)");
  EXPECT_EQ(found.trials[0].median_us, 20);
  EXPECT_EQ(found.trials[1].id, second);
  EXPECT_EQ(found.trials[1].status, TrialStatus::spilled);
  EXPECT_EQ(found.trials[1].message.size(), 400U);
  EXPECT_FALSE(found.trials[1].median_us);
  EXPECT_EQ(found.trials[2].id, third);
}

TEST_F(EvidenceTest, MarksWhatANewerTrialReplaces) {
  store(trial(problem(), "warp(a=1)", 20));
  store(trial(problem(), "warp(a=1)", 30));
  Trial finalist = trial(problem(), "warp(a=1)", 25);
  finalist.finalist = true;
  store(finalist);
  const Evidence found = evidence();
  ASSERT_EQ(found.trials.size(), 3U);
  EXPECT_TRUE(found.trials[0].superseded);
  EXPECT_FALSE(found.trials[1].superseded);
  EXPECT_FALSE(found.trials[2].superseded);
  EXPECT_TRUE(found.trials[2].finalist);
}

TEST_F(EvidenceTest, LeavesOutOtherKernelsAndProtocols) {
  Trial old = trial(problem(), "warp(a=1)", 5);
  old.kernel_digest = "kernels-of-yesterday";
  store(old);
  Protocol cold;
  cold.cold_l2 = true;
  store(trial(problem(), "warp(a=1)", 6), db.begin_session(h200(), software(), cold));
  const auto ranked = store(trial(problem(), "warp(a=1)", 20));
  const Evidence found = evidence();
  ASSERT_EQ(found.trials.size(), 1U);
  EXPECT_EQ(found.trials[0].id, ranked);
  EXPECT_EQ(found.left_out, 2U);
}

TEST_F(EvidenceTest, LeavesOutWhatFilesClaim) {
  const auto measured = store(trial(problem(), "warp(a=1)", 20));
  Trial claimed = trial(problem(), "shared(a=1)", 5);
  claimed.status = TrialStatus::unverified;
  store(claimed, db.begin_session(h200(), software(), {}, "cache 'h200.json'"));
  const Evidence found = evidence();
  ASSERT_EQ(found.trials.size(), 1U);
  EXPECT_EQ(found.trials[0].id, measured);
  EXPECT_EQ(found.left_out, 1U);
}

TEST_F(EvidenceTest, TellsOfAVariantThatOnlyFailed) {
  store(trial(problem(), "warp(a=1)", 20));
  store(failed("cluster(a=1)", TrialStatus::launch_failed, "no clusters here"));
  const Evidence found = evidence();
  ASSERT_EQ(found.trials.size(), 2U);
  EXPECT_EQ(found.trials[1].configuration.variant, "cluster");
  EXPECT_EQ(found.trials[1].message, "no clusters here");
}

TEST_F(EvidenceTest, IsEmptyForWhatIsNotThere) {
  store(trial(problem(), "warp(a=1)", 20));
  EXPECT_TRUE(evidence(problem(4096)).trials.empty());
  EXPECT_TRUE(db.evidence("no such device", problem()).trials.empty());
}

}  // namespace
}  // namespace bitune::test
