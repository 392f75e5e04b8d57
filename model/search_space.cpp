#include "model/search_space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

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
  decltype(configuration.parameters)::sequence_type values;
  values.reserve(parameters.size());
  for (std::size_t i = parameters.size(); i-- > 0;) {
    const Parameter& parameter = parameters[i];
    const std::uint64_t count = parameter.values.size();
    values.emplace_back(parameter.name, parameter.values[index % count]);
    index /= count;
  }
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  configuration.parameters.adopt_sequence(boost::container::ordered_unique_range, std::move(values));
  return configuration;
}

std::optional<std::string> SearchSpace::violation(const Configuration& configuration, const Problem& problem,
                                                  const DeviceInfo& device) const {
  if (configuration.variant != variant) {
    return fmt::format("the variant is '{}', not '{}'", configuration.variant, variant);
  }
  for (const Parameter& parameter : parameters) {
    const std::int64_t* const found = configuration.find(parameter.name);
    if (found == nullptr) return fmt::format("parameter '{}' is missing", parameter.name);
    if (std::find(parameter.values.begin(), parameter.values.end(), *found) == parameter.values.end()) {
      return fmt::format("{}={} is not one of {}", parameter.name, *found, fmt::join(parameter.values, ", "));
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

void SearchSpace::for_each_valid(const Problem& problem, const DeviceInfo& device,
                                 const std::function<void(const Configuration&)>& visit) const {
  if (parameters.empty() || cartesian_size() == 0) return;

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
    if (depth == parameters.size()) return visit(current);
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
}

std::vector<Configuration> SearchSpace::valid(const Problem& problem, const DeviceInfo& device) const {
  std::vector<Configuration> configurations;
  for_each_valid(problem, device, [&](const Configuration& one) { configurations.push_back(one); });
  return configurations;
}

}  // namespace bitune
