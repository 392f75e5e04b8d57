#pragma once

/// \file
/// What the variants share in which the blocks of a cluster choose the first k keys of a row from registers
/// (kernels/topk/cluster_choice.cuh).

#include <cstdint>
#include <vector>

#include "model/device_info.hpp"
#include "model/problem.hpp"
#include "model/search_space.hpp"

namespace bitune::cluster_choice {

/// The least power of two from k on.
[[nodiscard]] std::int64_t rounded_k(const Problem& problem);

/// The least power of two from the row's length on.
[[nodiscard]] std::int64_t tile_for(const Problem& problem);

/// Keys that the registers of a cluster hold.
[[nodiscard]] std::int64_t capacity(const Configuration& c);

/// Candidates that a row has room for: for the first k vectors of so many keys at least, if that is said.
[[nodiscard]] std::int64_t candidates(const Configuration& c, const Problem& problem,
                                      std::int64_t vector = 1);

/// Candidates that a thread of a network has which sorts so many: a warp's threads, or a block's.
[[nodiscard]] std::int64_t sorted_items(const Configuration& c, std::int64_t candidates);

/// Shared memory of a block, with room for so many candidates. stays: without the keys of blocks that do.
[[nodiscard]] std::int64_t shared_bytes(const Configuration& c, const Problem& problem,
                                        std::int64_t candidates, bool stays);

/// What 16 blocks of 1024 threads hold. Shorter rows than the shortest are one block's work.
inline constexpr std::uint64_t longest_row = std::uint64_t{1} << 19;
inline constexpr std::uint64_t shortest_row = 2048;

/// A row fits the registers of its cluster, and fills more than half of them.
[[nodiscard]] Restriction row_fills_cluster();

/// Parameters of both.
[[nodiscard]] Parameter minima();
[[nodiscard]] Parameter candidate_factor();

/// Candidates of a row, in a configuration.
using Candidates = std::int64_t (*)(const Configuration&, const Problem&);

/// What groups of keys, candidates and registers ask of a configuration.
[[nodiscard]] std::vector<Restriction> restrictions(Candidates candidates);

}  // namespace bitune::cluster_choice
