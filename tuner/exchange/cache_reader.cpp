#include <fmt/format.h>

#include "bitune/error.hpp"
#include "tuner/exchange/parts.hpp"
#include "tuner/exchange/readers.hpp"
#include "tuner/exchange/status_words.hpp"

namespace bitune::exchange {
namespace {

// The word of a failure: in the place of the time, as all releases read it, or in the place where newer ones
// write it.
std::string_view failure_of(const Value& line) {
  if (const Value* error = line.find("__error__")) return error->text();
  const Value& time = line.at("time");
  return time.is(Value::Kind::text) ? std::string_view(time.text()) : std::string_view();
}

// A time that the line may have, in milliseconds.
double milliseconds_of(const Value& line, const char* name) {
  const Value* value = line.find(name);
  return value == nullptr ? 0 : within(fmt::format("'{}'", name), [&] { return value->amount(); });
}

Trial trial_of(const Value& line, const std::string& key, const Subject& subject,
               const std::vector<std::string>& names) {
  Trial trial;
  trial.problem = subject.problem;
  trial.kernel_digest = subject.kernel_digest;
  trial.configuration = configuration_of(subject.variant, line, &names);
  std::string expected;
  for (const std::string& name : names) {
    expected += fmt::format("{}{}", expected.empty() ? "" : ",", trial.configuration.at(name));
  }
  if (key != expected) {
    throw Error(ErrorCode::input, fmt::format("its parameters make it '{}'", expected.substr(0, 80)));
  }
  const Value* own = line.find("status");
  trial.status =
      status_of(failure_of(line), own == nullptr ? std::string_view() : own->text(), kernel_tuner_word);
  if (const Value* times = line.find("times")) {
    trial.samples_us = within("'times'", [&] { return samples_of(*times, 3); });
  }
  if (trial.status == TrialStatus::unverified && trial.samples_us.empty()) {
    trial.samples_us = {within("'time'", [&] { return line.at("time").amount(3); })};
  }
  trial.compile_ms = milliseconds_of(line, "compile_time");
  trial.verify_ms = milliseconds_of(line, "verification_time");
  trial.measure_ms = milliseconds_of(line, "benchmark_time");
  if (const Value* timestamp = line.find("timestamp")) trial.timestamp = timestamp_of(timestamp->text());
  set_further_facts(trial, [&line](const std::string& name) { return line.find(name); });
  return trial;
}

}  // namespace

std::vector<Recording> read_cache(const Value& document) {
  Recording recording = recording_of_unknown(document.at("device_name").text());
  Subject subject = subject_of(document.at("kernel_name").text(), document.at("problem_size"));
  if (const Value* own = document.find("bitune")) {
    check_version(*own);
    read_circumstances(*own, recording);
    subject.problem = problem_of(own->at("problem"));
    if (kernel_name_of(subject.problem, subject.variant) != document.at("kernel_name").text()) {
      throw Error(ErrorCode::input, "its kernel's name is not that of its problem");
    }
    subject.kernel_digest = own->at("kernel_digest").text();
  }
  std::vector<std::string> names;
  for (const Value& name : document.at("tune_params_keys").items()) names.push_back(name.text());

  const Value& cache = document.at("cache");
  recording.trials.reserve(cache.names().size());
  for (std::size_t i = 0; i < cache.names().size(); ++i) {
    const std::string& key = cache.names()[i];
    within(fmt::format("entry '{}'", key.substr(0, 80)),
           [&] { recording.trials.push_back(trial_of(cache.items()[i], key, subject, names)); });
  }
  return {std::move(recording)};
}

}  // namespace bitune::exchange
