#include "tuner/exchange/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/standing.hpp"
#include "runtime/variant.hpp"
#include "tuner/exchange/recordings.hpp"

namespace bitune::exchange {
namespace {

std::vector<std::string> names_of(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const auto& [name, value] : configuration.parameters) names.push_back(name);
  return names;
}

// The names in the order of today's search space; those that it does not know last.
void sort_as_searched(std::vector<std::string>& names, const std::string& variant_name,
                      const Problem& problem, const DeviceInfo& device) {
  const auto known = std::find_if(variants().begin(), variants().end(),
                                  [&](const Variant* family) { return family->name() == variant_name; });
  if (known == variants().end()) return;
  const SearchSpace space = (*known)->space(problem, device);
  const auto place = [&space](const std::string& name) {
    const auto named = [&name](const Parameter& parameter) { return parameter.name == name; };
    return std::find_if(space.parameters.begin(), space.parameters.end(), named);
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
}

// All that must be equal for trials to be compared, and whether they come from a file.
using Key = std::tuple<std::string, std::string, std::string, bool, std::vector<std::string>>;

using Rows = std::vector<TrialRow>;  // newest first, never empty

TrialRank rank_of(const TrialRow& row) {
  return {row.trial.finalist, row.trial.median_us().value_or(0), row.id};
}

// The best trial of a series; null if none stands that has a time.
const TrialRow* best_of(const Rows& rows) {
  const TrialRow* best = nullptr;
  std::multimap<std::string, const TrialRow*> newer;  // by configuration
  for (const TrialRow& row : rows) {
    const auto [begin, end] = newer.equal_range(row.trial.configuration.text());
    const bool stands = std::none_of(begin, end, [&row](const auto& entry) {
      const Trial& later = entry.second->trial;
      return supersedes(is_timed(later), later.finalist, row.trial.finalist);
    });
    if (stands && is_timed(row.trial) && (best == nullptr || rank_of(row) < rank_of(*best))) best = &row;
    newer.emplace(row.trial.configuration.text(), &row);
  }
  return best;
}

// Measured before imported, with a time before without; then as series are ranked.
bool counts_before(const std::pair<const Key, Rows>& a, const std::pair<const Key, Rows>& b) {
  const auto rank = [](const std::pair<const Key, Rows>& series) {
    const TrialRow* const best = best_of(series.second);
    const TrialRow& row = best != nullptr ? *best : series.second.front();
    return std::tuple(std::get<3>(series.first), best == nullptr,
                      SeriesRank{row.trial.finalist, row.trial.timestamp, row.id});
  };
  return rank(a) < rank(b);
}

Series series_from(const Key& key, Rows rows, const DeviceInfo& device) {
  const TrialRow& newest = rows.front();
  Series series;
  series.device = device;
  series.software = newest.software;
  series.protocol = newest.protocol;
  series.origin = newest.origin;
  series.problem = newest.trial.problem;
  std::tie(series.variant, std::ignore, series.kernel_digest, std::ignore, series.parameters) = key;
  sort_as_searched(series.parameters, series.variant, series.problem, device);

  // Of each configuration the best trial that stands, in the place of its first one.
  std::reverse(rows.begin(), rows.end());
  std::map<std::string, std::size_t> places;
  for (TrialRow& row : rows) {
    const auto [place, is_new] = places.try_emplace(row.trial.configuration.text(), series.trials.size());
    if (is_new) {
      series.trials.push_back(std::move(row.trial));
      continue;
    }
    Trial& chosen = series.trials[place->second];
    const bool is_superseded = supersedes(is_timed(row.trial), row.trial.finalist, chosen.finalist);
    if (is_superseded || !is_timed(chosen) || row.trial.finalist) chosen = std::move(row.trial);
  }
  return series;
}

}  // namespace

std::string Series::kernel_name() const { return kernel_name_of(problem, variant); }

std::string Series::size_text() const {
  return problem.rows == 1 ? std::to_string(problem.n) : fmt::format("{}x{}", problem.n, problem.rows);
}

std::size_t Series::best() const {
  std::size_t best = trials.size();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!is_timed(trials[i])) continue;
    const auto rank = [this](std::size_t at) {
      return TrialRank{trials[at].finalist, *trials[at].median_us(), static_cast<std::int64_t>(at)};
    };
    if (best == trials.size() || rank(i) < rank(best)) best = i;
  }
  return best;
}

bool is_timed(const Trial& trial) {
  return (trial.status == TrialStatus::ok || trial.status == TrialStatus::unverified) &&
         !trial.samples_us.empty();
}

std::vector<Series> series_of(const TuningDatabase& database, const TrialFilter& filter) {
  std::map<std::string, DeviceInfo> devices;
  for (DeviceRow& row : database.devices()) devices[row.info.digest()] = row.info;

  std::vector<Series> all;
  TrialFilter of_problem = filter;
  of_problem.device_name_contains.reset();
  of_problem.limit = 0;
  for (const ProblemSummary& summary : database.summaries(filter)) {
    of_problem.device_digest = summary.device_digest;
    static_cast<ProblemFilter&>(of_problem) = ProblemFilter::of(summary.problem);
    std::map<std::string, std::map<Key, Rows>> by_variant;
    for (TrialRow& row : database.trials(of_problem)) {
      if (row.trial.problem != summary.problem) continue;
      const std::string& variant = row.trial.configuration.variant;
      const Key key{variant, row.protocol.text(), row.trial.kernel_digest, !row.origin.empty(),
                    names_of(row.trial.configuration)};
      by_variant[variant][key].push_back(std::move(row));
    }
    for (auto& [variant, candidates] : by_variant) {
      for (auto& [key, rows] : candidates) std::sort(rows.begin(), rows.end(), is_newer);
      const auto chosen = std::min_element(candidates.begin(), candidates.end(), counts_before);
      all.push_back(series_from(chosen->first, std::move(chosen->second), devices[summary.device_digest]));
    }
  }
  return all;
}

}  // namespace bitune::exchange
