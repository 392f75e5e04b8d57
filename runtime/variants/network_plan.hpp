#pragma once

/// \file
/// The part of a plan that several variants share: stages above the tile, split into passes over global
/// memory.

#include <cstdint>
#include <string>

#include "runtime/variants/plan_builder.hpp"

namespace bitune {

// Kernels of kernels/steps/. The first three numbers of the last two are the length, the first and the last
// stage; the fourth is whether the first stage begins with its flip.
inline constexpr RowsKernel<Address, U64, U64> element_step_kernel{"kernels/steps/element_step.cuh",
                                                                   "element_step"};
inline constexpr RowsKernel<Address, U64, U32, U64> strided_merge_kernel{"kernels/steps/strided_merge.cuh",
                                                                         "strided_merge", true};
inline constexpr RowsKernel<Address, U64, U32, U32, U32> block_steps_kernel{"kernels/steps/block_steps.cuh",
                                                                            "block_steps"};
inline constexpr RowsKernel<Address, U64, U32, U32, U32> shared_steps_kernel{"kernels/steps/block_steps.cuh",
                                                                             "shared_steps"};

/// Appends the stages first_stage .. last_stage within spans of so many keys, a block each, by block_steps or
/// shared_steps.
void append_block_steps(PlanBuilder& builder, const RowsKernel<Address, U64, U32, U32, U32>& kernel,
                        const std::string& template_arguments, const LaunchShape& shape, std::uint64_t n,
                        int first_stage, int last_stage, bool flip);

/// Appends one step of the naive form, a thread an element: the partner of i is i ^ partner_mask. `codec`:
/// codec_arguments.
void append_element_step(PlanBuilder& builder, const std::string& codec, std::int64_t threads,
                         std::uint64_t n, std::uint64_t partner_mask);

/// How steps on the index bits above a tile are done: by strided_merge with these template arguments.
struct StridedPass {
  std::string codec;  ///< codec_arguments
  std::int64_t threads = 256;
  std::int64_t steps_per_pass = 1;
  std::int64_t vector_width = 1;
  std::int64_t unroll = 1;
  std::int64_t imad_quarters = 0;
  /// The grid strides if there are more columns; 0: as many blocks as columns need.
  std::uint64_t max_blocks = 0;
};

/// Appends the steps of stage `stage` on the index bits stage-1 .. low_bits, in as few passes as
/// steps_per_pass allows, of even sizes; the first one does the flip if `flip`. Precondition: stage >
/// low_bits.
void append_strided_passes(PlanBuilder& builder, const StridedPass& pass, std::uint64_t n, int stage,
                           int low_bits, bool flip);

}  // namespace bitune
