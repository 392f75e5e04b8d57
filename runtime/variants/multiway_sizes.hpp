#pragma once

/// \file
/// How large the parts of a multiway sort are, and what they take of a multiprocessor.

#include <cstdint>

#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/search_space.hpp"

namespace bitune::of_multiway {

inline constexpr std::int64_t smallest_tile = 64 * 4;

/// Splitting takes a place in every run for every bucket: it grows with the square of this.
inline constexpr std::uint64_t most_tiles = 4096;

/// Keys of a run, and of a bucket.
[[nodiscard]] std::int64_t tile_size(const Configuration& c);

/// How many runs, and as many buckets, a row has.
[[nodiscard]] std::uint64_t tile_count(const Configuration& c, const Problem& problem);

/// Keys of the longest run that the registers and the shared memory of a block hold on the device.
[[nodiscard]] std::int64_t largest_tile(KeyType key, const DeviceInfo& device);

/// Keys of the longest row: there are most_tiles runs of it, and ranks are 32-bit numbers.
[[nodiscard]] std::uint64_t most_keys(KeyType key, const DeviceInfo& device);

/// Whether the blocks that sort the buckets split the runs themselves.
[[nodiscard]] bool splits_in_buckets(const Configuration& c);

/// Whether a thread has registers for what splitting holds.
[[nodiscard]] bool splitting_fits_registers(const Configuration& c, const Problem& problem,
                                            const DeviceInfo& device);

/// Boundaries of one level between two of the level above, and one. Precondition: there are levels.
[[nodiscard]] std::uint64_t fan_out(const Configuration& c, const Problem& problem);

// Shared memory of a block.

/// That sorts a run.
[[nodiscard]] std::int64_t run_bytes(const Configuration& c, const Problem& problem);

/// That sorts a bucket: a tile, or what splitting takes before it is there; then what tells of the pieces.
[[nodiscard]] std::int64_t bucket_bytes(const Configuration& c, const Problem& problem);

/// That splits the runs and does nothing else.
[[nodiscard]] std::int64_t split_bytes(const Configuration& c, const Problem& problem);

/// Whether blocks that split the runs themselves have room for windows of so many keys.
[[nodiscard]] bool windows_fit(Configuration c, const Problem& problem, const DeviceInfo& device,
                               std::int64_t window = 64);

/// The search space, but for the variant's name.
[[nodiscard]] SearchSpace make_space();

}  // namespace bitune::of_multiway
