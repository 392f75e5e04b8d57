#pragma once

/// \file
/// How fast a device ran, and why no faster: what NVML tells of a GPU's clock.

#include <cstdint>
#include <string>
#include <string_view>

namespace bitune {

/// Why a GPU runs slower than it could; a set of them is the sum of their bits. Idleness and clocks that
/// somebody chose are no such reasons.
enum ThrottleReason : std::uint32_t {
  sw_power_cap = 1U << 0U,    ///< the power limit holds the clock down
  hw_slowdown = 1U << 1U,     ///< the hardware cut the clock: heat, power brake, or a fault
  sync_boost = 1U << 2U,      ///< it waits for a slower GPU of its group
  sw_thermal = 1U << 3U,      ///< the driver holds the clock down for heat
  hw_thermal = 1U << 4U,      ///< the hardware cut the clock for heat
  hw_power_brake = 1U << 5U,  ///< the power supply asked for less
};

/// Names with '+' between them, "sw_power_cap+hw_thermal"; empty for no reason.
[[nodiscard]] std::string throttle_text(std::uint32_t reasons);
/// \throws Error (usage) for a name that is none
[[nodiscard]] std::uint32_t parse_throttle(std::string_view text);

/// One look at a device's clock.
struct ClockReading {
  int sm_mhz = 0;               ///< of the multiprocessors
  std::uint32_t throttled = 0;  ///< reasons

  bool operator==(const ClockReading&) const = default;
};

/// All looks at it while something was measured.
struct ClockSummary {
  int lowest_mhz = 0;           ///< 0: nobody could look
  int highest_mhz = 0;          ///< 0: nobody could look
  std::uint32_t throttled = 0;  ///< reasons seen in any of them

  bool operator==(const ClockSummary&) const = default;
  [[nodiscard]] bool is_known() const noexcept { return highest_mhz > 0; }
  void add(const ClockReading& reading) noexcept;
  void add(const ClockSummary& other) noexcept;
};

}  // namespace bitune
