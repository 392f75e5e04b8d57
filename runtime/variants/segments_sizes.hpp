#pragma once

/// \file
/// Which segments the parts of the variant `segments` sort, and what they take of a multiprocessor.

#include <cstdint>

#include "kernels/segments/segments_layout.hpp"
#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/search_space.hpp"

namespace bitune::of_segments {

/// Whether something travels with the keys.
[[nodiscard]] bool carries(const Problem& problem);

/// Of what a network sorts: a key, or a key with its place.
[[nodiscard]] std::int64_t item_bytes(const Problem& problem);
[[nodiscard]] std::int64_t item_registers(const Problem& problem);
[[nodiscard]] std::int64_t value_registers(const Problem& problem);

/// What a warp holds.
[[nodiscard]] std::int64_t longest_of_warp(const Configuration& c);

[[nodiscard]] layout::BlockLists lists_of(const Configuration& c, const Problem& problem);
[[nodiscard]] int list_count(const Configuration& c);

/// Of the longest segment that a block sorts, or a warp where there are no lists.
[[nodiscard]] std::uint64_t longest_of_block(const Configuration& c, const Problem& problem);

/// What no block sorts is for long_segments.
[[nodiscard]] std::uint64_t least_long(const Configuration& c, const Problem& problem);

/// With the parameters of long segments, which no search varies here: segments_radix is for that.
[[nodiscard]] Configuration with_long(Configuration c, const Problem& problem, const DeviceInfo& device);

/// Threads of a block that sorts a segment of a list.
[[nodiscard]] std::int64_t threads_of_list(const Configuration& c, const Problem& problem, int list);

// Shared memory of a block.

/// That sorts short segments.
[[nodiscard]] std::int64_t shared_bytes(const Configuration& c, const Problem& problem);

/// That sorts a segment of a list.
[[nodiscard]] std::int64_t tile_bytes(const Configuration& c, const Problem& problem, int list);

/// Registers of a thread that sorts in a list's block, by what the compiler was seen to take. Shuffles want
/// room for what they bring.
[[nodiscard]] std::int64_t registers_of(const Configuration& c, const Problem& problem);

/// Blocks of a list's kernel that a multiprocessor has registers for.
[[nodiscard]] std::int64_t resident_blocks(std::int64_t threads, const Configuration& c,
                                           const Problem& problem, const DeviceInfo& device);

/// The search space, but for the variant's name.
[[nodiscard]] SearchSpace make_space();

}  // namespace bitune::of_segments
