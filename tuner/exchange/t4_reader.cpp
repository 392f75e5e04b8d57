#include <fmt/format.h>

#include <map>

#include "bitune/error.hpp"
#include "tuner/exchange/parts.hpp"
#include "tuner/exchange/readers.hpp"
#include "tuner/exchange/status_words.hpp"

namespace bitune::exchange {
namespace {

// The power of ten that takes a unit to microseconds.
int shift_of_unit(const std::string& unit) {
  if (unit == "nanoseconds") return -3;
  if (unit == "microseconds") return 0;
  if (unit == "milliseconds") return 3;
  if (unit == "seconds") return 6;
  throw Error(ErrorCode::input, fmt::format("'{}' is no unit of time", unit.substr(0, 40)));
}

// The first of several spellings that is there, in milliseconds.
double milliseconds_of(const Value& times, std::initializer_list<const char*> spellings, int shift) {
  for (const char* spelling : spellings) {
    const Value* value = times.find(spelling);
    if (value != nullptr)
      return within(fmt::format("'{}'", spelling), [&] { return value->amount(shift - 3); });
  }
  return 0;
}

std::map<std::string, const Value*, std::less<>> measurements_of(const Value& result) {
  std::map<std::string, const Value*, std::less<>> found;
  if (const Value* measurements = result.find("measurements")) {
    for (const Value& measurement : measurements->items()) {
      found.emplace(measurement.at("name").text(), &measurement.at("value"));
    }
  }
  return found;
}

Trial trial_of(const Value& result, const Subject& subject, int shift) {
  Trial trial;
  trial.problem = subject.problem;
  trial.kernel_digest = subject.kernel_digest;
  trial.configuration = configuration_of(subject.variant, result.at("configuration"));
  const auto measurements = measurements_of(result);
  const auto measured = [&measurements](const std::string& name) -> const Value* {
    const auto found = measurements.find(name);
    return found == measurements.end() ? nullptr : found->second;
  };
  const Value* own = measured("status");
  trial.status = status_of(result.at("invalidity").text(),
                           own == nullptr ? std::string_view() : std::string_view(own->text()), t4_word);
  const Value& times = result.at("times");
  if (const Value* runtimes = times.find("runtimes")) {
    trial.samples_us = within("'runtimes'", [&] { return samples_of(*runtimes, shift); });
  }
  if (trial.status == TrialStatus::unverified && trial.samples_us.empty()) {
    const Value* time = measured("time");
    if (time == nullptr) throw Error(ErrorCode::input, "it is correct and has no time");
    trial.samples_us = {within("'time'", [&] { return time->amount(shift); })};
  }
  trial.compile_ms = milliseconds_of(times, {"compilation_time", "compilation"}, shift);
  trial.verify_ms = milliseconds_of(times, {"validation"}, shift);
  trial.measure_ms = milliseconds_of(times, {"benchmark"}, shift);
  if (const Value* timestamp = result.find("timestamp")) trial.timestamp = timestamp_of(timestamp->text());
  set_further_facts(trial, measured);
  return trial;
}

}  // namespace

std::vector<Recording> read_t4(const Value& document) {
  const Value& metadata = document.at("metadata");
  const Value* own = metadata.find("bitune");
  if (own == nullptr) {
    throw Error(ErrorCode::input,
                "its metadata do not say which kernel and problem it is about; import the cache instead");
  }
  check_version(*own);
  const Value* device = metadata.find("device");
  Recording recording = recording_of_unknown(device == nullptr ? "" : device->text());
  read_circumstances(*own, recording);
  const Subject subject{own->at("variant").text(), problem_of(own->at("problem")),
                        own->at("kernel_digest").text()};
  const Value* unit = metadata.find("timeunit");
  const int shift = unit == nullptr ? 3 : shift_of_unit(unit->text());

  const auto& results = document.at("results").items();
  recording.trials.reserve(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    within(fmt::format("result {}", i + 1),
           [&] { recording.trials.push_back(trial_of(results[i], subject, shift)); });
  }
  return {std::move(recording)};
}

}  // namespace bitune::exchange
