#pragma once

/// \file
/// What the strategies that learn share. Each configuration is proposed once, the starts first. What their
/// rule does not reach comes at the end, in random order: so any search can be exhaustive.

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/strategies/domain_view.hpp"
#include "tuner/strategies/random_numbers.hpp"
#include "tuner/strategy.hpp"

namespace bitune {

class Walker : public Strategy {
 public:
  /// The domain must outlive it.
  Walker(const SearchDomain& domain, std::uint64_t seed);

  std::vector<Proposal> propose(std::size_t at_most) final;

 protected:
  /// The next configuration by the strategy's own rule, not proposed yet; nothing if the rule has none now:
  /// then one is drawn.
  virtual std::optional<std::size_t> next() = 0;

  [[nodiscard]] const DomainView& view() const noexcept { return view_; }
  [[nodiscard]] RandomNumbers& random() noexcept { return random_; }
  [[nodiscard]] bool is_proposed(std::size_t index) const { return proposed_[index]; }
  /// Of a family, what was not proposed yet.
  [[nodiscard]] std::vector<std::size_t> unproposed(std::size_t family) const;
  /// The first so many of the seeded random order, or all.
  [[nodiscard]] std::vector<std::size_t> drawn_before(std::size_t count) const;
  /// The next of the seeded random order that was not proposed yet; nothing if all were.
  [[nodiscard]] std::optional<std::size_t> draw();

 private:
  DomainView view_;
  RandomNumbers random_;
  std::vector<bool> proposed_;
  std::deque<std::size_t> starts_;
  std::vector<std::size_t> order_;
  std::size_t next_of_order_ = 0;
};

}  // namespace bitune
