#include <numeric>

#include "tuner/strategies/sequence.hpp"
#include "tuner/strategies/strategies.hpp"

namespace bitune {

std::unique_ptr<Strategy> make_exhaustive(const SearchDomain& domain, std::uint64_t) {
  std::vector<std::size_t> order(domain.configurations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return std::make_unique<SequenceStrategy>(std::move(order));
}

}  // namespace bitune
