#pragma once

/// \file
/// What one rank does in a call, and the memory that it takes meanwhile.

#include <cstddef>
#include <cstdint>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "multi/run_merge.hpp"
#include "runtime/sort_engine.hpp"

namespace bitune::multi {

/// What a rank does: it sorts its own keys, and at last merges what came from all ranks. What travels with
/// the keys is a value from the exchange on: an index, too.
struct RankPlan {
  Problem first;
  RunMerge merge;
  std::uint32_t key_bytes = 0;
  std::uint32_t carried_bytes = 0;

  /// Where things begin in the workspace, in bytes. What this rank sorted, and what it received or merged
  /// meanwhile.
  std::uint64_t sorted_keys = 0;
  std::uint64_t sorted_carried = 0;
  std::uint64_t received_keys = 0;
  std::uint64_t received_carried = 0;
  std::uint64_t slots = 0;  ///< what other ranks sorted, while it is merged
  std::uint64_t samples = 0;
  std::uint64_t sorter = 0;  ///< what sorting itself takes, and merging: all from here on
  std::uint64_t bytes = 0;
};

/// What all ranks together do.
struct RankTerms {
  int ranks = 1;
  bool reads_directly = false;    ///< runs are merged from where they lie: there is memory for chunks of them
  std::uint64_t chunk_bytes = 0;  ///< as RunMerge
};

/// `received`: keys that come from all ranks together. Compiles what must be. \throws Error
[[nodiscard]] RankPlan plan_rank(SortEngine& engine, const SortSpec& spec, const RankTerms& terms,
                                 std::uint64_t n, std::uint64_t received);

/// The most keys that can come to a rank: of a top_k the first ones of each rank.
[[nodiscard]] std::uint64_t most_received(const SortSpec& spec, int ranks, std::uint64_t result) noexcept;

}  // namespace bitune::multi
