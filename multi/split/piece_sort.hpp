#pragma once

/// \file
/// The sort of what a rank has once all has come: by pieces, some of which are still on their way.

#include <cstdint>
#include <vector>

#include "multi/rank_device.hpp"
#include "multi/run_arrays.hpp"
#include "runtime/variants/radix_in_pieces.hpp"

namespace bitune::multi {

/// Keys with what travels with them, and how often each digit is in them.
struct SortedPiece {
  RunArrays from;
  std::uint64_t n = 0;
  std::vector<std::uint64_t> digits;    ///< RadixInPieces::counters
  const DeviceEvent* copied = nullptr;  ///< they are there once this has passed; null: they are
  std::uint64_t turn = 0;               ///< pieces of a lower turn are there first
};

/// Sorts pieces by a RadixInPieces. All that is given must outlive it.
class PieceSort {
 public:
  PieceSort(RankDevice& device, const RadixInPieces& radix, const ItemBytes& bytes, Stream stream)
      : device_(device), radix_(radix), bytes_(bytes), stream_(stream) {}

  /// Memory of the device.
  struct Memory {
    RunArrays to;                    ///< the result
    std::byte* workspace = nullptr;  ///< RadixInPieces::RestMemory
    std::byte* first = nullptr;      ///< of the first passes
    std::uint64_t first_bytes = 0;
  };

  /// Sorts all pieces together, in their order where keys are equal. Of the sorted keys writes `count` behind
  /// the first `skipped` ones. Enqueues it; host memory that the device reads meanwhile lives as long as
  /// this.
  void run(const std::vector<SortedPiece>& pieces, std::uint64_t skipped, std::uint64_t count,
           const Memory& memory);

 private:
  void launch(const Plan& plan, const RunArrays& from, const RunArrays& to, std::uint64_t n,
              std::byte* workspace);
  /// Copies counters to the device.
  void copy_counters(std::byte* to, const std::vector<std::uint64_t>& counts);

  RankDevice& device_;
  const RadixInPieces& radix_;
  ItemBytes bytes_;
  Stream stream_;
  std::vector<std::vector<std::byte>> copied_;  ///< by copy_counters
};

}  // namespace bitune::multi
