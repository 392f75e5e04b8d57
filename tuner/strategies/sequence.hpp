#pragma once

/// \file
/// A strategy that learns nothing: it proposes a sequence that is known from the beginning.

#include <utility>
#include <vector>

#include "tuner/strategy.hpp"

namespace bitune {

class SequenceStrategy final : public Strategy {
 public:
  explicit SequenceStrategy(std::vector<std::size_t> order) : order_(std::move(order)) {}

  std::vector<Proposal> propose(std::size_t at_most) override {
    std::vector<Proposal> proposals;
    while (proposals.size() < at_most && next_ < order_.size()) proposals.push_back({order_[next_++]});
    return proposals;
  }

  void report(std::size_t, std::optional<double>) override {}

 private:
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
};

}  // namespace bitune
