#pragma once

/// \file
/// Merging the sorted runs that a rank received (kernels/multi/merge_two_runs.cuh).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bitune/types.hpp"
#include "model/plan.hpp"
#include "multi/rank_device.hpp"

namespace bitune::multi {

/// Keys and what travels with them, in a device's memory.
struct RunArrays {
  std::byte* keys = nullptr;  ///< null where they are not wanted
  std::byte* carried = nullptr;
};

/// Merges neighbouring runs in pairs, in as many rounds as halve their number to 1. Equal keys of an earlier
/// run come first. Each round reads and writes each key once.
class RunMerge {
 public:
  RunMerge() = default;
  RunMerge(const SortSpec& spec, std::uint32_t carried_bytes);

  /// Memory of the device that merging runs of so many keys together takes.
  [[nodiscard]] std::uint64_t splits_bytes(std::uint64_t keys) const noexcept;

  /// What it launches.
  [[nodiscard]] std::vector<KernelSource> kernels() const { return {split_kernel_, merge_kernel_}; }

  /// Where a merge reads and writes.
  struct Memory {
    RunArrays from;          ///< the runs, one behind the other
    RunArrays to;            ///< `kept` elements, beside the others
    RunArrays between;       ///< room for what `from` has. More than two runs are written to both
    void* splits = nullptr;  ///< splits_bytes
  };

  /// Writes the first `kept` keys of the runs, at most as many as there are. Enqueues it.
  void run(RankDevice& device, std::vector<std::uint64_t> lengths, std::uint64_t kept, Memory memory,
           Stream stream) const;

 private:
  /// Two neighbouring runs, and how many keys of them are kept.
  struct Pair {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint64_t kept = 0;
  };

  [[nodiscard]] RunArrays at(const RunArrays& arrays, std::uint64_t place) const noexcept;
  void merge(RankDevice& device, const Pair& pair, const RunArrays& from, const RunArrays& to, void* splits,
             Stream stream) const;

  KernelSource split_kernel_;
  KernelSource merge_kernel_;
  std::uint64_t key_bytes_ = 0;
  std::uint64_t carried_bytes_ = 0;
  std::uint64_t tile_ = 1;  ///< keys of a block
};

}  // namespace bitune::multi
