#include "cli/report/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/statistics.hpp"

namespace bitune::cli {
namespace {

std::string kind_text(const Problem& problem) {
  std::string text = fmt::format("{}, {}", name_of(problem.key), name_of(problem.order));
  if (problem.operation != SortSpec{}.operation) text += fmt::format(", {}", name_of(problem.operation));
  if (problem.value_bytes != 0) text += fmt::format(" with values of {} bytes", problem.value_bytes);
  if (problem.index_bytes != 0) text += fmt::format(" with indices of {} bytes", problem.index_bytes);
  if (problem.stable) text += ", stable";
  if (problem.k != 0) text += fmt::format(", the first {}", problem.k);
  return text;
}

// The power of two that is nearest to the keys in all.
int total_log2(const Problem& problem) {
  const double total = keys_in_all(problem);
  return total < 1 ? 0 : static_cast<int>(std::lround(std::log2(total)));
}

const TimeAtN* time_at(const TimesOverN& contender, std::uint64_t n) {
  const auto at =
      std::lower_bound(contender.points.begin(), contender.points.end(), n,
                       [](const TimeAtN& point, std::uint64_t wanted) { return point.n < wanted; });
  return at == contender.points.end() || at->n != n ? nullptr : &*at;
}

// The fastest contender at n, the earlier one of equals.
const TimesOverN* fastest_at(std::span<const TimesOverN> contenders, std::uint64_t n) {
  const TimesOverN* fastest = nullptr;
  for (const TimesOverN& contender : contenders) {
    const TimeAtN* time = time_at(contender, n);
    if (time != nullptr && (fastest == nullptr || time->us < time_at(*fastest, n)->us)) {
      fastest = &contender;
    }
  }
  return fastest;
}

MedianInterval interval_of(const TimeAtN& time) { return {time.us, time.low_us, time.high_us}; }

// Whether the leader was measured at n and ties there with the fastest.
bool still_leads(const TimesOverN& leader, const TimesOverN& fastest, std::uint64_t n) {
  const TimeAtN* time = time_at(leader, n);
  return time != nullptr && is_tie(interval_of(*time), interval_of(*time_at(fastest, n)));
}

Crossover between(const TimesOverN& from, const TimesOverN& to, std::uint64_t low, std::uint64_t high) {
  const double log_low = std::log2(static_cast<double>(std::max<std::uint64_t>(low, 1)));
  const double log_high = std::log2(static_cast<double>(high));
  Crossover crossover{std::exp2((log_low + log_high) / 2), from.name, to.name, false};
  const TimeAtN* times[] = {time_at(from, low), time_at(to, low), time_at(from, high), time_at(to, high)};
  if (std::all_of(std::begin(times), std::end(times),
                  [](const TimeAtN* time) { return time != nullptr && time->us > 0; })) {
    // Where it ties, the leader may be the slower one already.
    const double ahead = std::max(0.0, std::log(times[1]->us / times[0]->us));
    const double behind = std::log(times[2]->us / times[3]->us);
    if (ahead + behind > 0) {
      crossover.n = std::exp2(log_low + (log_high - log_low) * ahead / (ahead + behind));
      crossover.interpolated = true;
    }
  }
  return crossover;
}

}  // namespace

std::vector<ProblemGroup> grouped(std::span<const Problem> problems) {
  std::map<std::pair<SortSpec, int>, std::set<std::uint64_t>> lengths;  // of rows with so many keys in all
  for (const Problem& problem : problems) {
    if (problem.rows != 1) {
      lengths[{static_cast<const SortSpec&>(problem), total_log2(problem)}].insert(problem.n);
    }
  }

  std::vector<ProblemGroup> groups;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Problem& problem = problems[i];
    std::string title = kind_text(problem);
    if (problem.ragged) {
      title += ", segments";
    } else if (problem.rows == 1) {
      title += ", single arrays";
    } else if (lengths[{static_cast<const SortSpec&>(problem), total_log2(problem)}].size() > 1) {
      title += fmt::format(", rows, 2^{} keys in all", total_log2(problem));
    } else {
      title += fmt::format(", {} rows", size_text(problem.rows));
    }
    const auto [at, is_new] = places.emplace(title, groups.size());
    if (is_new) {
      groups.push_back({std::move(title), {}});
    }
    groups[at->second].members.push_back(i);
  }
  std::stable_partition(groups.begin(), groups.end(), [&problems](const ProblemGroup& group) {
    return problems[group.members.front()].rows == 1;
  });
  for (ProblemGroup& group : groups) {
    std::sort(group.members.begin(), group.members.end(), [&problems](std::size_t a, std::size_t b) {
      return std::tuple(problems[a].n, problems[a].rows, a) < std::tuple(problems[b].n, problems[b].rows, b);
    });
  }
  return groups;
}

std::vector<Crossover> crossovers(std::span<const TimesOverN> contenders) {
  std::set<std::uint64_t> lengths;
  for (const TimesOverN& contender : contenders) {
    for (const TimeAtN& point : contender.points) {
      lengths.insert(point.n);
    }
  }
  std::vector<Crossover> found;
  const TimesOverN* leader = nullptr;
  std::uint64_t previous = 0;
  for (const std::uint64_t n : lengths) {
    const TimesOverN* fastest = fastest_at(contenders, n);
    if (leader == nullptr) {
      leader = fastest;
    } else if (fastest != leader && !still_leads(*leader, *fastest, n)) {
      found.push_back(between(*leader, *fastest, previous, n));
      leader = fastest;
    }
    previous = n;
  }
  return found;
}

}  // namespace bitune::cli
