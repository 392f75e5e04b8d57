#include "measure/measure.hpp"

#include <gtest/gtest.h>

#include "model/statistics.hpp"
#include "tests/support/timed_device.hpp"

namespace bitune {
namespace {

class Measure : public testing::Test {
 protected:
  Measurement measure(const Protocol& protocol, double abandon_above_us = 0) {
    return measurer.measure(plan, data, Distribution::random, protocol, abandon_above_us, nullptr, nullptr);
  }
  static Plan plan_of_one_launch() {
    Plan plan;
    plan.kernels = {{"fake.cuh", "u32 ascending"}};
    plan.launches = {Launch{}};
    return plan;
  }

  std::shared_ptr<fake::TimedDevice> device = std::make_shared<fake::TimedDevice>();
  KernelStore kernels{device, nullptr};
  ProblemData data{*device,
                   {{}, {.n = 1000}},
                   MeasuredInput{.distribution = Distribution::random, .seed = 1, .inputs = 8},
                   nullptr};
  ExecutablePlan plan = make_executable(*device, kernels, plan_of_one_launch());
  Measurer measurer{*device, kernels};
};

TEST_F(Measure, EndsAsSoonAsTheMedianIsKnown) {
  device->launch_us = [] { return 500.0; };
  EXPECT_EQ(measure({}).samples_us.size(), 7u) << "the least";
  EXPECT_EQ(measure({.precision = 0}).samples_us.size(), 200u) << "100 ms of 500 us";
}

TEST_F(Measure, GoesOnWhileTheIntervalIsWide) {
  // Two of five samples are 4 % slower: until there are many, the median may be either.
  int calls = 0;
  device->launch_us = [&calls] { return calls++ % 5 < 2 ? 520.0 : 500.0; };
  const Measurement some = measure({});
  EXPECT_GT(some.samples_us.size(), 7u);
  EXPECT_LT(some.samples_us.size(), 100u);
  EXPECT_LE(median_interval(some.samples_us).relative_half_width(), 0.01);
  calls = 0;
  device->launch_us = [&calls] { return ++calls % 2 == 0 ? 400.0 : 600.0; };
  EXPECT_EQ(measure({.max_samples = 40}).samples_us.size(), 40u) << "nothing makes that precise";
  const Measurement capped = measure({.sample_budget_ms = 10});
  EXPECT_GE(capped.samples_us.size(), 17u);
  EXPECT_LE(capped.samples_us.size(), 21u) << "10 ms of 500 us";
}

TEST_F(Measure, AbandonsWhatIsPlainlySlower) {
  device->launch_us = [] { return 900.0; };
  const Measurement slow = measure({}, 800);
  EXPECT_TRUE(slow.abandoned);
  EXPECT_EQ(slow.samples_us.size(), 3u);
  EXPECT_FALSE(measure({}, 1000).abandoned);
}

TEST_F(Measure, MeasuresAgainWhenTheClockFell) {
  device->launch_us = [] { return 500.0; };
  int looks = 0;
  device->clock = [&looks] { return ClockReading{++looks == 2 ? 1200 : 1980, 0}; };
  EXPECT_EQ(measure({}).remeasured, 0);
  device->launch_us = [&looks] { return looks == 1 ? 900.0 : 500.0; };  // slower at the lower clock
  const Measurement again = measure({});
  EXPECT_EQ(again.remeasured, 1);
  EXPECT_EQ(again.clock, (ClockSummary{1980, 1980, 0})) << "of the samples that count";
  EXPECT_EQ(median_of(again.samples_us), 500) << "what was taken at the lower clock is gone";
}

TEST_F(Measure, GivesUpOnALastingFallAndSaysSo) {
  device->launch_us = [] { return 500.0; };
  device->clock = [] { return ClockReading{1980, 0}; };
  EXPECT_EQ(measure({}).remeasured, 0);
  device->clock = [] { return ClockReading{1200, hw_thermal}; };
  const Measurement hot = measure({});
  EXPECT_EQ(hot.remeasured, 2);
  EXPECT_EQ(hot.clock, (ClockSummary{1200, 1200, hw_thermal}));
  EXPECT_FALSE(hot.samples_us.empty()) << "slow times are times";
  EXPECT_EQ(measure({}).remeasured, 0) << "that is how the device runs now";
}

TEST_F(Measure, WithoutAClockNothingIsMeasuredAgain) {
  const Measurement measurement = measure({});
  EXPECT_EQ(measurement.remeasured, 0);
  EXPECT_FALSE(measurement.clock.is_known());
}

}  // namespace
}  // namespace bitune
