#include "tuner/strategies/walker.hpp"

#include <algorithm>
#include <iterator>

#include "tuner/strategies/strategies.hpp"

namespace bitune {

Walker::Walker(const SearchDomain& domain, std::uint64_t seed)
    : view_(domain),
      random_(seed),
      proposed_(domain.configurations.size(), false),
      starts_(domain.starts.begin(), domain.starts.end()),
      order_(random_order(domain, seed)) {}

std::vector<Proposal> Walker::propose(std::size_t at_most) {
  std::vector<Proposal> proposals;
  while (proposals.size() < at_most) {
    std::optional<std::size_t> index;
    if (!starts_.empty()) {
      index = starts_.front();
      starts_.pop_front();
      if (proposed_[*index]) continue;
    } else {
      index = next();
      if (!index) index = draw();
      if (!index) break;
    }
    proposed_[*index] = true;
    proposals.push_back({*index});
  }
  return proposals;
}

std::vector<std::size_t> Walker::unproposed(std::size_t family) const {
  std::vector<std::size_t> left;
  const std::vector<std::size_t>& members = view_.families()[family].members;
  std::copy_if(members.begin(), members.end(), std::back_inserter(left),
               [this](std::size_t member) { return !proposed_[member]; });
  return left;
}

std::vector<std::size_t> Walker::drawn_before(std::size_t count) const {
  return {order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(std::min(count, order_.size()))};
}

std::optional<std::size_t> Walker::draw() {
  while (next_of_order_ < order_.size() && proposed_[order_[next_of_order_]]) ++next_of_order_;
  if (next_of_order_ == order_.size()) return std::nullopt;
  return order_[next_of_order_];
}

}  // namespace bitune
