#pragma once

/// \file
/// Shapes of the launches that split a rank's keys (kernels/multi/split_keys.cuh).

#include <algorithm>
#include <cstdint>

#include "model/plan.hpp"

namespace bitune::multi {

inline constexpr std::uint32_t split_threads = 256;
inline constexpr std::uint32_t tile_threads = 256;
inline constexpr std::uint32_t bounds_threads = 1024;

/// A launch of so many blocks.
inline Launch split_launch(std::uint64_t blocks, std::uint32_t threads, std::uint32_t shared_bytes = 0) {
  Launch launch;
  launch.grid[0] = static_cast<std::uint32_t>(blocks);
  launch.block = {threads, 1, 1};
  launch.shared_bytes = shared_bytes;
  return launch;
}

/// One that takes its items in turn, however many they are.
inline Launch spread_launch(std::uint64_t items) {
  constexpr std::uint64_t most_blocks = 1024;
  return split_launch(std::clamp<std::uint64_t>(items / split_threads, 1, most_blocks), split_threads);
}

}  // namespace bitune::multi
