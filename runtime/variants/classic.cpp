// The variant `classic`: the structures of published GPU bitonic sorts.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/definition.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/network_plan.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_classic {
namespace {

/// Values of the parameter `pairing`.
enum Pairing : std::int64_t { thread_per_element = 0, thread_per_pair = 1, mirrored_pairs = 2 };

bool has_tile(const Configuration& c) { return c.at("tile_size") > 0; }

std::int64_t shared_bytes(const Configuration& c, KeyType key) {
  return c.at("tile_size") * static_cast<std::int64_t>(size_of(key));
}

void append_mirror_step(PlanBuilder& builder, const std::string& codec, std::int64_t threads, std::uint64_t n,
                        std::uint64_t partner_mask) {
  const std::uint64_t length = std::bit_ceil(n);
  const auto per_block = static_cast<std::uint64_t>(threads);
  builder.launch_rows(
      {"kernels/steps/mirror_step.cuh", fmt::format("bitune::mirror_step<{}, {}>", codec, threads)},
      parts_of(length / 2, per_block), static_cast<std::uint32_t>(threads), 0,
      {keys_argument(), u64_argument(n), u64_argument(length), u64_argument(partner_mask)});
}

bool can_sort(const Problem& problem, const DeviceInfo& device) {
  return sorts_keys_alone(problem) && device.warp_size == 32;
}

SearchSpace make_space(const Problem&, const DeviceInfo&) {
  SearchSpace space;
  space.parameters = {
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads a block"},
      {"pairing",
       {thread_per_element, thread_per_pair, mirrored_pairs},
       "0: a thread an element, the lower of a pair works; 1: a thread a pair; 2: a thread a pair, where the "
       "upper of a "
       "pair does the mirrored pair in the array's other half"},
      {"tile_size",
       {0, 128, 256, 512, 1024, 2048, 4096, 8192, 16384},
       "keys a block holds in shared memory, for the steps within them; 0: every step is a launch"},
      {"warp_shuffles", {0, 1}, "1: a tile's steps within a warp's 64 keys are on registers, by shuffles"},
      {"vector_width",
       {1, 2, 4},
       "neighbouring keys a thread loads and stores at once for a tile, up to 16 bytes of them"},
      {"readonly_loads", {0, 1}, "1: tiles are loaded through the read-only path"},
      {"loop_unroll_factor_pairs", {1, 2, 4, 8}, "pairs in flight a thread"},
      {"blocks_per_sm", {0, 1, 2, 8}, "0: a thread for all pairs in flight; else the grid of a step strides"},
  };
  space.restrictions = {
      block_fits_device(),
      {"the tile fits the shared memory that the device allows a block",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return shared_bytes(c, p.key) <= d.shared_bytes_per_block_optin;
       }},
      {"a tile has a pair for every thread and unrolled iteration, and a vector for every thread",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return !has_tile(c) ||
                (c.at("tile_size") >= 2 * c.at("block_size_x") * c.at("loop_unroll_factor_pairs") &&
                 c.at("tile_size") >= c.at("vector_width") * c.at("block_size_x"));
       }},
      {"warp_shuffles, vector_width and readonly_loads are about a tile",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return has_tile(c) ||
                (c.at("warp_shuffles") == 0 && c.at("vector_width") == 1 && c.at("readonly_loads") == 0);
       }},
      {"the grid of a step strides only with a thread a pair",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("pairing") == thread_per_pair || c.at("blocks_per_sm") == 0;
       }},
      {"pairs are unrolled where a thread has several: in a tile, or with a thread a pair",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return has_tile(c) || c.at("pairing") == thread_per_pair || c.at("loop_unroll_factor_pairs") == 1;
       }},
  };
  return space;
}

Configuration make_default(const Problem&, const DeviceInfo& device) {
  const std::int64_t threads = std::min(256, device.max_threads_per_block);
  return {{},
          {{"block_size_x", threads},
           {"pairing", thread_per_pair},
           {"tile_size", 2 * threads},
           {"warp_shuffles", 1},
           {"vector_width", 1},
           {"readonly_loads", 0},
           {"loop_unroll_factor_pairs", 1},
           {"blocks_per_sm", 0}}};
}

Plan make_plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) {
  PlanBuilder builder(problem.rows);
  const std::uint64_t n = problem.n;
  const int stages = ceil_log2(n);
  if (stages == 0) return builder.take();

  const std::string codec = codec_arguments(problem.key, problem.order);
  const std::int64_t threads = c.at("block_size_x");
  const auto tile = static_cast<std::uint64_t>(c.at("tile_size"));
  const int tile_bits = ceil_log2(tile);
  const std::int64_t vector =
      std::min(c.at("vector_width"), static_cast<std::int64_t>(16 / size_of(problem.key)));
  const KernelSource tile_steps{"kernels/steps/block_steps.cuh",
                                fmt::format("bitune::shared_steps<{}, {}, {}, {}, {}, false, false, {}, {}>",
                                            codec, threads, tile, c.at("loop_unroll_factor_pairs"), vector,
                                            c.at("readonly_loads") == 1, c.at("warp_shuffles") == 1)};
  const auto append_tiles = [&](int first_stage, int last_stage, bool flip) {
    builder.launch_rows(
        tile_steps, parts_of(n, tile), static_cast<std::uint32_t>(threads),
        static_cast<std::uint64_t>(shared_bytes(c, problem.key)),
        {keys_argument(), u64_argument(n), u32_argument(static_cast<std::uint64_t>(first_stage)),
         u32_argument(static_cast<std::uint64_t>(last_stage)), u32_argument(flip ? 1 : 0)});
  };
  StridedPass pair_pass;
  pair_pass.codec = codec;
  pair_pass.threads = threads;
  pair_pass.unroll = c.at("loop_unroll_factor_pairs");
  pair_pass.max_blocks = static_cast<std::uint64_t>(c.at("blocks_per_sm") * device.sm_count);
  const std::int64_t pairing = c.at("pairing");
  const auto append_step = [&](std::uint64_t partner_mask) {
    if (pairing == thread_per_element) {
      append_element_step(builder, codec, threads, n, partner_mask);
    } else {
      append_mirror_step(builder, codec, threads, n, partner_mask);
    }
  };

  if (has_tile(c)) append_tiles(1, std::min(tile_bits, stages), true);
  for (int stage = tile_bits + 1; stage <= stages; ++stage) {
    if (pairing == thread_per_pair) {
      append_strided_passes(builder, pair_pass, n, stage, tile_bits, true);
    } else {
      append_step((std::uint64_t{1} << stage) - 1);
      for (int bit = stage - 2; bit >= tile_bits; --bit) append_step(std::uint64_t{1} << bit);
    }
    if (has_tile(c)) append_tiles(tile_bits, tile_bits, false);
  }
  return builder.take();
}

}  // namespace
}  // namespace of_classic

/// One step a launch in global memory, by the ways in which published systems give pairs to threads, and a
/// tile in shared memory for the steps within it. It is there for the presets (bench/preset_plans.hpp); a
/// search takes it if it is named.
const Variant& classic_variant() {
  static const DefinedVariant variant(
      {.name = "classic",
       .description =
           "the structures of published systems: a launch a step, with or without a tile in shared memory",
       .kernel_headers = {"kernels/steps/block_steps.cuh", "kernels/steps/element_step.cuh",
                          "kernels/steps/mirror_step.cuh", "kernels/steps/strided_merge.cuh"},
       .searched = false,
       .supports = of_classic::can_sort,
       .space = of_classic::make_space,
       .default_configuration = of_classic::make_default,
       .plan = of_classic::make_plan});
  return variant;
}

}  // namespace bitune
