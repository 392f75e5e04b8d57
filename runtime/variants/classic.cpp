// The variant `classic`: the structures of published GPU bitonic sorts.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/network_plan.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_classic {
namespace {

constexpr RowsKernel<Address, U64, U64, U64> mirror_kernel{"kernels/steps/mirror_step.cuh", "mirror_step"};

/// Values of the parameter `pairing`.
enum Pairing : std::int64_t { thread_per_element = 0, thread_per_pair = 1, mirrored_pairs = 2 };

bool has_tile(const Configuration& c) { return c.at("tile_size") > 0; }

std::int64_t shared_bytes(const Configuration& c, KeyType key) {
  return c.at("tile_size") * static_cast<std::int64_t>(size_of(key));
}

void append_mirror_step(PlanBuilder& builder, const std::string& codec, std::int64_t threads, std::uint64_t n,
                        std::uint64_t partner_mask) {
  const std::uint64_t length = std::bit_ceil(n);
  builder.launch(
      mirror_kernel, fmt::format("{}, {}", codec, threads),
      {.blocks = parts_of(length / 2, as_count(threads)), .threads = static_cast<std::uint32_t>(threads)},
      keys_address(), n, length, partner_mask);
}

class ClassicVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "classic"; }
  std::string_view description() const noexcept override {
    return "the structures of published systems: a launch a step, with or without a tile in shared memory";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {shared_steps_kernel.header, element_step_kernel.header, mirror_kernel.header,
            strided_merge_kernel.header};
  }
  bool searched() const noexcept override { return false; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override;
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

bool ClassicVariant::supports(const Problem& problem, const DeviceInfo& device) const {
  return sorts_keys_alone(problem) && device.warp_size == 32;
}

SearchSpace ClassicVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads a block"},
      {"pairing",
       {thread_per_element, thread_per_pair, mirrored_pairs},
       "0: a thread an element, the lower of a pair works; 1: a thread a pair; 2: a thread a pair, where the "
       "upper of a pair does the mirrored pair in the array's other half"},
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

Configuration ClassicVariant::default_configuration(const Problem&, const DeviceInfo& device) const {
  const std::int64_t threads = std::min(256, device.max_threads_per_block);
  return {std::string(name()),
          {{"block_size_x", threads},
           {"pairing", thread_per_pair},
           {"tile_size", 2 * threads},
           {"warp_shuffles", 1},
           {"vector_width", 1},
           {"readonly_loads", 0},
           {"loop_unroll_factor_pairs", 1},
           {"blocks_per_sm", 0}}};
}

Plan ClassicVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
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
  const std::string arguments = fmt::format("{}, {}, {}, {}, {}, false, false, {}, {}", codec, threads, tile,
                                            c.at("loop_unroll_factor_pairs"), vector,
                                            c.at("readonly_loads") == 1, c.at("warp_shuffles") == 1);
  const LaunchShape shape{.blocks = has_tile(c) ? parts_of(n, tile) : 0,
                          .threads = static_cast<std::uint32_t>(threads),
                          .shared_bytes = as_count(shared_bytes(c, problem.key))};
  const auto append_tiles = [&](int first_stage, int last_stage, bool flip) {
    append_block_steps(builder, shared_steps_kernel, arguments, shape, n, first_stage, last_stage, flip);
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

/// One step a launch in global memory, and a tile in shared memory for the steps within it. Pairs are given
/// to threads in the ways of published systems. It is there for the presets (bench/preset_plans.hpp). A
/// search takes it only if it is named.
const Variant& classic_variant() {
  static const of_classic::ClassicVariant variant;
  return variant;
}

}  // namespace bitune
