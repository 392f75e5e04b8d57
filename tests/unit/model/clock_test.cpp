#include "model/clock.hpp"

#include <gtest/gtest.h>

#include "bitune/error.hpp"

namespace bitune {
namespace {

TEST(Throttle, TextsOfReasonsAreReadBack) {
  for (std::uint32_t reasons = 0; reasons < 64; ++reasons) {
    EXPECT_EQ(parse_throttle(throttle_text(reasons)), reasons);
  }
  EXPECT_EQ(throttle_text(0), "");
  EXPECT_EQ(throttle_text(hw_thermal | sw_power_cap), "sw_power_cap+hw_thermal");
  EXPECT_THROW(static_cast<void>(parse_throttle("sw_power_cap+heat")), Error);
}

TEST(ClockSummary, SpansAllLooks) {
  ClockSummary summary;
  EXPECT_FALSE(summary.is_known());
  summary.add(ClockReading{1755, 0});
  summary.add(ClockReading{1980, sw_power_cap});
  EXPECT_EQ(summary, (ClockSummary{1755, 1980, sw_power_cap}));
  summary.add(ClockSummary{});
  EXPECT_EQ(summary, (ClockSummary{1755, 1980, sw_power_cap})) << "nothing was seen there";
  summary.add(ClockSummary{1200, 1300, sw_thermal});
  EXPECT_EQ(summary, (ClockSummary{1200, 1980, sw_power_cap | sw_thermal}));
}

}  // namespace
}  // namespace bitune
