#include <fmt/format.h>

#include "bitune/error.hpp"
#include "tuner/exchange/parts.hpp"
#include "tuner/exchange/readers.hpp"

namespace bitune::exchange {
namespace {

Trial trial_of(const Value& value) {
  Trial trial;
  trial.problem = within("the problem", [&] { return problem_of(value.at("problem")); });
  trial.configuration = within("the configuration", [&] {
    const Value& configuration = value.at("configuration");
    return configuration_of(configuration.at("variant").text(), configuration.at("parameters"));
  });
  trial.kernel_digest = value.at("kernel_digest").text();
  trial.status = parse_trial_status(value.at("status").text());
  if (trial.status == TrialStatus::ok) trial.status = TrialStatus::unverified;
  trial.samples_us = within("the samples", [&] { return samples_of(value.at("samples_us"), 0); });
  trial.compile_ms = value.at("compile_ms").amount();
  trial.verify_ms = value.at("verify_ms").amount();
  trial.measure_ms = value.at("measure_ms").amount();
  trial.timestamp = timestamp_of(value.at("timestamp").text());
  const Value* clock = value.find("clock");
  set_further_facts(trial, [&](const std::string& name) {
    const bool of_clock = name.starts_with("clock_");
    return of_clock ? (clock == nullptr ? nullptr : clock->find(name.substr(6))) : value.find(name);
  });
  return trial;
}

}  // namespace

std::vector<Recording> read_trials(const Value& document) {
  check_version(document);
  std::vector<Recording> recordings;
  for (const Value& value : document.at("recordings").items()) {
    const std::string which = fmt::format("recording {}", recordings.size() + 1);
    Recording recording = recording_of_unknown({});
    within(which, [&] {
      static_cast<void>(value.at("device"));
      read_circumstances(value, recording);
    });
    const auto& trials = value.at("trials").items();
    recording.trials.reserve(trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
      within(fmt::format("{}, trial {}", which, i + 1),
             [&] { recording.trials.push_back(trial_of(trials[i])); });
    }
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

}  // namespace bitune::exchange
