#include <fmt/format.h>

#include <map>

#include "bitune/error.hpp"
#include "tuner/exchange/parts.hpp"
#include "tuner/exchange/readers.hpp"

namespace bitune::exchange {
namespace {

// "512x65536" as the list [512, 65536].
Value sizes_of(const std::string& text) {
  std::string list;
  for (const char c : text) list += c == 'x' ? ',' : c;
  return parse_document("[" + list + "]", {text.size() + 2, 8, 2});
}

}  // namespace

std::vector<Recording> read_results(const Value& document) {
  if (document.at("version_number").text() != "1.0") {
    throw Error(ErrorCode::input, fmt::format("results files of version {} are not known; 1.0 is",
                                              document.at("version_number").shown()));
  }
  if (document.at("objective").text() != "time") {
    throw Error(ErrorCode::input,
                fmt::format("its objective is {}, not 'time'", document.at("objective").shown()));
  }
  const Value* own = document.find("bitune");
  if (own != nullptr) check_version(*own);
  std::vector<std::string> names;
  for (const Value& name : document.at("tunable_parameters").items()) names.push_back(name.text());

  std::map<std::string, Recording> by_device;
  const auto& data = document.at("data").items();
  for (std::size_t i = 0; i < data.size(); ++i) {
    within(fmt::format("row {}", i + 1), [&] {
      const Value& row = data[i];
      const std::string& device = row.at("device_name").text();
      const auto [found, is_new] = by_device.try_emplace(device);
      Recording& recording = found->second;
      if (is_new) {
        recording = recording_of_unknown(device);
        const Value* known = own == nullptr ? nullptr : own->at("devices").find(device);
        if (known != nullptr) read_circumstances(*known, recording);
      }
      const Subject subject =
          subject_of(document.at("kernel_name").text(),
                     within("'problem_size'", [&] { return sizes_of(row.at("problem_size").text()); }));
      Trial trial;
      trial.problem = subject.problem;
      trial.configuration = configuration_of(subject.variant, row.at("tunable_parameters"), &names);
      trial.status = TrialStatus::unverified;
      trial.samples_us = {within("'time'", [&] { return row.at("time").amount(3); })};
      recording.trials.push_back(std::move(trial));
    });
  }
  std::vector<Recording> recordings;
  recordings.reserve(by_device.size());
  for (auto& [device, recording] : by_device) recordings.push_back(std::move(recording));
  return recordings;
}

}  // namespace bitune::exchange
