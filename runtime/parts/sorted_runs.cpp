#include "runtime/parts/sorted_runs.hpp"

#include <algorithm>
#include <limits>

#include "model/key_order_of.hpp"

namespace bitune {
namespace {

template <class KeyOrder>
class RunCutter {
 public:
  using Place = typename KeyOrder::Bits;

  RunCutter(const std::byte* keys, std::span<const ElementRange> runs, const KeyRules& rules)
      : keys_(keys), runs_(runs), place_of_(rules.order == Order::descending, rules.equal_nans) {}

  [[nodiscard]] std::vector<std::uint64_t> cut(std::uint64_t rank) const {
    const Place border = place_of_last(rank);
    std::vector<std::uint64_t> cuts;
    std::uint64_t equal = rank;  // keys of the border's place that lie before the cuts
    for (const ElementRange& run : runs_) {
      cuts.push_back(first_behind(run, border, false));
      equal -= cuts.back() - run.begin;
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const std::uint64_t taken = std::min(equal, first_behind(runs_[i], border, true) - cuts[i]);
      cuts[i] += taken;
      equal -= taken;
    }
    return cuts;
  }

 private:
  /// The first key of the run whose place is at least `border`; with `equal_before`, is above it.
  [[nodiscard]] std::uint64_t first_behind(const ElementRange& run, Place border, bool equal_before) const {
    std::uint64_t low = run.begin;
    std::uint64_t high = run.end;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const Place place = place_of_(key_orders::load<Place>(keys_, middle));
      if (place < border || (equal_before && place == border)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// The least place that `rank` keys do not exceed: that of the last key before the cuts.
  [[nodiscard]] Place place_of_last(std::uint64_t rank) const {
    Place low = 0;
    Place high = std::numeric_limits<Place>::max();
    while (low < high) {
      const Place middle = static_cast<Place>(low + (high - low) / 2);
      std::uint64_t before = 0;
      for (const ElementRange& run : runs_) before += first_behind(run, middle, true) - run.begin;
      if (before >= rank) {
        high = middle;
      } else {
        low = static_cast<Place>(middle + 1);
      }
    }
    return low;
  }

  const std::byte* keys_;
  std::span<const ElementRange> runs_;
  key_orders::Places<KeyOrder> place_of_;
};

}  // namespace

std::vector<std::uint64_t> cut_runs(const std::byte* keys, std::span<const ElementRange> runs,
                                    const KeyRules& rules, std::uint64_t rank) {
  return key_orders::with_order(
      rules.key, [&](auto order) { return RunCutter<decltype(order)>(keys, runs, rules).cut(rank); });
}

}  // namespace bitune
