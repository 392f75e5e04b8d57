#include "runtime/parts/sorted_runs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/key_order_of.hpp"

namespace bitune {
namespace {

template <class KeyOrder, class Index>
class RunCutter {
 public:
  using Place = typename KeyOrder::Bits;

  RunCutter(const std::byte* keys, std::vector<ElementRange> runs, const Index& index, const KeyRules& rules)
      : keys_(keys),
        runs_(std::move(runs)),
        index_(index),
        place_of_(rules.order == Order::descending, rules.equal_nans) {}

  /// `share`: of each run so many keys are before the cut, as far as equal keys allow.
  [[nodiscard]] std::vector<std::uint64_t> cut(std::uint64_t rank, std::uint64_t share) {
    const Place border = find_last(rank);
    std::vector<std::uint64_t> cuts;
    std::vector<std::uint64_t> ends;  // of the border's place
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      cuts.push_back(first_behind(i, border, false));
      ends.push_back(first_behind(i, border, true));
      rank -= cuts.back() - begins_[i];
    }
    for (const std::uint64_t wanted : {share, std::numeric_limits<std::uint64_t>::max()}) {
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        const std::uint64_t end = std::min(ends[i], wanted);
        const std::uint64_t taken = end > cuts[i] ? std::min(rank, end - cuts[i]) : 0;
        cuts[i] += taken;
        rank -= taken;
      }
    }
    return cuts;
  }

 private:
  /// The first key of what is left of the run whose place is at least `border`; with `equal_before`, is above
  /// it.
  [[nodiscard]] std::uint64_t first_behind(std::size_t run, Place border, bool equal_before) const {
    std::uint64_t low = runs_[run].begin;
    std::uint64_t high = runs_[run].end;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const Place place = place_of_(key_orders::load<Place>(keys_, index_(run, middle)));
      if (place < border || (equal_before && place == border)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// The least place that `rank` keys do not exceed: that of the last key before the cuts. It narrows the
  /// runs to where keys of that place begin and end.
  [[nodiscard]] Place find_last(std::uint64_t rank) {
    for (const ElementRange& run : runs_) begins_.push_back(run.begin);
    Place low = 0;
    Place high = std::numeric_limits<Place>::max();
    std::vector<std::uint64_t> found(runs_.size());
    while (low < high) {
      const Place middle = static_cast<Place>(low + (high - low) / 2);
      std::uint64_t before = 0;
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        found[i] = first_behind(i, middle, true);
        before += found[i] - begins_[i];
      }
      const bool is_high = before >= rank;
      for (std::size_t i = 0; i < runs_.size(); ++i) (is_high ? runs_[i].end : runs_[i].begin) = found[i];
      if (is_high) {
        high = middle;
      } else {
        low = static_cast<Place>(middle + 1);
      }
    }
    return low;
  }

  const std::byte* keys_;
  std::vector<ElementRange> runs_;  ///< what is left of them to be searched
  std::vector<std::uint64_t> begins_;
  const Index& index_;
  key_orders::Places<KeyOrder> place_of_;
};

template <class Index>
std::vector<std::uint64_t> cut(const std::byte* keys, std::vector<ElementRange> runs, const Index& index,
                               const KeyRules& rules, std::uint64_t rank, std::uint64_t share) {
  return key_orders::with_order(rules.key, [&](auto order) {
    return RunCutter<decltype(order), Index>(keys, std::move(runs), index, rules).cut(rank, share);
  });
}

}  // namespace

std::vector<std::uint64_t> cut_runs(const std::byte* keys, std::span<const ElementRange> runs,
                                    const KeyRules& rules, std::uint64_t rank) {
  const auto index = [](std::uint64_t, std::uint64_t position) { return position; };
  return cut(keys, {runs.begin(), runs.end()}, index, rules, rank, 0);
}

std::vector<std::uint64_t> cut_evenly(const std::byte* keys, std::span<const std::uint64_t> lengths,
                                      const KeyIndex& index, const KeyRules& rules, std::uint64_t share) {
  std::vector<ElementRange> runs;
  for (const std::uint64_t length : lengths) runs.push_back({0, length});
  return cut(keys, std::move(runs), index, rules, share * lengths.size(), share);
}

}  // namespace bitune
