#include "tests/unit/tuner/recorded_session.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "model/timestamp.hpp"
#include "runtime/selection_ladder.hpp"

namespace bitune::testing_support {
namespace {

constexpr std::array<const char*, 3> recorded_variants = {"global", "shared", "warp"};

bool is_sound(const Trial& trial) { return trial.median_us().has_value(); }

}  // namespace

Recorded::Recorded(std::vector<RecordedSpace> spaces) : spaces_(std::move(spaces)), trials_(spaces_.size()) {
  for (std::size_t i = 0; i < spaces_.size(); ++i) {
    for (const Trial& trial : spaces_[i].trials) trials_[i].emplace(trial.configuration, &trial);
  }
}

const RecordedSpace* Recorded::space(const Problem& problem) const {
  const auto found = std::find_if(spaces_.begin(), spaces_.end(), [&problem](const RecordedSpace& space) {
    return space.problem == problem;
  });
  return found == spaces_.end() ? nullptr : &*found;
}

const Trial* Recorded::trial(const Problem& problem, const Configuration& configuration) const {
  const RecordedSpace* const of_problem = space(problem);
  if (of_problem == nullptr) return nullptr;
  const auto& trials = trials_[static_cast<std::size_t>(of_problem - spaces_.data())];
  const auto found = trials.find(configuration);
  return found == trials.end() ? nullptr : found->second;
}

double Recorded::time_us(const Problem& problem, const Configuration& configuration) const {
  return *trial(problem, configuration)->median_us();
}

const Trial* Recorded::best(const Problem& problem, std::string_view variant) const {
  const Trial* best = nullptr;
  for (const Trial& trial : space(problem)->trials) {
    if (trial.configuration.variant != variant || !is_sound(trial)) continue;
    if (best == nullptr || trial.median_us() < best->median_us()) best = &trial;
  }
  return best;
}

RecordedVariant::RecordedVariant(std::string name, const Recorded& recorded)
    : name_(std::move(name)), recorded_(recorded) {
  std::map<std::string, std::set<std::int64_t>> values;
  for (const RecordedSpace& space : recorded.spaces()) {
    for (const Configuration& configuration : space.domain.configurations) {
      if (configuration.variant != name_) continue;
      for (const auto& [parameter, value] : configuration.parameters) values[parameter].insert(value);
    }
  }
  for (const auto& [parameter, all] : values) {
    parameters_.push_back({parameter, {all.begin(), all.end()}, "on record"});
  }
}

bool RecordedVariant::supports(const Problem& problem, const DeviceInfo&) const {
  return recorded_.space(problem) != nullptr && recorded_.best(problem, name_) != nullptr;
}

SearchSpace RecordedVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name_;
  space.parameters = parameters_;
  space.restrictions = {{"it is on record", [this](const Configuration& configuration, const Problem& problem,
                                                   const DeviceInfo&) {
                           const Trial* const trial = recorded_.trial(problem, configuration);
                           return trial != nullptr && is_sound(*trial);
                         }}};
  return space;
}

Configuration RecordedVariant::default_configuration(const Problem& problem, const DeviceInfo&) const {
  const std::vector<Trial>& trials = recorded_.space(problem)->trials;
  return std::find_if(
             trials.begin(), trials.end(),
             [this](const Trial& trial) { return trial.configuration.variant == name_ && is_sound(trial); })
      ->configuration;
}

Plan RecordedVariant::plan(const Problem&, const Configuration&, const DeviceInfo&) const {
  Plan plan;
  plan.launches.resize(1);
  return plan;
}

RecordedSource::RecordedSource(const Recorded& recorded, DeviceInfo device)
    : recorded_(recorded), device_(std::move(device)) {
  for (const char* name : recorded_variants) {
    owned_.push_back(std::make_unique<RecordedVariant>(name, recorded));
    variants_.push_back(owned_.back().get());
  }
}

SearchDomain RecordedSource::domain(const Problem& problem) const {
  SearchDomain domain;
  domain.configurations = recorded_.space(problem)->domain.configurations;
  if (!only_variant.empty()) {
    std::erase_if(domain.configurations, [this](const Configuration& configuration) {
      return configuration.variant != only_variant;
    });
  }
  return domain;
}

std::vector<Configuration> RecordedSource::default_configurations(const Problem& problem) const {
  return defaults_of(variants_, problem, device_);
}

std::optional<Selection> RecordedSource::selected(const Problem& problem,
                                                  const CandidateSet& candidates) const {
  return select_among(problem, device_, candidates, variants_, [](std::string_view) { return digest; });
}

Compilation RecordedSource::compile(const Problem&, const Configuration&, const std::stop_token&) const {
  return {.compile_ms = 5};
}

Trial RecordedEvaluator::evaluate(const EvaluationRequest& request) {
  Trial trial;
  trial.problem = request.problem;
  trial.configuration = request.configuration;
  trial.timestamp = timestamp_now();
  const Trial* const recorded = recorded_.trial(request.problem, request.configuration);
  if (recorded == nullptr || !is_sound(*recorded)) {
    trial.status = TrialStatus::launch_failed;
    trial.message = "on record as failed";
    return trial;
  }
  const double factor = 1 + std::uniform_real_distribution<double>(-noise_, noise_)(random_);
  for (const double sample : recorded->samples_us) trial.samples_us.push_back(factor * sample);
  return trial;
}

}  // namespace bitune::testing_support
