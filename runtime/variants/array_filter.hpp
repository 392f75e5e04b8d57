#pragma once

/// \file
/// What the variants share that filter one long array by the whole device (kernels/topk/filter_array.cuh):
/// the launch that keeps what is not behind a bound.

#include <cstdint>
#include <string_view>

#include "model/device_info.hpp"
#include "model/search_space.hpp"
#include "runtime/variants/plan_builder.hpp"

namespace bitune {

struct ArrayFilter {
  static constexpr std::string_view header = "kernels/topk/filter_array.cuh";
  static constexpr std::uint64_t longest_array = std::uint64_t{1} << 31;

  /// What lies between the launches, in the workspace.
  struct Between {
    Address items;       ///< the candidates
    std::uint64_t room;  ///< for so many
    Address count;       ///< how many there are, which may be more
    Address bound;
  };

  /// Whether the first keys of such an array can be filtered.
  [[nodiscard]] static bool can_filter(const Problem& problem, const DeviceInfo& device);

  /// Takes the workspace for it.
  [[nodiscard]] static Between between(PlanBuilder& builder, const Problem& problem, std::uint64_t room);

  /// Adds its parameters (block_size_x, vectors_per_thread, min_blocks_per_sm), and what they must be.
  static void add_to(SearchSpace& space);

  /// A good number of vectors a thread.
  [[nodiscard]] static std::int64_t default_vectors(const Problem& problem);

  /// Keys that a block has under way at once.
  [[nodiscard]] static std::uint64_t chunk_keys(const Problem& problem, const Configuration& c);

  /// Blocks that filter: as many as run at once, or as there are chunks of keys for.
  [[nodiscard]] static std::uint64_t blocks(const Problem& problem, const Configuration& c,
                                            const DeviceInfo& device);

  /// Adds the launch. carrying: the kernel's codec and PlacedForm, and whether anything travels with the
  /// keys.
  static void add_to(PlanBuilder& builder, const Problem& problem, const Configuration& c,
                     const DeviceInfo& device, std::string_view carrying, const Between& between);
};

}  // namespace bitune
