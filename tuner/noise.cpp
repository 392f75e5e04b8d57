#include "tuner/noise.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "model/problem.hpp"

namespace bitune {
namespace {

/// A group under way.
struct Gathered {
  NoiseGroup group;
  std::vector<double> samples;
  std::vector<double> mads;
  std::vector<double> half_widths;
  struct Repeats {
    std::int64_t first_id = 0;
    std::int64_t last_id = 0;
    double first_us = 0;
    double last_us = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Repeats> by_configuration;  // (session, configuration)
};

void add(Gathered& gathered, const MeasuredTrial& trial, double precision) {
  const SampleStatistics& statistics = trial.statistics;
  if (statistics.median <= 0) return;  // nothing is relative to it
  const double half_width = (statistics.high - statistics.low) / 2 / statistics.median;
  NoiseGroup& group = gathered.group;
  ++group.trials;
  gathered.samples.push_back(static_cast<double>(trial.samples));
  gathered.mads.push_back(statistics.mad / statistics.median);
  gathered.half_widths.push_back(half_width);
  if (half_width <= precision) ++group.precise;
  if (trial.remeasured > 0) ++group.remeasured;
  group.clock.add(trial.clock);

  const auto [entry, is_first] = gathered.by_configuration.try_emplace(
      {trial.session, trial.configuration},
      Gathered::Repeats{trial.id, trial.id, statistics.median, statistics.median});
  Gathered::Repeats& repeats = entry->second;
  if (trial.id < repeats.first_id)
    std::tie(repeats.first_id, repeats.first_us) = std::pair(trial.id, statistics.median);
  if (trial.id > repeats.last_id)
    std::tie(repeats.last_id, repeats.last_us) = std::pair(trial.id, statistics.median);
}

NoiseGroup finished(Gathered gathered) {
  NoiseGroup group = std::move(gathered.group);
  group.samples = median_of(std::move(gathered.samples));
  group.relative_mad = median_of(std::move(gathered.mads));
  group.half_width = median_of(gathered.half_widths);
  group.half_width_90 = quantile_of(std::move(gathered.half_widths), 0.9);
  std::vector<double> drifts;
  for (const auto& [key, repeats] : gathered.by_configuration) {
    if (repeats.first_id != repeats.last_id) drifts.push_back(repeats.last_us / repeats.first_us - 1);
  }
  group.repeats = drifts.size();
  if (!drifts.empty()) group.drift = median_of(std::move(drifts));
  return group;
}

}  // namespace

std::vector<NoiseGroup> noise_of(std::span<const MeasuredTrial> trials, double precision) {
  std::vector<Gathered> all;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (const MeasuredTrial& trial : trials) {
    const auto [place, is_new] =
        places.try_emplace({trial.device_digest, text_of(trial.problem), trial.variant}, all.size());
    if (is_new) {
      all.emplace_back();
      NoiseGroup& group = all.back().group;
      group.device_digest = trial.device_digest;
      group.device_name = trial.device_name;
      group.problem = trial.problem;
      group.variant = trial.variant;
    }
    add(all[place->second], trial, precision);
  }
  std::vector<NoiseGroup> groups;
  groups.reserve(all.size());
  for (Gathered& gathered : all) {
    if (gathered.group.trials > 0) groups.push_back(finished(std::move(gathered)));
  }
  return groups;
}

}  // namespace bitune
