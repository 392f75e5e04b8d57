// The variant `global`: every compare-exchange in global memory.

#include <fmt/format.h>

#include <algorithm>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/definition.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/network_plan.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_global {
namespace {

bool naive(const Configuration& c) { return c.at("thread_per_element") == 1; }

/// log2 of the keys that one block covers when it fuses the steps within its span.
int span_bits(const Configuration& c) {
  return ceil_log2(static_cast<std::uint64_t>(2 * c.at("block_size_x") * c.at("loop_unroll_factor_pairs")));
}

bool can_sort(const Problem& problem, const DeviceInfo&) { return sorts_keys_alone(problem); }

SearchSpace make_space(const Problem&, const DeviceInfo&) {
  SearchSpace space;
  space.parameters = {
      {"block_size_x", {32, 64, 128, 256, 512, 1024}, "threads a block"},
      {"thread_per_element", {0, 1}, "1: the naive form, one thread an element and one launch a step"},
      {"steps_per_pass",
       {1, 2, 3, 4, 5},
       "network steps a pass over global memory; a thread holds 2^steps keys a column"},
      {"vector_width", {1, 2, 4}, "neighbouring keys a thread loads at once"},
      {"loop_unroll_factor_pairs",
       {1, 2, 4, 8},
       "columns (or pairs, where a block fuses steps) in flight a thread"},
      {"blocks_per_sm",
       {0, 8, 32},
       "0: a thread a column; else the grid strides with so many blocks a multiprocessor"},
      {"block_fusion", {0, 1}, "1: steps within a block's span share one launch, a barrier between them"},
  };
  space.restrictions = {
      block_fits_device(),
      vector_fits_access(),
      pass_fits_registers("loop_unroll_factor_pairs"),
      {"the naive form takes one step a pass, one key a load, and no grid stride",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return !naive(c) ||
                (c.at("steps_per_pass") == 1 && c.at("vector_width") == 1 && c.at("blocks_per_sm") == 0);
       }},
      {"the naive form unrolls pairs only where a block fuses steps",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return !naive(c) || c.at("block_fusion") == 1 || c.at("loop_unroll_factor_pairs") == 1;
       }},
  };
  return space;
}

Configuration make_default(const Problem& problem, const DeviceInfo& device) {
  return {{},
          {{"block_size_x", std::min(256, device.max_threads_per_block)},
           {"thread_per_element", 0},
           {"steps_per_pass", 3},
           {"vector_width", size_of(problem.key) == 8 ? 1 : 2},
           {"loop_unroll_factor_pairs", 1},
           {"blocks_per_sm", 0},
           {"block_fusion", 1}}};
}

Plan make_plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) {
  PlanBuilder builder(problem.rows);
  const std::uint64_t n = problem.n;
  const int stages = ceil_log2(n);
  if (stages == 0) return builder.take();

  const std::string codec = codec_arguments(problem.key, problem.order);
  const std::int64_t threads = c.at("block_size_x");
  const int span = c.at("block_fusion") == 1 ? span_bits(c) : 0;
  const KernelSource block_steps{"kernels/steps/block_steps.cuh",
                                 fmt::format("bitune::block_steps<{}, {}, {}, {}>", codec, threads,
                                             1u << span, c.at("loop_unroll_factor_pairs"))};
  const auto append_block_steps = [&](int first_stage, int last_stage, bool flip) {
    const std::uint64_t width = std::uint64_t{1} << span;
    builder.launch_rows(
        block_steps, parts_of(n, width), static_cast<std::uint32_t>(threads), 0,
        {keys_argument(), u64_argument(n), u32_argument(static_cast<std::uint64_t>(first_stage)),
         u32_argument(static_cast<std::uint64_t>(last_stage)), u32_argument(flip ? 1 : 0)});
  };
  StridedPass pass;
  pass.codec = codec;
  pass.threads = threads;
  pass.steps_per_pass = c.at("steps_per_pass");
  pass.vector_width = c.at("vector_width");
  pass.unroll = c.at("loop_unroll_factor_pairs");
  pass.max_blocks = static_cast<std::uint64_t>(c.at("blocks_per_sm") * device.sm_count);

  if (span > 0) append_block_steps(1, std::min(span, stages), true);
  for (int stage = span + 1; stage <= stages; ++stage) {
    if (naive(c)) {
      append_element_step(builder, codec, threads, n, (std::uint64_t{1} << stage) - 1);
      for (int bit = stage - 2; bit >= span; --bit) {
        append_element_step(builder, codec, threads, n, std::uint64_t{1} << bit);
      }
    } else {
      append_strided_passes(builder, pass, n, stage, span, true);
    }
    if (span > 0) append_block_steps(span, span, false);
  }
  return builder.take();
}

}  // namespace
}  // namespace of_global

/// From the naive form (a launch a step, a thread an element) to several steps fused in registers a pass,
/// vector loads, grid-stride loops with unrolled columns, and steps within a block's span fused into one
/// launch.
const Variant& global_variant() {
  static const DefinedVariant variant(
      {.name = "global",
       .description =
           "every compare-exchange in global memory, from one launch a step to several steps fused a pass",
       .kernel_headers = {"kernels/steps/block_steps.cuh", "kernels/steps/element_step.cuh",
                          "kernels/steps/strided_merge.cuh"},
       .supports = of_global::can_sort,
       .space = of_global::make_space,
       .default_configuration = of_global::make_default,
       .plan = of_global::make_plan});
  return variant;
}

}  // namespace bitune
