#include "model/standing.hpp"

#include <gtest/gtest.h>

namespace bitune {
namespace {

TEST(Standing, ANewerTrialSupersedesOneOfItsKindAndAFailureBoth) {
  for (const bool newer_is_finalist : {false, true}) {
    for (const bool older_is_finalist : {false, true}) {
      EXPECT_EQ(supersedes(true, newer_is_finalist, older_is_finalist),
                newer_is_finalist == older_is_finalist);
      EXPECT_TRUE(supersedes(false, newer_is_finalist, older_is_finalist));
    }
  }
}

TEST(Standing, FinalistsGoBeforeFasterOnes) {
  EXPECT_LT((TrialRank{true, 20, 2}), (TrialRank{false, 10, 1}));
  EXPECT_LT((TrialRank{true, 10, 2}), (TrialRank{true, 20, 1}));
  EXPECT_LT((TrialRank{false, 10, 1}), (TrialRank{false, 10, 2}));
  EXPECT_FALSE((TrialRank{true, 10, 1}) < (TrialRank{true, 10, 1}));
}

TEST(Standing, SeriesWithFinalistsGoBeforeNewerOnes) {
  EXPECT_LT((SeriesRank{true, "2026-11-20", 1}), (SeriesRank{false, "2026-11-21", 2}));
  EXPECT_LT((SeriesRank{true, "2026-11-21", 1}), (SeriesRank{true, "2026-11-20", 2}));
  EXPECT_LT((SeriesRank{true, "2026-11-21", 2}), (SeriesRank{true, "2026-11-21", 1}));
}

}  // namespace
}  // namespace bitune
