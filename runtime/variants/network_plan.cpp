#include "runtime/variants/network_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bitune {
namespace {

/// Columns (of `vector` neighbours) of a pass on index bits [low_bits, low_bits + steps) that have a place
/// below n.
std::uint64_t column_count(std::uint64_t n, int low_bits, int steps, std::uint64_t vector) {
  const std::uint64_t width = std::uint64_t{1} << low_bits;
  const int block_bits = low_bits + steps;
  const std::uint64_t whole = block_bits >= 64 ? 0 : n >> block_bits;
  const std::uint64_t rest = block_bits >= 64 ? n : n & ((std::uint64_t{1} << block_bits) - 1);
  const std::uint64_t columns = whole * width + std::min(rest, width);
  return parts_of(columns, vector);
}

/// The widest vector not above `vector` that divides 2^low_bits: neighbours of a column differ in bits below
/// low_bits.
std::int64_t fitting_vector(std::int64_t vector, int low_bits) {
  return low_bits >= 4 ? vector : std::min(vector, std::int64_t{1} << low_bits);
}

}  // namespace

void append_block_steps(PlanBuilder& builder, const RowsKernel<Address, U64, U32, U32, U32>& kernel,
                        const std::string& template_arguments, const LaunchShape& shape, std::uint64_t n,
                        int first_stage, int last_stage, bool flip) {
  builder.launch(kernel, template_arguments, shape, keys_address(), n, static_cast<unsigned>(first_stage),
                 static_cast<unsigned>(last_stage), flip ? 1u : 0u);
}

void append_element_step(PlanBuilder& builder, const std::string& codec, std::int64_t threads,
                         std::uint64_t n, std::uint64_t partner_mask) {
  builder.launch(element_step_kernel, fmt::format("{}, {}", codec, threads),
                 {.blocks = parts_of(n, as_count(threads)), .threads = static_cast<std::uint32_t>(threads)},
                 keys_address(), n, partner_mask);
}

void append_strided_passes(PlanBuilder& builder, const StridedPass& pass, std::uint64_t n, int stage,
                           int low_bits, bool flip) {
  int high = stage;
  while (high > low_bits) {
    const int remaining = high - low_bits;
    const int passes = static_cast<int>((remaining + pass.steps_per_pass - 1) / pass.steps_per_pass);
    const int steps = (remaining + passes - 1) / passes;
    const int low = high - steps;
    const bool flip_here = flip && high == stage;
    const std::int64_t vector = fitting_vector(pass.vector_width, low);
    const std::uint64_t columns = column_count(n, low, steps, as_count(vector));
    std::uint64_t blocks = parts_of(columns, as_count(pass.threads * pass.unroll));
    if (pass.max_blocks != 0) blocks = std::min(blocks, pass.max_blocks);
    builder.launch(strided_merge_kernel,
                   fmt::format("{}, {}, {}, {}, {}, {}, {}", pass.codec, pass.threads, steps, vector,
                               pass.unroll, flip_here, pass.imad_quarters),
                   {.blocks = blocks, .threads = static_cast<std::uint32_t>(pass.threads)}, keys_address(), n,
                   static_cast<unsigned>(low), columns);
    high = low;
  }
}

}  // namespace bitune
