#pragma once

/// \file
/// What the variants share that sort runs of keys with their places in registers, and merge them:
/// `merge_by_place` and `merge_topk`.

#include <cstdint>
#include <string>

#include "bitune/types.hpp"
#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/search_space.hpp"

namespace bitune::place_runs {

/// A place and a row's length have 32 bits in the kernels. Places behind the end, up to the next tile, too.
inline constexpr std::uint64_t longest_row = std::uint64_t{1} << 31;

/// Keys of a run that a block sorts, and of a tile that a block merges.
[[nodiscard]] std::int64_t run_size(const Configuration& c);
[[nodiscard]] std::int64_t tile_size(const Configuration& c);

/// Shared memory of a block that sorts a run, and of one that merges a tile.
[[nodiscard]] std::int64_t run_bytes(const Configuration& c, const Problem& problem);
[[nodiscard]] std::int64_t tile_bytes(const Configuration& c, const Problem& problem);

/// All of the variant's space.
[[nodiscard]] SearchSpace space(std::string variant);

/// Of a variant with this space.
[[nodiscard]] Configuration default_configuration(const SearchSpace& all, const Problem& problem,
                                                  const DeviceInfo& device);

}  // namespace bitune::place_runs
