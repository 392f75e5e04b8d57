#pragma once

/// \file
/// What the readers of several formats share: the parts of trials, as strangers write them. Private to the
/// exchange formats. All throw Error (input) with a clause that says what is wrong.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "measure/json.hpp"
#include "tuner/exchange/document.hpp"
#include "tuner/exchange/recordings.hpp"

namespace bitune::exchange {

/// What a file of trials is about.
struct Subject {
  std::string variant;
  Problem problem;
  std::string kernel_digest;
};

/// Calls `read`; says before what it throws where that was.
template <class Read>
auto within(const std::string& where, Read&& read);

/// The subject that `kernel_name_of` named, with the sizes of `problem_size`: n, or [n], or [n, rows].
[[nodiscard]] Subject subject_of(std::string_view kernel_name, const Value& problem_size);

[[nodiscard]] Problem problem_of(const Value& problem);

/// Integer parameters by name. If `names` are given, exactly these; other members are then no parameters.
[[nodiscard]] Configuration configuration_of(std::string_view variant, const Value& parameters,
                                             const std::vector<std::string>* names = nullptr);

/// Times as microseconds. \param decimal_shift from their unit: 3 for milliseconds
[[nodiscard]] std::vector<double> samples_of(const Value& list, int decimal_shift);

/// "2022-12-23 12:11:26.411558+00:00", in any of the shapes of ISO 8601 that tools write, as bitune has it.
[[nodiscard]] std::string timestamp_of(const std::string& text);

/// Circumstances: members "device", "software", "protocol" as json_of writes them, and "origin" for the
/// source; what is missing stays unknown.
void read_circumstances(const Value& about, Recording& recording);

/// A recording of which nothing is known but the device's name.
[[nodiscard]] Recording recording_of_unknown(const std::string& device_name);

/// What is known of a trial that no format has a word of its own for: registers, message, clocks and so on.
[[nodiscard]] Json further_facts(const Trial& trial);

/// Sets those of them that `value_of(name)` finds.
void set_further_facts(Trial& trial, const std::function<const Value*(const std::string&)>& value_of);

/// Copies `given` over `known` if it is of its type (0 and 1 are truth values, too) and within bounds.
void overlay(Json& known, const Value& given);

// ---- templates

template <class Read>
auto within(const std::string& where, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(ErrorCode::input, where + ": " + error.what());
  }
}

}  // namespace bitune::exchange
