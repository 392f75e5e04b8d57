#include "model/search_space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace bitune {

std::uint64_t SearchSpace::cartesian_size() const noexcept {
  std::uint64_t size = 1;
  for (const Parameter& parameter : parameters) {
    if (__builtin_mul_overflow(size, std::uint64_t{parameter.values.size()}, &size)) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return size;
}

Configuration SearchSpace::point(std::uint64_t index) const {
  Configuration configuration;
  configuration.variant = variant;
  for (std::size_t i = parameters.size(); i-- > 0;) {
    const Parameter& parameter = parameters[i];
    const std::uint64_t count = parameter.values.size();
    configuration.parameters.emplace(parameter.name, parameter.values[index % count]);
    index /= count;
  }
  return configuration;
}

std::optional<std::string> SearchSpace::violation(const Configuration& configuration, const Problem& problem,
                                                  const DeviceInfo& device) const {
  if (configuration.variant != variant) {
    return fmt::format("the variant is '{}', not '{}'", configuration.variant, variant);
  }
  for (const Parameter& parameter : parameters) {
    const auto found = configuration.parameters.find(parameter.name);
    if (found == configuration.parameters.end())
      return fmt::format("parameter '{}' is missing", parameter.name);
    if (std::find(parameter.values.begin(), parameter.values.end(), found->second) ==
        parameter.values.end()) {
      return fmt::format("{}={} is not one of {}", parameter.name, found->second,
                         fmt::join(parameter.values, ", "));
    }
  }
  for (const auto& [name, value] : configuration.parameters) {
    const auto named = [&name = name](const Parameter& parameter) { return parameter.name == name; };
    if (std::none_of(parameters.begin(), parameters.end(), named)) {
      return fmt::format("variant '{}' has no parameter '{}'", variant, name);
    }
  }
  for (const Restriction& restriction : restrictions) {
    if (!restriction.holds(configuration, problem, device)) return restriction.text;
  }
  return std::nullopt;
}

std::vector<Configuration> SearchSpace::valid(const Problem& problem, const DeviceInfo& device) const {
  std::vector<Configuration> configurations;
  const std::uint64_t size = cartesian_size();
  if (size == 0) return configurations;
  // One configuration is counted up in place, the last parameter first: making each point anew takes longer
  // than checking it.
  Configuration current = point(0);
  std::vector<std::size_t> digits(parameters.size());
  for (std::uint64_t index = 0; index < size; ++index) {
    const bool holds = std::all_of(
        restrictions.begin(), restrictions.end(),
        [&](const Restriction& restriction) { return restriction.holds(current, problem, device); });
    if (holds) configurations.push_back(current);
    for (std::size_t i = parameters.size(); i-- > 0;) {
      const Parameter& parameter = parameters[i];
      const bool carries = ++digits[i] == parameter.values.size();
      if (carries) digits[i] = 0;
      current.parameters[parameter.name] = parameter.values[digits[i]];
      if (!carries) break;
    }
  }
  return configurations;
}

}  // namespace bitune
