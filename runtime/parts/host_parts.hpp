#pragma once

/// \file
/// Calls in host memory that are larger than what the device gives.

#include <cstdint>
#include <functional>
#include <string>

#include "bitune/bitune.hpp"
#include "runtime/parts/host_call.hpp"
#include "runtime/parts/strided_runs.hpp"

namespace bitune {

/// How a large call is cut.
struct PartSizes {
  std::uint64_t keys = 0;  ///< at most, of one part; at least 1
  unsigned at_once = 1;  ///< parts under way at the same time, a thread each: one copies while another sorts
};

/// Bytes of the arrays of a call, packed. Of arrays and rows.
[[nodiscard]] std::uint64_t array_bytes(const Problem& problem);

/// Parts whose arrays and workspaces take at most `bytes` together, if there is any such size; else small
/// ones. `workspace_of` tells the bytes of workspace that a problem takes.
[[nodiscard]] PartSizes part_sizes(const Problem& problem, std::uint64_t bytes, unsigned at_once,
                                   const std::function<std::uint64_t(const Problem&)>& workspace_of);

/// How many parts those are, both passes of large arrays counted.
[[nodiscard]] std::uint64_t part_count(const Problem& problem, const PartSizes& sizes) noexcept;

/// Does a call in parts.
///
/// Rows go group by group. An array is sorted in two passes: each part by itself, to sorted runs; then the
/// runs are cut at the ranks at which the parts of the result begin (cut_runs), and what lies between two
/// cuts is sorted to where it belongs. So each key goes to the device and back twice, and no part is larger
/// than the others. Runs of keys alone lie in the result (StridedRuns); with what travels with keys they are
/// in scratch memory of the host, and a stable call stays stable. A top_k of an array is a top_k of the
/// firsts of its parts.
class HostParts {
 public:
  /// `run` does one part, from several threads at once. `progress`, if it is there, is told how many parts of
  /// how many are done, from one thread at a time. Sorted runs are kept in a file of `scratch_folder`, if one
  /// is named, else in memory.
  HostParts(std::function<HostSortTimes(const HostCall&)> run, PartSizes sizes, ProgressFunction progress,
            std::string scratch_folder);

  /// Returns the sums of the parts' times, which overlap, and the wall time of all. \throws what `run`
  /// throws first, when no part is under way any more; Error (out_of_resources) for a top_k of more keys than
  /// a part has, and for lengths of arrays that are larger than a part
  HostSortTimes run(const Problem& problem, const Operands& operands) const;

 private:
  class Tally;

  void run_rows(const Problem& problem, const Operands& operands, Tally& tally) const;
  void sort_keys(const Problem& problem, const StridedRuns& runs, const Operands& operands,
                 Tally& tally) const;
  void sort_array(const Problem& problem, const Operands& operands, Tally& tally) const;
  void first_of_array(const Problem& problem, const Operands& operands, Tally& tally) const;
  void run_part(const Problem& problem, const Operands& operands, Tally& tally) const;

  std::function<HostSortTimes(const HostCall&)> run_;
  PartSizes sizes_;
  ProgressFunction progress_;
  std::string scratch_folder_;
};

}  // namespace bitune
