#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "model/digest.hpp"
#include "tuner/strategies/sequence.hpp"
#include "tuner/strategies/strategies.hpp"

namespace bitune {

std::vector<std::size_t> random_order(const SearchDomain& domain, std::uint64_t seed) {
  const std::string seed_text = std::to_string(seed);
  std::vector<std::pair<std::array<std::uint64_t, 2>, std::size_t>> keyed;
  keyed.reserve(domain.configurations.size());
  Digest digest;
  for (std::size_t i = 0; i < domain.configurations.size(); ++i) {
    digest.reset();
    keyed.emplace_back(digest.add(seed_text).add(domain.configurations[i].text()).value(), i);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::size_t> order;
  order.reserve(keyed.size());
  for (const auto& entry : keyed) order.push_back(entry.second);
  return order;
}

std::unique_ptr<Strategy> make_random(const SearchDomain& domain, std::uint64_t seed) {
  return std::make_unique<SequenceStrategy>(random_order(domain, seed));
}

}  // namespace bitune
