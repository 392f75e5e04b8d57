// The variant `global`: every compare-exchange in global memory.

#include <fmt/format.h>

#include <algorithm>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
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

class GlobalVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "global"; }
  std::string_view description() const noexcept override {
    return "every compare-exchange in global memory, from one launch a step to several steps fused a pass";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {block_steps_kernel.header, element_step_kernel.header, strided_merge_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override;
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

bool GlobalVariant::supports(const Problem& problem, const DeviceInfo&) const {
  return sorts_keys_alone(problem);
}

SearchSpace GlobalVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
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

Configuration GlobalVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  return {std::string(name()),
          {{"block_size_x", std::min(256, device.max_threads_per_block)},
           {"thread_per_element", 0},
           {"steps_per_pass", 3},
           {"vector_width", size_of(problem.key) == 8 ? 1 : 2},
           {"loop_unroll_factor_pairs", 1},
           {"blocks_per_sm", 0},
           {"block_fusion", 1}}};
}

Plan GlobalVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder(problem.rows);
  const std::uint64_t n = problem.n;
  const int stages = ceil_log2(n);
  if (stages == 0) return builder.take();

  const std::string codec = codec_arguments(problem.key, problem.order);
  const std::int64_t threads = c.at("block_size_x");
  const int span = c.at("block_fusion") == 1 ? span_bits(c) : 0;
  const std::string arguments =
      fmt::format("{}, {}, {}, {}", codec, threads, 1u << span, c.at("loop_unroll_factor_pairs"));
  const LaunchShape shape{.blocks = parts_of(n, std::uint64_t{1} << span),
                          .threads = static_cast<std::uint32_t>(threads)};
  const auto append_spans = [&](int first_stage, int last_stage, bool flip) {
    append_block_steps(builder, block_steps_kernel, arguments, shape, n, first_stage, last_stage, flip);
  };
  StridedPass pass;
  pass.codec = codec;
  pass.threads = threads;
  pass.steps_per_pass = c.at("steps_per_pass");
  pass.vector_width = c.at("vector_width");
  pass.unroll = c.at("loop_unroll_factor_pairs");
  pass.max_blocks = static_cast<std::uint64_t>(c.at("blocks_per_sm") * device.sm_count);

  if (span > 0) append_spans(1, std::min(span, stages), true);
  for (int stage = span + 1; stage <= stages; ++stage) {
    if (naive(c)) {
      append_element_step(builder, codec, threads, n, (std::uint64_t{1} << stage) - 1);
      for (int bit = stage - 2; bit >= span; --bit) {
        append_element_step(builder, codec, threads, n, std::uint64_t{1} << bit);
      }
    } else {
      append_strided_passes(builder, pass, n, stage, span, true);
    }
    if (span > 0) append_spans(span, span, false);
  }
  return builder.take();
}

}  // namespace
}  // namespace of_global

/// From the naive form, with a launch a step and a thread an element, to the fused one: several steps a pass
/// in registers, vector loads, grid-stride loops with unrolled columns, and one launch for all steps within a
/// block's span.
const Variant& global_variant() {
  static const of_global::GlobalVariant variant;
  return variant;
}

}  // namespace bitune
