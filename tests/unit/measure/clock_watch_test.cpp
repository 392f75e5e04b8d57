#include "measure/clock_watch.hpp"

#include <gtest/gtest.h>

namespace bitune {
namespace {

TEST(ClockWatch, AFallenClockDisturbs) {
  ClockWatch watch;
  EXPECT_FALSE(watch.is_disturbed({})) << "nobody could look";
  EXPECT_FALSE(watch.is_disturbed({1965, 1980, 0}));
  EXPECT_TRUE(watch.is_disturbed({1700, 1980, 0})) << "within one measurement";
  watch.settle({1965, 1980, 0});
  EXPECT_FALSE(watch.is_disturbed({1935, 1935, 0}));
  EXPECT_TRUE(watch.is_disturbed({1700, 1700, 0})) << "below what is usual";
  watch.settle({});
  EXPECT_TRUE(watch.is_disturbed({1700, 1700, 0})) << "what nobody saw changes nothing";
}

TEST(ClockWatch, ThrottlingDisturbsUnlessItIsUsual) {
  ClockWatch watch;
  watch.settle({1980, 1980, 0});
  EXPECT_TRUE(watch.is_disturbed({1980, 1980, sw_thermal}));
  watch.settle({1980, 1980, sw_power_cap});
  EXPECT_FALSE(watch.is_disturbed({1980, 1980, sw_power_cap}));
  EXPECT_TRUE(watch.is_disturbed({1980, 1980, sw_power_cap | hw_thermal}));
  watch.settle({1980, 1980, 0});
  EXPECT_TRUE(watch.is_disturbed({1980, 1980, sw_power_cap})) << "it was no longer usual";
}

TEST(ClockWatch, ALastingFallBecomesUsual) {
  ClockWatch watch;
  watch.settle({1980, 1980, 0});
  watch.settle({1400, 1410, 0});
  EXPECT_FALSE(watch.is_disturbed({1400, 1410, 0}));
  watch.settle({1980, 1980, 0});
  EXPECT_TRUE(watch.is_disturbed({1400, 1410, 0})) << "it has recovered";
}

}  // namespace
}  // namespace bitune
