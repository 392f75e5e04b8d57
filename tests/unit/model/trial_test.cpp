#include "model/trial.hpp"

#include <gtest/gtest.h>

#include "bitune/error.hpp"

namespace bitune {
namespace {

TEST(TrialStatus, NamesAreReadBack) {
  for (int i = 0; i <= static_cast<int>(TrialStatus::unverified); ++i) {
    const auto status = static_cast<TrialStatus>(i);
    EXPECT_EQ(parse_trial_status(name_of(status)), status);
  }
  EXPECT_THROW(static_cast<void>(parse_trial_status("fine")), Error);
}

TEST(Protocol, TextIsReadBack) {
  EXPECT_EQ(Protocol{}.text(),
            "distribution=random seed=1 l2=warm samples=7..200 budget_ms=100 precision=0.01 inputs=8");
  Protocol protocol;
  protocol.distribution = "few_distinct";
  protocol.seed = ~std::uint64_t{0};
  protocol.cold_l2 = true;
  protocol.min_samples = 1;
  protocol.max_samples = 1000;
  protocol.sample_budget_ms = 0.1;
  protocol.inputs = 3;
  EXPECT_EQ(Protocol::parse(protocol.text()), protocol);
  EXPECT_EQ(Protocol::parse(Protocol{}.text()), Protocol{});
}

TEST(Protocol, OfBeforeThereWereIntervalsHasNoPrecision) {
  const std::string old = "distribution=random seed=1 l2=warm samples=7..50 budget_ms=100";
  EXPECT_EQ(Protocol::parse(old).precision, 0);
  EXPECT_EQ(Protocol::parse(old).text(), old);
}

TEST(Protocol, OfBeforeThereWereSeveralInputsHasOne) {
  const std::string old = "distribution=random seed=1 l2=warm samples=7..50 budget_ms=100 precision=0.01";
  EXPECT_EQ(Protocol::parse(old).inputs, 1);
  EXPECT_EQ(Protocol::parse(old).text(), old);
}

TEST(Protocol, WhatIsNoProtocolIsRefused) {
  for (const char* text :
       {"", "distribution=random", "distribution= seed=1 l2=warm samples=7..50 budget_ms=100",
        "distribution=random seed=-1 l2=warm samples=7..50 budget_ms=100",
        "distribution=random seed=1 l2=tepid samples=7..50 budget_ms=100",
        "distribution=random seed=1 l2=warm samples=7 budget_ms=100",
        "distribution=random seed=1 l2=warm samples=7..50 budget_ms=nan",
        "distribution=random seed=1 l2=warm samples=7..50 budget_ms=100 extra=1",
        "distribution=random seed=1 l2=warm samples=7..50 budget_ms=100 precision=0",
        "distribution=random seed=1 l2=warm samples=7..50 budget_ms=100 precision=-1",
        "distribution=random seed=1 l2=warm samples=7..50 budget_ms=100 inputs=1",
        "distribution=random seed=1 l2=warm samples=7..50 budget_ms=100 inputs=two",
        "distribution=random seed=1 l2=warm samples=7..50 precision=0.01 budget_ms=100",
        "seed=1 distribution=random l2=warm samples=7..50 budget_ms=100",
        "distribution=random seed=1 l2=warm samples=7..50 budget_ms=100 ",
        "distribution=random seed=01 l2=warm samples=7..50 budget_ms=100"}) {
    EXPECT_THROW(static_cast<void>(Protocol::parse(text)), Error) << text;
  }
}

TEST(Trial, MedianIsOfTheSamplesInAnyOrder) {
  Trial trial;
  EXPECT_EQ(trial.median_us(), std::nullopt);
  trial.samples_us = {4};
  EXPECT_EQ(trial.median_us(), 4);
  trial.samples_us = {9, 1, 5};
  EXPECT_EQ(trial.median_us(), 5);
  trial.samples_us = {8, 2, 4, 100};
  EXPECT_EQ(trial.median_us(), 6);
  EXPECT_EQ(trial.samples_us, (std::vector<double>{8, 2, 4, 100}))
      << "samples stay in the order they were taken";
}

}  // namespace
}  // namespace bitune
