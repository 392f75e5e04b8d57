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
  configuration.parameters.reserve(parameters.size());
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
  // All of the space's are there: only if there are more is one of them unknown.
  if (configuration.parameters.size() != parameters.size()) {
    for (const auto& [name, value] : configuration.parameters) {
      const auto named = [&name = name](const Parameter& parameter) { return parameter.name == name; };
      if (std::none_of(parameters.begin(), parameters.end(), named)) {
        return fmt::format("variant '{}' has no parameter '{}'", variant, name);
      }
    }
  }
  for (const Restriction& restriction : restrictions) {
    if (!restriction.holds(configuration, problem, device)) return restriction.text;
  }
  return std::nullopt;
}

std::vector<Configuration> SearchSpace::valid(const Problem& problem, const DeviceInfo& device) const {
  std::vector<Configuration> configurations;
  if (parameters.empty() || cartesian_size() == 0) return configurations;

  // By the last parameter that it reads, which restrictions can be checked as soon as that one has a value.
  std::vector<std::vector<const Restriction*>> checks(parameters.size());
  for (const Restriction& restriction : restrictions) {
    std::size_t last = restriction.reads.empty() ? parameters.size() - 1 : 0;
    for (const std::string& name : restriction.reads) {
      const auto read = std::find_if(parameters.begin(), parameters.end(),
                                     [&name](const Parameter& parameter) { return parameter.name == name; });
      last = std::max(last, static_cast<std::size_t>(read - parameters.begin()));
    }
    checks[std::min(last, parameters.size() - 1)].push_back(&restriction);
  }

  // Depth first, one configuration changed in place: those after `depth` have any value, and are not read.
  Configuration current = point(0);
  const std::function<void(std::size_t)> enumerate = [&](std::size_t depth) {
    if (depth == parameters.size()) {
      configurations.push_back(current);
      return;
    }
    std::int64_t& place = current.parameters.at(parameters[depth].name);
    for (const std::int64_t value : parameters[depth].values) {
      place = value;
      const bool holds =
          std::all_of(checks[depth].begin(), checks[depth].end(),
                      [&](const Restriction* check) { return check->holds(current, problem, device); });
      if (holds) enumerate(depth + 1);
    }
  };
  enumerate(0);
  return configurations;
}

}  // namespace bitune
