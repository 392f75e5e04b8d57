#include "model/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "bitune/error.hpp"
#include "model/statistics.hpp"

namespace bitune {
namespace {

constexpr std::array<std::pair<TrialStatus, std::string_view>, 9> status_names = {{
    {TrialStatus::ok, "ok"},
    {TrialStatus::invalid, "invalid"},
    {TrialStatus::compile_failed, "compile_failed"},
    {TrialStatus::spilled, "spilled"},
    {TrialStatus::over_limit, "over_limit"},
    {TrialStatus::launch_failed, "launch_failed"},
    {TrialStatus::wrong_result, "wrong_result"},
    {TrialStatus::timed_out, "timed_out"},
    {TrialStatus::unverified, "unverified"},
}};

template <class T>
bool read(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// One field of a protocol's text; false if its value is malformed or its name is unknown.
bool read_field(std::string_view name, std::string_view value, Protocol& protocol) {
  if (name == "distribution") {
    protocol.distribution = value;
    return !value.empty();
  }
  if (name == "seed") return read(value, protocol.seed);
  if (name == "l2") {
    protocol.cold_l2 = value == "cold";
    return value == "cold" || value == "warm";
  }
  if (name == "samples") {
    const std::size_t dots = std::min(value.find(".."), value.size());
    return read(value.substr(0, dots), protocol.min_samples) &&
           read(value.substr(std::min(dots + 2, value.size())), protocol.max_samples);
  }
  if (name == "budget_ms")
    return read(value, protocol.sample_budget_ms) && std::isfinite(protocol.sample_budget_ms);
  if (name == "precision") return read(value, protocol.precision) && protocol.precision > 0;
  if (name == "lengths") {
    protocol.lengths = value;
    return !value.empty();
  }
  if (name == "inputs") return read(value, protocol.inputs) && protocol.inputs > 1;
  return false;
}

}  // namespace

std::string_view name_of(TrialStatus status) noexcept {
  for (const auto& [value, name] : status_names) {
    if (value == status) return name;
  }
  return "?";
}

TrialStatus parse_trial_status(std::string_view text) {
  std::string known;
  for (const auto& [value, name] : status_names) {
    if (name == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(ErrorCode::usage, fmt::format("'{}' is not the status of a trial; use one of {}", text, known));
}

std::string Protocol::text() const {
  std::string text = fmt::format("distribution={} seed={} l2={} samples={}..{} budget_ms={}", distribution,
                                 seed, cold_l2 ? "cold" : "warm", min_samples, max_samples, sample_budget_ms);
  if (precision != 0) text += fmt::format(" precision={}", precision);
  if (inputs != 1) text += fmt::format(" inputs={}", inputs);
  if (!lengths.empty()) text += fmt::format(" lengths={}", lengths);
  return text;
}

Protocol Protocol::parse(std::string_view text) {
  Protocol protocol;
  // Texts of an older bitune do not name these two: there was no precision, and one array of keys.
  protocol.precision = 0;
  protocol.inputs = 1;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    const std::string_view item = rest.substr(0, blank);
    rest.remove_prefix(std::min(blank + 1, rest.size()));
    const std::size_t equals = std::min(item.find('='), item.size());
    if (!read_field(item.substr(0, equals), item.substr(std::min(equals + 1, item.size())), protocol)) {
      throw Error(ErrorCode::usage, fmt::format("'{}' is not a protocol: '{}' is wrong; write it as '{}'",
                                                text, item, Protocol{}.text()));
    }
  }
  // Every other field must be there, once and in its place: one protocol has one text, as texts are the keys.
  if (protocol.text() != text) {
    throw Error(ErrorCode::usage,
                fmt::format("'{}' is not a complete protocol; write it as '{}'", text, Protocol{}.text()));
  }
  return protocol;
}

std::optional<double> Trial::median_us() const {
  if (samples_us.empty()) return std::nullopt;
  return median_of(samples_us);
}

}  // namespace bitune
