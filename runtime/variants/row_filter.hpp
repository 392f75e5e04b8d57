#pragma once

/// \file
/// What the variants share that stream a row or a segment past a bound from a random sample, by a block or a
/// cluster each (kernels/topk/row_filter.cuh).

#include <cstdint>
#include <string>

#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/search_space.hpp"
#include "runtime/variants/plan_builder.hpp"

namespace bitune::row_filter {

/// Of larger k the candidates fit no block.
inline constexpr std::uint64_t largest_k = 8192;

/// Places have 32 bits, and some of them say what is none.
inline constexpr std::uint64_t longest_row = std::uint64_t{1} << 31;

/// How long a row is for which the room suffices but once in a million times: all keys of a row, but of
/// segments less than all of them. What is longer takes more time.
[[nodiscard]] std::uint64_t longest_of(const Problem& problem) noexcept;

[[nodiscard]] std::int64_t sample_count(const Configuration& c);

/// Adds the parameters, and what they must be.
void add_to(SearchSpace& space);

/// A good configuration of the variant whose space this is.
[[nodiscard]] Configuration defaults(const SearchSpace& space, const Problem& problem,
                                     const DeviceInfo& device);

/// The template arguments of the kernel, and the launch for so many rows.
[[nodiscard]] std::string arguments(const Problem& problem, const Configuration& c);
[[nodiscard]] LaunchShape launch_shape(const Problem& problem, const Configuration& c);

}  // namespace bitune::row_filter
