#include "tuner/strategies/domain_view.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace bitune {
namespace {

/// In how many parameters two points differ, and by how many places altogether.
std::pair<std::size_t, std::size_t> distance(const DomainView::Places& a, const DomainView::Places& b) {
  std::size_t parameters = 0;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    parameters += a[i] != b[i] ? 1 : 0;
    steps += static_cast<std::size_t>(std::abs(int{a[i]} - int{b[i]}));
  }
  return {parameters, steps};
}

}  // namespace

DomainView::DomainView(const SearchDomain& domain) {
  std::unordered_map<std::string, std::size_t> numbers;
  // A domain may have hundreds of thousands of configurations, and the nodes of each lie all over the memory.
  // So they are walked once, the parameters in step with the family's names.
  std::vector<std::int64_t> all_values;
  family_of_.reserve(domain.configurations.size());
  for (std::size_t i = 0; i < domain.configurations.size(); ++i) {
    const Configuration& configuration = domain.configurations[i];
    if (i == 0 || configuration.variant != domain.configurations[i - 1].variant) {
      const auto [entry, added] = numbers.emplace(configuration.variant, families_.size());
      if (added) {
        Family& family = families_.emplace_back();
        family.variant = configuration.variant;
        for (const auto& parameter : configuration.parameters) family.names.push_back(parameter.first);
        family.values.resize(family.names.size());
      }
      family_of_.push_back(entry->second);
    } else {
      family_of_.push_back(family_of_.back());
    }
    Family& family = families_[family_of_.back()];
    family.members.push_back(i);
    auto values = family.values.begin();
    for (const auto& [name, value] : configuration.parameters) {
      all_values.push_back(value);
      const auto place = std::lower_bound(values->begin(), values->end(), value);
      if (place == values->end() || *place != value) values->insert(place, value);
      ++values;
    }
  }
  places_.reserve(family_of_.size());
  auto value = all_values.begin();
  for (const std::size_t number : family_of_) {
    Places& places = places_.emplace_back();
    places.reserve(families_[number].values.size());
    for (const std::vector<std::int64_t>& values : families_[number].values) {
      places.push_back(static_cast<std::uint16_t>(std::lower_bound(values.begin(), values.end(), *value++) -
                                                  values.begin()));
    }
  }
}

std::vector<std::size_t> DomainView::neighbours(std::size_t index, std::size_t at_least) const {
  const Family& family = families_[family_of_[index]];
  std::vector<std::vector<std::size_t>> rings(family.names.size() + 1);
  for (const std::size_t member : family.members) {
    rings[distance(places_[index], places_[member]).first].push_back(member);
  }
  std::vector<std::size_t> neighbours;
  for (std::size_t ring = 1; ring < rings.size() && (ring == 1 || neighbours.size() < at_least); ++ring) {
    neighbours.insert(neighbours.end(), rings[ring].begin(), rings[ring].end());
  }
  return neighbours;
}

std::optional<std::size_t> DomainView::nearest(const Places& point,
                                               const std::vector<std::size_t>& candidates) const {
  std::optional<std::size_t> nearest;
  std::pair least{std::numeric_limits<std::size_t>::max(), std::size_t{0}};
  for (const std::size_t candidate : candidates) {
    const auto here = distance(point, places_[candidate]);
    if (here < least) {
      least = here;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace bitune
