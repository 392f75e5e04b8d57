#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "cache/database/queries.hpp"
#include "cache/database/rows.hpp"
#include "cache/database/schema.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem_class.hpp"
#include "model/standing.hpp"

namespace bitune::database {
namespace {

struct Device {
  std::string digest;
  DeviceInfo info;
};

std::map<std::int64_t, Device> devices_by_id(const SQLite::Database& db) {
  std::map<std::int64_t, Device> devices;
  SQLite::Statement rows(db, fmt::format("SELECT d.id, d.digest, {} FROM devices d", device_columns()));
  while (rows.executeStep()) {
    int column = 2;
    devices[rows.getColumn(0).getInt64()] = {rows.getColumn(1).getString(), read_device(rows, column)};
  }
  return devices;
}

/// The best trial of a series.
struct Leader {
  std::int64_t device_id = 0;
  std::int64_t problem_id = 0;
  std::int64_t protocol_id = 0;
  std::string variant;
  std::int64_t trial_id = 0;
  bool finalist = false;
  double median_us = 0;
  std::string timestamp;
  std::string configuration;
  std::string kernel_digest;
  Problem problem;
};

std::vector<Leader> leaders_for(const SQLite::Database& db, const Problem& problem) {
  SQLite::Statement row(db, candidates_sql());
  const ServingGroup group = group_of(problem);
  int place = 1;
  // Each place of the list has a name: what is of other kin leaves its place to the kin itself.
  for (const OperationFacts& facts : operation_facts) {
    row.bind(place++, std::string(facts.kin == group.kin ? facts.name : name_of(group.kin)));
  }
  row.bind(place++, static_cast<std::int64_t>(group.key_bytes));
  row.bind(place++, group.carries ? 1 : 0);
  row.bind(place++, group.shape == ShapeKind::array ? 1 : 0);
  row.bind(place++, group.shape == ShapeKind::segments ? 1 : 0);
  std::vector<Leader> leaders;
  while (row.executeStep()) {
    Leader leader{.device_id = row.getColumn(0).getInt64(),
                  .problem_id = row.getColumn(1).getInt64(),
                  .protocol_id = row.getColumn(2).getInt64(),
                  .variant = row.getColumn(3).getString(),
                  .trial_id = row.getColumn(4).getInt64(),
                  .finalist = row.getColumn(5).getInt() != 0,
                  .median_us = row.getColumn(6).getDouble(),
                  .timestamp = row.getColumn(7).getString(),
                  .configuration = row.getColumn(8).getString(),
                  .kernel_digest = row.getColumn(9).getString(),
                  .problem = {}};
    try {
      int column = 10;
      leader.problem = read_problem(row, column);
    } catch (const Error& error) {
      throw Unreadable("trial", leader.trial_id, error.what());
    }
    leaders.push_back(std::move(leader));
  }
  return leaders;
}

/// Of each device, problem and variant the leader that counts: what best_of_variants_select says in SQL.
/// Windows over a few hundred rows take SQLite longer than all the rest of the query, and every process that
/// sorts waits for it.
void keep_best_of_variants(std::vector<Leader>& leaders) {
  const auto group = [](const Leader& leader) { return std::tie(leader.device_id, leader.problem_id); };
  const auto rank = [](const Leader& leader) {
    return SeriesRank{leader.finalist, leader.timestamp, leader.trial_id};
  };
  std::sort(leaders.begin(), leaders.end(), [&](const Leader& a, const Leader& b) {
    return group(a) != group(b) ? group(a) < group(b) : rank(a) < rank(b);
  });
  std::vector<Leader> kept;
  std::size_t first = 0;  // of what is kept of this device and problem
  for (Leader& leader : leaders) {
    if (kept.empty() || group(kept.back()) != group(leader)) first = kept.size();
    const auto begin = kept.begin() + static_cast<std::ptrdiff_t>(first);
    const bool other_protocol = begin != kept.end() && begin->protocol_id != leader.protocol_id;
    const bool not_the_first = std::any_of(
        begin, kept.end(), [&](const Leader& better) { return better.variant == leader.variant; });
    if (!other_protocol && !not_the_first) kept.push_back(std::move(leader));
  }
  leaders = std::move(kept);
}

}  // namespace

std::string candidates_sql() {
  std::string operations = "?";
  for (std::size_t i = 1; i < operation_facts.size(); ++i) operations += ", ?";
  return leaders_select(
      fmt::format("p.operation IN ({}) AND p.key_width = ? AND (p.value_bytes + p.index_bytes > 0) = ? "
                  "AND (p.rows = 1 AND NOT p.ragged) = ? AND p.ragged = ?",
                  operations),
      fmt::format(", c.text, k.digest, {}", problem_columns()),
      " CROSS JOIN configurations c ON c.id = l.configuration_id CROSS JOIN kernels k ON k.id = s.kernel_id");
}

std::vector<Candidate> candidates(const SQLite::Database& db, const Problem& problem) {
  std::vector<Leader> leaders = leaders_for(db, problem);
  keep_best_of_variants(leaders);
  std::sort(leaders.begin(), leaders.end(), [](const Leader& a, const Leader& b) {
    return std::tie(a.device_id, a.problem.n, a.trial_id) < std::tie(b.device_id, b.problem.n, b.trial_id);
  });

  const std::map<std::int64_t, Device> devices = devices_by_id(db);
  std::vector<Candidate> found;
  found.reserve(leaders.size());
  for (Leader& leader : leaders) {
    const auto device = devices.find(leader.device_id);
    if (device == devices.end()) continue;  // damaged: `check` tells
    Candidate candidate{.trial_id = leader.trial_id,
                        .device = device->second.info,
                        .device_digest = device->second.digest,
                        .problem = leader.problem,
                        .configuration = {},
                        .kernel_digest = std::move(leader.kernel_digest),
                        .median_us = leader.median_us,
                        .finalist = leader.finalist};
    try {
      candidate.configuration = Configuration::parse(leader.configuration);
    } catch (const Error& error) {
      throw Unreadable("trial", candidate.trial_id, error.what());
    }
    found.push_back(std::move(candidate));
  }
  return found;
}

}  // namespace bitune::database
