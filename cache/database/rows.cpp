#include "cache/database/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "bitune/error.hpp"
#include "model/key_type.hpp"

namespace bitune::database {

Unreadable::Unreadable(std::string_view what, std::int64_t row, std::string_view why)
    : std::runtime_error(fmt::format("{} {} cannot be read: {}", what, row, why)) {}

std::string problem_columns() { return column_list<Problem>("p."); }
std::string device_columns() { return column_list<DeviceInfo>("d."); }

const std::string& select_trial_rows() {
  static const std::string sql = fmt::format(R"sql(
SELECT t.id, d.digest, d.name, w.uuid, w.driver, w.compiler, q.text, {}, c.text, k.digest, {}, t.samples, e.origin,
  t.median_us, t.mad_us, t.low_us, t.high_us, t.clock_low_mhz, t.clock_high_mhz, t.throttled
FROM trials t
JOIN series s ON s.id = t.series_id
JOIN devices d ON d.id = s.device_id
JOIN problems p ON p.id = s.problem_id
JOIN protocols q ON q.id = s.protocol_id
JOIN kernels k ON k.id = s.kernel_id
JOIN configurations c ON c.id = t.configuration_id
JOIN sessions e ON e.id = t.session_id
JOIN software w ON w.id = e.software_id
)sql",
                                             problem_columns(), column_list<Trial>("t."));
  return sql;
}

TrialRow read_trial_row(const SQLite::Statement& row) {
  TrialRow result;
  int column = 0;
  const auto next = [&row, &column] { return row.getColumn(column++); };
  result.id = next().getInt64();
  try {
    result.device_digest = next().getString();
    result.device_name = next().getString();
    result.software.uuid = next().getString();
    result.software.driver = next().getString();
    result.software.compiler = next().getString();
    result.protocol = Protocol::parse(next().getString());
    Trial& trial = result.trial;
    trial.problem = read_problem(row, column);
    trial.configuration = Configuration::parse(next().getString());
    trial.kernel_digest = next().getString();
    read_fields(row, column, trial);
    trial.samples_us = parse_samples(next().getString());
    result.origin = next().getString();
    const bool has_statistics = !row.getColumn(column).isNull();
    SampleStatistics statistics;
    for (double* value : {&statistics.median, &statistics.mad, &statistics.low, &statistics.high}) {
      *value = next().getDouble();
    }
    if (has_statistics) result.statistics = statistics;
    trial.clock.lowest_mhz = next().getInt();
    trial.clock.highest_mhz = next().getInt();
    trial.clock.throttled = parse_throttle(next().getString());
  } catch (const Error& error) {
    throw Unreadable("trial", result.id, error.what());
  }
  return result;
}

Problem read_problem(const SQLite::Statement& row, int& first) {
  Problem problem;
  read_fields(row, first, problem);
  return problem;
}

DeviceInfo read_device(const SQLite::Statement& row, int& first) {
  DeviceInfo device;
  read_fields(row, first, device);
  return device;
}

std::int64_t stored_size(std::uint64_t size) {
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw Error(ErrorCode::usage, fmt::format("size {} is not below 2^63; give a smaller one", size));
  }
  return static_cast<std::int64_t>(size);
}

std::string samples_text(const std::vector<double>& samples) {
  std::string text = "[";
  for (const double sample : samples) text += fmt::format("{}{}", text.size() > 1 ? "," : "", sample);
  return text + "]";
}

std::vector<double> parse_samples(std::string_view text) {
  const auto refuse = [&text] {
    throw Error(ErrorCode::database, fmt::format("'{}' is not a JSON array of samples", text.substr(0, 80)));
  };
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') refuse();
  std::vector<double> samples;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at != end) {
    double sample = 0;
    const auto [next, error] = std::from_chars(at, end, sample);
    if (error != std::errc{} || (next != end && (*next != ',' || next + 1 == end))) refuse();
    samples.push_back(sample);
    at = next == end ? end : next + 1;
  }
  return samples;
}

bool is_timestamp(std::string_view text) noexcept {
  constexpr std::string_view shape = "0000-00-00 00:00:00.000";
  return std::equal(text.begin(), text.end(), shape.begin(), shape.end(),
                    [](char c, char s) { return s == '0' ? c >= '0' && c <= '9' : c == s; });
}

}  // namespace bitune::database
