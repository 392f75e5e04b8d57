#include "runtime/variants/radix_passes.hpp"

#include <fmt/format.h>

#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/pass_codecs.hpp"

namespace bitune {
namespace {

using radix_parts::CountKernel;
using radix_parts::pass_bytes;

constexpr std::string_view keys_header = "kernels/radix/radix_pass.cuh";
constexpr std::string_view count_header = "kernels/radix/count_digits.cuh";
constexpr std::string_view pairs_header = "kernels/radix/radix_pairs_pass.cuh";
constexpr std::string_view ramped_header = "kernels/radix/ramped_pairs_pass.cuh";

constexpr Kernel<Address, Address, U64, U32, Address, Address, Address, U32> keys_kernel{keys_header,
                                                                                         "radix_pass"};
constexpr Kernel<Address, Address, Address, Address, U64, U32, Address, Address, Address, U32> pairs_kernel{
    pairs_header, "radix_pairs_pass"};
constexpr Kernel<Address, Address, Address, Address, U64, U32, Address, Address, Address, U32, U32, U32>
    ramped_kernel{ramped_header, "ramped_pairs_pass"};

constexpr Kernel<Address, Address, Address, Address, U64, U32, Address, Address, Address, U32, U64, U64>
    wanted_kernel{"kernels/multi/wanted_pass.cuh", "wanted_pass"};

std::uint64_t ramped_pass_bytes(const Configuration& c, const Problem& problem) {
  return as_count(layout::rounded_up(pass_bytes(c, problem), 8) + layout::tile_span_bytes());
}

}  // namespace

RadixPasses::RadixPasses(const Problem& problem, const Configuration& c, const DeviceInfo& device,
                         bool has_ramps)
    : problem_(problem),
      c_(c),
      device_(device),
      passes_(as_count(radix_parts::pass_count(c, problem))),
      carries_(carried_bytes(problem) != 0),
      has_ramps_(has_ramps && carries_ && c.at("min_blocks_per_sm") >= 2) {}

std::vector<std::string_view> RadixPasses::headers(bool carries) {
  if (carries) return {pairs_header, ramped_header};
  return {count_header, keys_header};
}

CountKernel RadixPasses::count_kernel() const noexcept {
  return {
      .header = carries_ ? pairs_header : count_header, .name = "count_digits", .allows_next_early = true};
}

std::string RadixPasses::counted_codec() const {
  if (!carries_) return codec_arguments(problem_.key, problem_.order);
  return PassCodecs(problem_, passes_, c_.at("radix_bits")).of_counting();
}

/// Ramps are for blocks that share a multiprocessor: a block alone has no other one to take turns with.
layout::RampedTiles RadixPasses::ramped_tiles_of(std::uint64_t n) const {
  const std::int64_t blocks = c_.at("min_blocks_per_sm");
  if (!has_ramps_ || ramped_pass_bytes(c_, problem_) > as_count(device_.shared_bytes_per_block_optin)) {
    return {.step = 0, .falls_from = 0, .count = parts_of(n, as_count(radix_parts::tile_size(c_)))};
  }
  return layout::ramped_tiles(n, c_.at("block_size_x"), c_.at("items_per_thread"), blocks * device_.sm_count);
}

std::uint64_t RadixPasses::tiles_of(std::uint64_t n) const { return ramped_tiles_of(n).count; }

void RadixPasses::append(PlanBuilder& builder, std::uint64_t pass, std::uint64_t n, const PassMemory& memory,
                         bool makes_indices) const {
  if (carries_) {
    append_pairs(builder, pass, n, memory, makes_indices);
  } else {
    append_keys(builder, pass, n, memory);
  }
}

void RadixPasses::append_keys(PlanBuilder& builder, std::uint64_t pass, std::uint64_t n,
                              const PassMemory& memory) const {
  const bool is_last = pass + 1 == passes_;
  const std::uint64_t tiles = tiles_of(n);
  builder.launch(keys_kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", codec_arguments(problem_.key, problem_.order),
                             c_.at("block_size_x"), c_.at("items_per_thread"), c_.at("radix_bits"),
                             c_.at("loop_unroll_factor_look_back"), layout::digit_counter_bytes(problem_.n),
                             c_.at("min_blocks_per_sm"), !is_last),
                 {.blocks = tiles,
                  .threads = static_cast<std::uint32_t>(c_.at("block_size_x")),
                  .shared_bytes = as_count(pass_bytes(c_, problem_)),
                  .allows_next_early = !is_last},
                 memory.keys_out, memory.keys_in, n, pass, memory.tickets, memory.digits, memory.look_back,
                 tiles);
}

void RadixPasses::append_pairs(PlanBuilder& builder, std::uint64_t pass, std::uint64_t n,
                               const PassMemory& memory, bool makes_indices) const {
  const bool is_last = pass + 1 == passes_;
  const layout::RampedTiles tiles = ramped_tiles_of(n);
  const bool has_ramps = tiles.step != 0;
  const PassCodecs codecs(problem_, passes_, c_.at("radix_bits"));
  const auto launch = [&](const auto& kernel, auto... ramps) {
    builder.launch(
        kernel,
        fmt::format("{}, {}, bitune::ValueSource::{}, {}, {}, {}, {}, {}, {}, {}, {}, {}",
                    codecs.of_pass(pass), carried_bytes(problem_), makes_indices ? "index" : "memory",
                    !is_last || writes_keys(problem_), c_.at("block_size_x"), c_.at("items_per_thread"),
                    c_.at("radix_bits"), c_.at("loop_unroll_factor_look_back"),
                    layout::digit_counter_bytes(problem_.n), c_.at("min_blocks_per_sm"),
                    c_.at("values_beside_keys"), !is_last),
        {.blocks = tiles.count,
         .threads = static_cast<std::uint32_t>(c_.at("block_size_x")),
         .shared_bytes = has_ramps ? ramped_pass_bytes(c_, problem_) : as_count(pass_bytes(c_, problem_)),
         .allows_next_early = !is_last},
        memory.keys_out, memory.keys_in, memory.values_out, memory.values_in, n, pass, memory.tickets,
        memory.digits, memory.look_back, tiles.count, ramps...);
  };
  if (has_ramps) {
    launch(ramped_kernel, tiles.step, tiles.falls_from);
  } else {
    launch(pairs_kernel);
  }
}

void RadixPasses::append_wanted(PlanBuilder& builder, std::uint64_t n, const PassMemory& memory,
                                std::uint64_t skipped, std::uint64_t count) const {
  const std::string codec = carries_ ? PassCodecs(problem_, passes_, c_.at("radix_bits")).of_pass(passes_ - 1)
                                     : codec_arguments(problem_.key, problem_.order);
  builder.launch(
      wanted_kernel,
      fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", codec, carried_bytes(problem_), c_.at("block_size_x"),
                  c_.at("items_per_thread"), c_.at("radix_bits"), c_.at("loop_unroll_factor_look_back"),
                  layout::digit_counter_bytes(problem_.n), c_.at("min_blocks_per_sm")),
      {.blocks = parts_of(n, as_count(radix_parts::tile_size(c_))),
       .threads = static_cast<std::uint32_t>(c_.at("block_size_x")),
       .shared_bytes = as_count(pass_bytes(c_, problem_))},
      memory.keys_out, memory.keys_in, memory.values_out, memory.values_in, n, passes_ - 1,
      // Its tiles have no ramps, so that they are no more than those of the passes before.
      memory.tickets, memory.digits, memory.look_back, tiles_of(n), skipped, count);
}

Plan radix_plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) {
  PlanBuilder builder;
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const RadixPasses passes(problem, c, device);
  const radix_parts::Counts counts =
      radix_parts::append_counting(builder, passes.count_kernel(), passes.counted_codec(), passes.passes(),
                                   passes.tiles_of(problem.n), problem, c, device);
  const radix_parts::PassArrays arrays = radix_parts::pass_arrays(builder, problem, passes.passes());
  for (std::uint64_t pass = 0; pass < arrays.passes(); ++pass) {
    passes.append(builder, pass, problem.n,
                  {.keys_out = arrays.keys[pass + 1],
                   .keys_in = arrays.keys[pass],
                   .values_out = arrays.values[pass + 1],
                   .values_in = arrays.values[pass],
                   .tickets = counts.tickets,
                   .digits = counts.digits,
                   .look_back = counts.look_back},
                  arrays.makes_indices && pass == 0);
  }
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace bitune
