#pragma once

/// \file
/// Shapes of the launches that split a rank's keys (kernels/multi/split_keys.cuh).

#include <algorithm>
#include <cstdint>

#include "kernels/multi/split_layout.hpp"
#include "model/plan.hpp"

namespace bitune::multi {

inline constexpr std::uint32_t sample_threads = 256;
inline constexpr std::uint32_t bounds_threads = 32;
inline constexpr std::uint32_t count_threads = 1024;
inline constexpr auto split_threads = static_cast<std::uint32_t>(layout::split_threads());
inline constexpr auto split_tile = static_cast<std::uint64_t>(layout::split_tile());
inline constexpr auto split_launches = static_cast<std::uint64_t>(layout::split_launches());
inline constexpr auto most_split_parts = static_cast<std::size_t>(layout::most_split_parts());

/// A launch of so many blocks.
inline Launch split_launch(std::uint64_t blocks, std::uint32_t threads, std::uint64_t shared_bytes = 0) {
  Launch launch;
  launch.grid[0] = static_cast<std::uint32_t>(blocks);
  launch.block = {threads, 1, 1};
  launch.shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  return launch;
}

}  // namespace bitune::multi
