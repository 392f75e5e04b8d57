#pragma once

/// \file
/// How many keys each rank has of each class, and of each digit of it, as the ranks have told each other.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "multi/split/sampled_cuts.hpp"
#include "multi/split/split_plan.hpp"

namespace bitune::multi {

/// Launch by launch, as they are heard of.
class SplitCounts {
 public:
  /// lengths: keys that each rank gives. Both must outlive it.
  SplitCounts(const SplitPlan& plan, const std::vector<std::uint64_t>& lengths)
      : plan_(plan), lengths_(lengths) {}

  /// The next launches. `all`: by rank, by launch, the plan's counted_numbers().
  void add(std::uint64_t launches, const std::vector<std::uint64_t>& all);

  /// A rank's items of a class in a launch; and in all that were heard of.
  [[nodiscard]] std::uint64_t of(std::size_t rank, std::size_t number, std::uint64_t launch) const {
    return counted(rank, launch)[plan_.digit_numbers() + number];
  }
  [[nodiscard]] std::uint64_t of(std::size_t rank, std::size_t number) const;
  [[nodiscard]] std::vector<ClassCounts> of_all() const;
  /// How often each digit is in them: the plan's counters.
  [[nodiscard]] const std::uint64_t* digits_of(std::size_t rank, std::size_t number,
                                               std::uint64_t launch) const {
    return counted(rank, launch) + number * plan_.radix->counters();
  }
  /// Where a rank has its items of a class, of a launch where they are not at a cut.
  [[nodiscard]] std::uint64_t place_of(std::size_t rank, std::size_t number, std::uint64_t launch) const;
  /// Whether there is room for what each rank sorts, as far as it is known. results: keys that each gets.
  [[nodiscard]] bool have_room(const std::vector<std::uint64_t>& results) const;

 private:
  [[nodiscard]] const std::uint64_t* counted(std::size_t rank, std::uint64_t launch) const {
    return launches_[launch].data() + rank * plan_.counted_numbers();
  }

  const SplitPlan& plan_;
  const std::vector<std::uint64_t>& lengths_;
  std::vector<std::vector<std::uint64_t>> launches_;  ///< of all ranks
};

}  // namespace bitune::multi
