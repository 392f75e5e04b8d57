#pragma once

/// \file
/// Merging sorted runs, wherever the device reads them (kernels/multi/merge_two_runs.cuh).

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bitune/types.hpp"
#include "model/plan.hpp"
#include "multi/rank_device.hpp"

namespace bitune::multi {

/// Keys and what travels with them, in memory that a device reaches.
struct RunArrays {
  std::byte* keys = nullptr;  ///< null where they are not wanted
  std::byte* carried = nullptr;
};

/// Sorted keys, and what travels with them.
struct MergedRun {
  RunArrays arrays = {};
  std::uint64_t length = 0;
  bool is_near = true;  ///< of this device
};

/// Merges neighbouring runs in pairs, in as many rounds as halve their number to 1. Equal keys of an earlier
/// run come first. Each round reads and writes each key once.
class RunMerge {
 public:
  RunMerge() = default;
  RunMerge(const SortSpec& spec, std::uint32_t carried_bytes);

  /// Memory of the device that merging runs of so many keys together takes.
  [[nodiscard]] std::uint64_t splits_bytes(std::uint64_t keys) const noexcept;

  /// Parts of so many keys that a block each merges. `splits` of the last merge tells how many keys of its
  /// first run come before each of them, and behind the last one before its end.
  [[nodiscard]] std::uint64_t tiles(std::uint64_t keys) const noexcept;

  /// What it launches.
  [[nodiscard]] std::vector<KernelSource> kernels() const { return {split_kernel_, merge_kernel_}; }

  /// Where a merge writes.
  struct Memory {
    RunArrays to;                         ///< `kept` elements
    std::array<RunArrays, 2> between;     ///< of more than two runs: rounds but the last write there, in turn
    void* splits = nullptr;               ///< splits_bytes
    std::function<void()> runs_are_read;  ///< called once, when all that reads the runs is enqueued
  };

  /// Of the merged runs, writes the `kept` keys behind the first `skipped` ones; of more than two runs none
  /// is skipped, and those without keys take no part. The arrays of `between` have room for all keys; the
  /// second one may be where the runs are. Enqueues it.
  void run(RankDevice& device, std::vector<MergedRun> runs, std::uint64_t skipped, std::uint64_t kept,
           const Memory& memory, Stream stream) const;

  /// The array from an element on.
  [[nodiscard]] RunArrays at(const RunArrays& arrays, std::uint64_t place) const noexcept;

 private:
  /// Two runs, which of their merged keys are wanted, and where to.
  struct Pair {
    MergedRun first;
    MergedRun second;
    std::uint64_t skipped = 0;
    std::uint64_t kept = 0;
    RunArrays to = {};
  };

  void merge(RankDevice& device, const Pair& pair, void* splits, Stream stream) const;

  KernelSource split_kernel_;
  KernelSource merge_kernel_;
  std::uint64_t key_bytes_ = 0;
  std::uint64_t carried_bytes_ = 0;
  std::uint64_t tile_ = 1;  ///< keys of a block
};

}  // namespace bitune::multi
