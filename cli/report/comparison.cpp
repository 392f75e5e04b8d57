#include "cli/report/comparison.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "cli/report/standing.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace {

bool same_shape(const Problem& a, const Problem& b) {
  return static_cast<const Shape&>(a) == static_cast<const Shape&>(b);
}

// Single arrays are one curve over n, whichever lengths were tuned. (The suite "rows" may have one row, too.)
bool on_one_curve(const BenchRecord& record, const Problem& problem) {
  if (static_cast<const SortSpec&>(record.problem) != static_cast<const SortSpec&>(problem)) return false;
  if (record.suite == "start" || record.gpus != 1) return false;  // times of something else
  return problem.rows == 1 ? record.problem.rows == 1 && record.suite == "single"
                           : same_shape(record.problem, problem);
}

bool is_about(const BenchRecord& record, std::span<const TunedProblem> problems) {
  bool about = false;
  for (const TunedProblem& tuned : problems) {
    if (!on_one_curve(record, tuned.problem)) continue;
    const bool alike = record.distribution == tuned.distribution && !tuned.cold_l2;
    // The problem itself decides; a length that was not tuned must be like all that were.
    if (same_shape(record.problem, tuned.problem)) return alike;
    if (!alike) return false;
    about = true;
  }
  return about;
}

// Whether bitune sorted in the record as the best of the problem does. Older records don't tell the kernels.
bool is_of_best(const BenchRecord& record, std::span<const TunedProblem> problems) {
  return std::any_of(problems.begin(), problems.end(), [&record](const TunedProblem& tuned) {
    return record.problem == tuned.problem && record.configuration == tuned.configuration &&
           (record.kernel.empty() || record.kernel == tuned.kernel_digest);
  });
}

bool is_older(const BenchRecord& a, const BenchRecord& b) { return a.date < b.date; }

}  // namespace

std::vector<BenchRecord> records_about(std::span<const BenchRecord> records, const std::string& device_name,
                                       std::span<const TunedProblem> problems) {
  std::vector<BenchRecord> found;
  for (const BenchRecord& record : records) {
    if (record.verified && record.peer_us && record.bitune_us > 0 && record.device == device_name &&
        is_about(record, problems)) {
      found.push_back(record);
    }
  }
  if (found.empty()) return found;
  const BenchRecord newest = *std::max_element(found.begin(), found.end(), is_older);
  std::erase_if(found, [&newest](const BenchRecord& record) {
    return std::tie(record.peer, record.peer_version, record.driver) !=
           std::tie(newest.peer, newest.peer_version, newest.driver);
  });
  std::stable_sort(found.begin(), found.end(), [](const BenchRecord& a, const BenchRecord& b) {
    return std::tie(a.problem.n, a.problem.rows, b.date) < std::tie(b.problem.n, b.problem.rows, a.date);
  });
  const auto same_problem = [](const BenchRecord& a, const BenchRecord& b) { return a.problem == b.problem; };
  found.erase(std::unique(found.begin(), found.end(), same_problem), found.end());
  return found;
}

Json comparison_json(const std::vector<BenchRecord>& records, std::span<const TunedProblem> problems) {
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
                     {"keys", keys_in_all(record.problem)},
                     {"us", rounded(record.bitune_us)},
                     {"peer_us", rounded(*record.peer_us)},
                     {"of_best", is_of_best(record, problems)},
                     {"method", record.peer_method},
                     {"methods", std::move(methods)},
                     {"match", record.match},
                     {"configuration", record.configuration}});
  }
  const BenchRecord& newest = *std::max_element(records.begin(), records.end(), is_older);
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
