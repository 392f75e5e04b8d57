#pragma once

/// \file
/// A strategy that learns nothing: it proposes a sequence that is known from the beginning.

#include <algorithm>
#include <utility>
#include <vector>

#include "tuner/strategy.hpp"

namespace bitune {

class SequenceStrategy final : public Strategy {
 public:
  explicit SequenceStrategy(std::vector<std::size_t> order) : order_(std::move(order)) {}

  std::vector<std::size_t> propose(std::size_t at_most) override {
    const std::size_t count = std::min(at_most, order_.size() - next_);
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(next_);
    next_ += count;
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }

  void report(std::size_t, std::optional<double>) override {}

 private:
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
};

}  // namespace bitune
