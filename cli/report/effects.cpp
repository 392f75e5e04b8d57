#include "cli/report/effects.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace bitune::cli {
namespace {

using Values = std::map<std::string, std::set<std::int64_t>>;

bool has_all(const Configuration& configuration, const Values& values) {
  return std::all_of(values.begin(), values.end(), [&configuration](const auto& parameter) {
    return configuration.parameters.find(parameter.first) != configuration.parameters.end();
  });
}

std::vector<std::size_t> places(const Configuration& configuration,
                                const std::vector<TriedParameter>& varied) {
  std::vector<std::size_t> found;
  found.reserve(varied.size());
  for (const TriedParameter& parameter : varied) {
    const auto at =
        std::lower_bound(parameter.values.begin(), parameter.values.end(), configuration.at(parameter.name));
    found.push_back(static_cast<std::size_t>(at - parameter.values.begin()));
  }
  return found;
}

// Marks the fastest of each cell of two parameters; of one with itself: the fastest under each value.
void mark_fastest(const std::vector<Winner>& all, const std::vector<TriedParameter>& varied,
                  std::size_t first, std::size_t second, std::vector<bool>& marks) {
  constexpr auto nobody = std::numeric_limits<std::size_t>::max();
  const std::size_t columns = varied[second].values.size();
  std::vector<std::size_t> fastest(varied[first].values.size() * columns, nobody);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t& cell = fastest[all[i].values[first] * columns + all[i].values[second]];
    if (cell == nobody) {
      cell = i;
      marks[i] = true;
    }
  }
}

}  // namespace

Effects effects_of(std::span<const Standing> standings) {
  Values values;
  for (const Standing& standing : standings) {
    for (const auto& [name, value] : standing.configuration->parameters) {
      values[name].insert(value);
    }
  }
  Effects effects;
  for (const auto& [name, tried] : values) {
    (tried.size() > 1 ? effects.varied : effects.fixed).push_back({name, {tried.begin(), tried.end()}});
  }

  std::vector<Winner> all;
  all.reserve(standings.size());
  for (const Standing& standing : standings) {
    if (has_all(*standing.configuration, values)) {
      all.push_back({standing.trial, standing.us, places(*standing.configuration, effects.varied)});
    }
  }
  std::sort(all.begin(), all.end(), [](const Winner& a, const Winner& b) {
    return a.us < b.us || (a.us == b.us && a.trial < b.trial);
  });
  std::vector<bool> marks(all.size(), false);
  for (std::size_t first = 0; first < effects.varied.size(); ++first) {
    for (std::size_t second = first; second < effects.varied.size(); ++second) {
      mark_fastest(all, effects.varied, first, second, marks);
    }
  }
  for (std::size_t i = 0; i < all.size() && effects.winners.size() < most_winners; ++i) {
    if (marks[i]) {
      effects.winners.push_back(std::move(all[i]));
    }
  }
  return effects;
}

}  // namespace bitune::cli
