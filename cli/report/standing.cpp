#include "cli/report/standing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace bitune::cli {

std::vector<Standing> standings(const Evidence& evidence) {
  std::map<Configuration, Standing> best;
  for (const TrialOutcome& trial : evidence.trials) {
    if (trial.superseded || !trial.median_us) {
      continue;
    }
    const Standing standing{&trial.configuration, trial.id, *trial.median_us, trial.finalist};
    const auto [at, is_new] = best.emplace(trial.configuration, standing);
    if (!is_new && standing.rank() < at->second.rank()) {
      at->second = standing;
    }
  }
  std::vector<Standing> all;
  all.reserve(best.size());
  for (const auto& [configuration, standing] : best) {
    all.push_back(standing);
  }
  std::sort(all.begin(), all.end(), [](const Standing& a, const Standing& b) { return a.rank() < b.rank(); });
  return all;
}

std::vector<Standing> of_variant(std::span<const Standing> standings, const std::string& variant) {
  std::vector<Standing> found;
  std::copy_if(standings.begin(), standings.end(), std::back_inserter(found),
               [&variant](const Standing& one) { return one.configuration->variant == variant; });
  return found;
}

std::vector<std::string> variants_in(const Evidence& evidence) {
  std::set<std::string> names;
  for (const TrialOutcome& trial : evidence.trials) {
    names.insert(trial.configuration.variant);
  }
  return {names.begin(), names.end()};
}

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) {
    return value;
  }
  const double scale = std::pow(10.0, 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

}  // namespace bitune::cli
