#pragma once

/// \file
/// The launch that sets counters to 0, where a plan counts.

#include <cstdint>

#include "runtime/variants/plan_builder.hpp"

namespace bitune {

inline constexpr Kernel<Address, U32> clear_counts_kernel{"kernels/network/clear_counts.cuh", "clear_counts"};

/// Appends it, for so many u32, by at most `most_blocks` blocks.
void append_clear_counts(PlanBuilder& builder, Address counters, std::uint64_t count,
                         std::uint64_t most_blocks);

}  // namespace bitune
