#pragma once

/// \file
/// Where sorted runs are cut at a rank, found from samples of them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/parts/sorted_runs.hpp"

namespace bitune::multi {

/// Finds what cut_runs finds, in runs that are too far away to be read key by key. Each round asks for every
/// so many keys of an interval of each run, and narrows the intervals: by a factor of about `samples` over
/// twice the number of runs. When all keys of the intervals were asked for, the cuts are known exactly.
///
/// Every rank does the same with the same samples, and so comes to the same cuts.
class CutSearch {
 public:
  /// `rank` is at most the sum of the lengths. `samples`: of a run, at most, in a round; at least 8 for each
  /// run.
  CutSearch(const std::vector<std::uint64_t>& lengths, std::uint64_t rank, const KeyRules& rules,
            std::uint64_t samples);

  [[nodiscard]] bool is_done() const noexcept { return done_; }

  /// Samples of this round: of run r, sample i is its key first_sample(r) + i * spacing().
  [[nodiscard]] std::uint64_t spacing() const noexcept;
  [[nodiscard]] std::uint64_t first_sample(std::size_t run) const { return left_[run].begin + spacing() - 1; }
  [[nodiscard]] std::uint64_t sample_count(std::size_t run) const { return left_[run].size() / spacing(); }

  /// Takes the samples of all runs. Those of run r begin at key `begins[r]` of `keys`.
  void narrow(const std::byte* keys, const std::vector<std::uint64_t>& begins);

  /// Of each run, how many of its keys are before the cut. Once it is done.
  [[nodiscard]] std::vector<std::uint64_t> cuts() const;

 private:
  std::vector<ElementRange> left_;  ///< where each run's cut still may be: begin to end, both included
  std::uint64_t rank_;              ///< keys of the intervals that are before the cuts
  KeyRules rules_;
  std::uint64_t samples_;
  bool done_ = false;
};

}  // namespace bitune::multi
