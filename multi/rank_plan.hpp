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

/// Pieces of runs are copied from multiples of so many bytes to such.
inline constexpr std::uint64_t piece_alignment = 256;

constexpr std::uint64_t rounded_piece(std::uint64_t bytes) noexcept {
  return (bytes + piece_alignment - 1) / piece_alignment * piece_alignment;
}

/// Takes a part of the workspace, of which so many bytes are taken: returns where it begins.
inline std::uint64_t take_piece(std::uint64_t& taken, std::uint64_t bytes) noexcept {
  const std::uint64_t begin = taken;
  taken += rounded_piece(bytes);
  return begin;
}

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
  std::uint64_t samples = 0;
  std::uint64_t sorter = 0;       ///< what sorting itself takes, and merging: all from here on
  std::uint64_t copied_keys = 0;  ///< there, for merging; or halves of keys
  std::uint64_t copied_carried = 0;
  std::uint64_t bytes = 0;
};

/// `received`: keys that come from all ranks together. `reads_directly`: they are merged from where they lie,
/// and memory for them is taken only for merging in several rounds. `by_halves`: two ranks read them so.
/// Compiles what must be. \throws Error
[[nodiscard]] RankPlan plan_rank(SortEngine& engine, const SortSpec& spec, int ranks, std::uint64_t n,
                                 std::uint64_t received, bool reads_directly, const CopyRules& rules = {},
                                 bool by_halves = false);

/// The most keys that can come to a rank: of a top_k the first ones of each rank.
[[nodiscard]] std::uint64_t most_received(const SortSpec& spec, int ranks, std::uint64_t result) noexcept;

}  // namespace bitune::multi
