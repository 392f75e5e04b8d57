#pragma once

/// \file
/// Where keys of several ranks are cut, to within some samples, and what follows from how many keys there
/// are of each class.
///
/// Between two ranks' parts is a class of keys that are near the cut. Both ranks sort these, and each keeps
/// what is its own. So with N ranks there are N parts and N - 1 classes between them, in turn.

#include <cstdint>
#include <optional>
#include <vector>

namespace bitune::multi {

/// Which keys are looked at: one of each `spacing` keys of a rank.
struct Sampling {
  std::uint64_t spacing = 1;
  std::vector<std::uint64_t> counts;  ///< of each rank

  [[nodiscard]] std::uint64_t total() const noexcept;
  /// Samples of the ranks before this one.
  [[nodiscard]] std::uint64_t before(std::size_t rank) const noexcept;
};

/// Of ranks with so many keys.
[[nodiscard]] Sampling sampling_of(const std::vector<std::uint64_t>& lengths);

/// Between which samples, counted from 1 in the order of their keys, each cut is, with a chance of some
/// 15,000 to 1: the first sample of the class at the cut, and the first one behind it, cut by cut. 0 is
/// before all keys, and one more than there are samples behind all. Nothing where two such classes would
/// meet: the parts are too small. `results`: keys that each rank is to get.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> sampled_cuts(
    const Sampling& sampling, const std::vector<std::uint64_t>& results);

/// Keys of the class at any one cut, of all ranks together, as far as there is room for them.
[[nodiscard]] std::uint64_t cut_room(const Sampling& sampling, const std::vector<std::uint64_t>& cuts);

/// Keys that a rank sorts, as far as there is room for them: those that it gets, and some of the classes at
/// its cuts.
[[nodiscard]] std::uint64_t sorted_room(const Sampling& sampling, const std::vector<std::uint64_t>& cuts,
                                        std::size_t rank, std::uint64_t result);

/// How many keys a rank has of each class.
using ClassCounts = std::vector<std::uint64_t>;

/// What a rank sorts: all of its own class, and of those beside it, of all ranks.
struct SortedPart {
  std::uint64_t keys = 0;
  std::uint64_t skipped = 0;  ///< keys before its part of the result, which are the rank's before it
};

/// Of each rank, given the counts of all; nothing if a cut is not where it was taken to be.
[[nodiscard]] std::optional<std::vector<SortedPart>> sorted_parts(const std::vector<ClassCounts>& counts,
                                                                  const std::vector<std::uint64_t>& results);

/// The class of keys that surely are of a rank's part, and of those at the cut behind it.
constexpr std::size_t sure_class(std::size_t rank) noexcept { return 2 * rank; }
constexpr std::size_t cut_class(std::size_t rank) noexcept { return 2 * rank + 1; }

}  // namespace bitune::multi
