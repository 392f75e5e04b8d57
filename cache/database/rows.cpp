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

const std::string_view select_trial_rows = R"sql(
SELECT t.id, d.digest, d.name, w.uuid, w.driver, w.compiler, q.text,
  p.operation, p.key_type, p.value_type, p.key_order, p.n, p.rows,
  c.text, k.digest, t.status, t.message, t.samples, t.compile_ms, t.verify_ms, t.measure_ms,
  t.registers, t.local_bytes, t.shared_bytes, t.launches, t.finalist, t.timestamp, e.origin,
  t.median_us, t.mad_us, t.low_us, t.high_us, t.clock_low_mhz, t.clock_high_mhz, t.throttled, t.remeasured
FROM trials t
JOIN series s ON s.id = t.series_id
JOIN devices d ON d.id = s.device_id
JOIN problems p ON p.id = s.problem_id
JOIN protocols q ON q.id = s.protocol_id
JOIN kernels k ON k.id = s.kernel_id
JOIN configurations c ON c.id = t.configuration_id
JOIN sessions e ON e.id = t.session_id
JOIN software w ON w.id = e.software_id
)sql";

TrialRow read_trial_row(const SQLite::Statement& row) {
  TrialRow result;
  result.id = row.getColumn(0).getInt64();
  try {
    result.device_digest = row.getColumn(1).getString();
    result.device_name = row.getColumn(2).getString();
    result.software = {row.getColumn(3).getString(), row.getColumn(4).getString(),
                       row.getColumn(5).getString()};
    result.protocol = Protocol::parse(row.getColumn(6).getString());
    Trial& trial = result.trial;
    trial.problem = read_problem(row, 7);
    trial.configuration = Configuration::parse(row.getColumn(13).getString());
    trial.kernel_digest = row.getColumn(14).getString();
    trial.status = parse_trial_status(row.getColumn(15).getString());
    trial.message = row.getColumn(16).getString();
    trial.samples_us = parse_samples(row.getColumn(17).getString());
    trial.compile_ms = row.getColumn(18).getDouble();
    trial.verify_ms = row.getColumn(19).getDouble();
    trial.measure_ms = row.getColumn(20).getDouble();
    trial.registers = row.getColumn(21).getInt();
    trial.local_bytes = row.getColumn(22).getInt();
    trial.shared_bytes = row.getColumn(23).getInt64();
    trial.launches = row.getColumn(24).getInt();
    trial.finalist = row.getColumn(25).getInt() != 0;
    trial.timestamp = row.getColumn(26).getString();
    result.origin = row.getColumn(27).getString();
    if (!row.getColumn(28).isNull()) {
      result.statistics = {row.getColumn(28).getDouble(), row.getColumn(29).getDouble(),
                           row.getColumn(30).getDouble(), row.getColumn(31).getDouble()};
    }
    trial.clock = {row.getColumn(32).getInt(), row.getColumn(33).getInt(),
                   parse_throttle(row.getColumn(34).getString())};
    trial.remeasured = row.getColumn(35).getInt();
  } catch (const Error& error) {
    throw Unreadable("trial", result.id, error.what());
  }
  return result;
}

const std::string_view device_columns =
    "digest, kind, name, compute_major, compute_minor, sm_count, warp_size, max_threads_per_block, "
    "max_threads_per_sm, max_blocks_per_sm, registers_per_block, registers_per_sm, shared_bytes_per_block, "
    "shared_bytes_per_block_optin, shared_bytes_per_sm, l2_bytes, memory_bytes, cooperative_launch, "
    "max_cluster_size";

void bind_device(SQLite::Statement& statement, int first, const DeviceInfo& device) {
  statement.bind(first, device.digest());
  statement.bind(first + 1, device.kind);
  statement.bind(first + 2, device.name);
  const std::int64_t facts[] = {device.compute_major,
                                device.compute_minor,
                                device.sm_count,
                                device.warp_size,
                                device.max_threads_per_block,
                                device.max_threads_per_sm,
                                device.max_blocks_per_sm,
                                device.registers_per_block,
                                device.registers_per_sm,
                                device.shared_bytes_per_block,
                                device.shared_bytes_per_block_optin,
                                device.shared_bytes_per_sm,
                                device.l2_bytes,
                                device.memory_bytes,
                                device.cooperative_launch ? 1 : 0,
                                device.max_cluster_size};
  int parameter = first + 3;
  for (const std::int64_t fact : facts) statement.bind(parameter++, fact);
}

DeviceInfo read_device(const SQLite::Statement& row, int first) {
  int column = first + 1;  // the digest is computed, not read
  DeviceInfo device;
  device.kind = row.getColumn(column++).getString();
  device.name = row.getColumn(column++).getString();
  for (int* fact : {&device.compute_major, &device.compute_minor, &device.sm_count, &device.warp_size,
                    &device.max_threads_per_block, &device.max_threads_per_sm, &device.max_blocks_per_sm,
                    &device.registers_per_block, &device.registers_per_sm}) {
    *fact = row.getColumn(column++).getInt();
  }
  for (std::int64_t* fact : {&device.shared_bytes_per_block, &device.shared_bytes_per_block_optin,
                             &device.shared_bytes_per_sm, &device.l2_bytes, &device.memory_bytes}) {
    *fact = row.getColumn(column++).getInt64();
  }
  device.cooperative_launch = row.getColumn(column++).getInt() != 0;
  device.max_cluster_size = row.getColumn(column).getInt();
  return device;
}

void bind_problem(SQLite::Statement& statement, int first, const Problem& problem) {
  statement.bind(first, std::string(name_of(problem.operation)));
  statement.bind(first + 1, std::string(name_of(problem.key)));
  statement.bind(first + 2, std::string(name_of(problem.value)));
  statement.bind(first + 3, std::string(name_of(problem.order)));
  statement.bind(first + 4, stored_size(problem.n));
  statement.bind(first + 5, stored_size(problem.rows));
}

Problem read_problem(const SQLite::Statement& row, int first) {
  Problem problem;
  problem.operation = parse_operation(row.getColumn(first).getString());
  problem.key = parse_key_type(row.getColumn(first + 1).getString());
  problem.value = parse_value_type(row.getColumn(first + 2).getString());
  problem.order = parse_order(row.getColumn(first + 3).getString());
  problem.n = static_cast<std::uint64_t>(row.getColumn(first + 4).getInt64());
  problem.rows = static_cast<std::uint64_t>(row.getColumn(first + 5).getInt64());
  return problem;
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
