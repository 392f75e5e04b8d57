#include "model/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bitune/error.hpp"

namespace bitune {
namespace {

constexpr std::array<std::pair<ThrottleReason, std::string_view>, 6> reason_names = {{
    {sw_power_cap, "sw_power_cap"},
    {hw_slowdown, "hw_slowdown"},
    {sync_boost, "sync_boost"},
    {sw_thermal, "sw_thermal"},
    {hw_thermal, "hw_thermal"},
    {hw_power_brake, "hw_power_brake"},
}};

std::uint32_t parse_reason(std::string_view text) {
  for (const auto& [reason, name] : reason_names) {
    if (name == text) return reason;
  }
  throw Error(ErrorCode::usage, fmt::format("'{}' is no reason why a GPU is throttled", text));
}

}  // namespace

std::string throttle_text(std::uint32_t reasons) {
  std::string text;
  for (const auto& [reason, name] : reason_names) {
    if ((reasons & reason) == 0) continue;
    if (!text.empty()) text += '+';
    text += name;
  }
  return text;
}

std::uint32_t parse_throttle(std::string_view text) {
  std::uint32_t reasons = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('+'), text.size());
    reasons |= parse_reason(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reasons;
}

void ClockSummary::add(const ClockReading& reading) noexcept {
  add(ClockSummary{reading.sm_mhz, reading.sm_mhz, reading.throttled});
}

void ClockSummary::add(const ClockSummary& other) noexcept {
  throttled |= other.throttled;
  if (!other.is_known()) return;
  lowest_mhz = is_known() ? std::min(lowest_mhz, other.lowest_mhz) : other.lowest_mhz;
  highest_mhz = std::max(highest_mhz, other.highest_mhz);
}

}  // namespace bitune
