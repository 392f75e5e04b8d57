#include "cli/report/comparison.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "cli/report/standing.hpp"

namespace bitune::cli {
namespace {

bool is_about(const BenchRecord& record, const Problem& problem) {
  if (static_cast<const SortSpec&>(record.problem) != static_cast<const SortSpec&>(problem)) return false;
  // Single arrays are one curve over n, whichever lengths were tuned. (The suite "rows" may have one row,
  // too.)
  return problem.rows == 1 ? record.problem.rows == 1 && record.suite == "single"
                           : static_cast<const Shape&>(record.problem) == static_cast<const Shape&>(problem);
}

}  // namespace

std::vector<BenchRecord> records_about(std::span<const BenchRecord> records, const std::string& device_name,
                                       std::span<const Problem> problems) {
  std::vector<BenchRecord> found;
  for (const BenchRecord& record : records) {
    if (record.verified && record.peer_us && record.bitune_us > 0 && record.device == device_name &&
        std::any_of(problems.begin(), problems.end(),
                    [&record](const Problem& problem) { return is_about(record, problem); })) {
      found.push_back(record);
    }
  }
  std::sort(found.begin(), found.end(), [](const BenchRecord& a, const BenchRecord& b) {
    return std::tie(a.problem.n, a.problem.rows, a.date) < std::tie(b.problem.n, b.problem.rows, b.date);
  });
  return found;
}

Json comparison_json(const std::vector<BenchRecord>& records) {
  if (records.empty()) {
    return nullptr;
  }
  std::set<std::string> fastest;
  TimesOverN ours{"bitune", {}};
  TimesOverN theirs{records.front().peer, {}};
  Json lines = Json::array();
  for (const BenchRecord& record : records) {
    fastest.insert(record.peer_method);
    ours.points.push_back({record.problem.n, record.bitune_us, record.bitune_us, record.bitune_us});
    theirs.points.push_back({record.problem.n, *record.peer_us, *record.peer_us, *record.peer_us});
    Json methods = Json::object();
    for (const auto& [method, us] : record.methods_us) {
      methods[method] = rounded(us);
    }
    lines.push_back({{"n", record.problem.n},
                     {"rows", record.problem.rows},
                     {"us", rounded(record.bitune_us)},
                     {"peer_us", rounded(*record.peer_us)},
                     {"method", record.peer_method},
                     {"methods", std::move(methods)},
                     {"match", record.match},
                     {"configuration", record.configuration}});
  }
  const BenchRecord& newest = *std::max_element(records.begin(), records.end(),
                                                [](const auto& a, const auto& b) { return a.date < b.date; });
  const TimesOverN both[] = {std::move(ours), std::move(theirs)};
  return {{"peer", newest.peer},
          {"version", newest.peer_version},
          {"driver", newest.driver},
          {"date", newest.date},
          {"methods", fastest},
          {"records", std::move(lines)},
          {"crossovers", crossovers_json(crossovers(both))}};
}

Json crossovers_json(const std::vector<Crossover>& crossovers) {
  Json json = Json::array();
  for (const Crossover& crossover : crossovers) {
    json.push_back({{"n", rounded(crossover.n)},
                    {"from", crossover.from},
                    {"to", crossover.to},
                    {"interpolated", crossover.interpolated}});
  }
  return json;
}

}  // namespace bitune::cli
