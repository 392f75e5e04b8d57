#pragma once

/// \file
/// Sorted runs that lie where their keys end up at last, or near.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/host_staging.hpp"
#include "runtime/parts/host_scratch.hpp"
#include "runtime/parts/sorted_runs.hpp"

namespace bitune {

/// Where the runs of an array lie. The array is cut into regions, one for each part of the result, and these
/// into blocks of one length, as many as there are runs. A run has one block of each region, another one in
/// each. So it has keys from all over the array; where keys come in any usual order, its sorted keys fill
/// about the right regions.
class StridedRuns {
 public:
  /// For runs and parts of the result of at most so many keys. Nothing where there would be too many runs.
  [[nodiscard]] static std::optional<StridedRuns> of(std::uint64_t n, std::uint64_t most);

  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
  [[nodiscard]] std::uint64_t regions() const noexcept { return regions_; }
  /// Of each region but the last, in which some blocks are shorter.
  [[nodiscard]] std::uint64_t block() const noexcept { return block_; }
  [[nodiscard]] ElementRange region(std::uint64_t region) const noexcept {
    return {std::min(region * runs_ * block_, n_), std::min((region + 1) * runs_ * block_, n_)};
  }
  [[nodiscard]] std::uint64_t length(std::uint64_t run) const noexcept;
  /// Where in the array a key of a run is.
  [[nodiscard]] std::uint64_t index(std::uint64_t run, std::uint64_t position) const noexcept {
    const std::uint64_t region = position / block_;
    return (region * runs_ + (run + region) % runs_) * block_ + position % block_;
  }
  /// Calls work(region, range of positions) for each region in which the run has some of these positions.
  template <class Work>
  void for_blocks(ElementRange positions, const Work& work) const {
    while (positions.begin < positions.end) {
      const std::uint64_t region = positions.begin / block_;
      const std::uint64_t end = std::min(positions.end, (region + 1) * block_);
      work(region, ElementRange{positions.begin, end});
      positions.begin = end;
    }
  }

 private:
  StridedRuns(std::uint64_t n, std::uint64_t runs, std::uint64_t block) noexcept
      : n_(n), runs_(runs), block_(block), regions_((n + runs * block - 1) / (runs * block)) {}

  std::uint64_t n_;
  std::uint64_t runs_;
  std::uint64_t block_;
  std::uint64_t regions_;
};

/// The second pass over such runs: the keys of each region's part of the result are gathered, and then the
/// region is overwritten. What it holds of later parts is kept elsewhere meanwhile: little, where the runs
/// lie well.
class StridedMerge {
 public:
  /// Finds all cuts, on at most so many threads. What is kept lies in a file of `folder`, if one is named.
  /// The runs and the keys must outlive it.
  StridedMerge(const StridedRuns& runs, std::byte* keys, const KeyRules& rules, const std::string& folder,
               unsigned threads);

  /// Where the keys of this part are when all regions before it are kept.
  [[nodiscard]] std::vector<HostPiece> pieces(std::uint64_t part) const;
  /// Saves what is in this region and belongs behind it. The region may be overwritten when this is done and
  /// all parts up to this one are read. Of several regions at once, too.
  void keep(std::uint64_t region) const;

 private:
  /// The positions of a run's keys that are in a region and belong behind it.
  [[nodiscard]] ElementRange late(std::uint64_t region, std::uint64_t run) const noexcept;

  const StridedRuns& runs_;
  std::byte* keys_;
  std::size_t key_bytes_;
  unsigned threads_;
  std::vector<std::vector<std::uint64_t>> cuts_;  ///< before each region: of each run
  std::vector<std::vector<std::uint64_t>>
      kept_begin_;  ///< of each region and run: where its late keys are kept
  std::optional<HostScratch> kept_;
};

}  // namespace bitune
