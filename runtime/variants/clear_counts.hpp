#pragma once

/// \file
/// The launch that sets counters to 0, where a plan counts.

#include <cstdint>

#include "runtime/variants/plan_builder.hpp"

namespace bitune {

using ClearKernel = Kernel<Address, U32>;

inline constexpr ClearKernel clear_counts_kernel{"kernels/network/clear_counts.cuh", "clear_counts"};
/// Where the next launch reads nothing early.
inline constexpr ClearKernel clear_digits_kernel{
    .header = "kernels/radix/clear_digits.cuh", .name = "clear_digits", .allows_next_early = true};

/// Appends it, for so many u32, by at most `most_blocks` blocks.
void append_clear_counts(PlanBuilder& builder, const ClearKernel& kernel, Address counters,
                         std::uint64_t count, std::uint64_t most_blocks);

}  // namespace bitune
