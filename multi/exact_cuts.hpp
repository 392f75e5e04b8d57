#pragma once

/// \file
/// Where the sorted runs of all ranks are cut, so that each rank gets its part of the whole.

#include <cstdint>
#include <vector>

#include "multi/communicator.hpp"
#include "multi/cut_search.hpp"
#include "runtime/device.hpp"

namespace bitune::multi {

/// Where this rank's keys lie.
struct SortedRun {
  const Device* device = nullptr;
  const void* keys = nullptr;  ///< in order, `lengths[rank]` of them
  Piece scratch;               ///< of the device: sample_bytes
};

/// How the runs of all ranks are cut.
struct Cutting {
  std::vector<std::uint64_t> lengths;  ///< of each rank's run
  std::vector<std::uint64_t> results;  ///< keys that each rank gets; their sum is that of the lengths
  KeyRules rules;
  std::uint64_t samples = 0;  ///< of each run for each cut, in a round: samples_of
};

/// As many samples as make few rounds, and small messages.
[[nodiscard]] std::uint64_t samples_of(int ranks) noexcept;

/// Bytes of scratch memory of the device for the samples of a round.
[[nodiscard]] std::uint64_t sample_bytes(int ranks, KeyType key, std::uint64_t samples) noexcept;

/// What of each run goes to each rank: [to][run] is where the part of rank `to` begins in the run, and
/// [ranks][run] is the run's length. Of equal keys those of a lower rank come first, and within a run the
/// first ones, so that a stable sort stays stable; and each rank gets exactly its number of keys, whatever
/// the keys are. Every rank calls it. Three rounds or so of messages of some tens of kilobytes.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> find_cuts(Communicator& communicator,
                                                                const Cutting& cutting, const SortedRun& mine,
                                                                Stream stream);

}  // namespace bitune::multi
