// The variant `warp`: tiles in the registers of a block, larger strides in global memory.

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
namespace of_warp {
namespace {

constexpr RowsKernel<Address, U64> sort_kernel{"kernels/warp/tile_sort.cuh", "tile_sort"};
constexpr RowsKernel<Address, Address, U64> sort_from_kernel{"kernels/warp/tile_sort_from.cuh",
                                                             "tile_sort_from"};
constexpr RowsKernel<Address, U64> merge_kernel{"kernels/warp/tile_sort.cuh", "tile_merge"};

std::int64_t tile_size(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return padded_tile_bytes(tile_size(c), problem.key);
}

class WarpVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "warp"; }
  std::string_view description() const noexcept override {
    return "tiles in registers, lane bits by shuffles, the rest through shared memory, larger strides by "
           "multi-step passes";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {strided_merge_kernel.header, sort_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override;
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

bool WarpVariant::supports(const Problem& problem, const DeviceInfo& device) const {
  return sorts_keys_alone(problem) && device.warp_size == 32;
}

SearchSpace WarpVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"block_size_x", {32, 64, 128, 256, 512, 1024}, "threads a block"},
      {"items_per_thread", {4, 8, 16, 32}, "keys a thread holds in registers"},
      {"shuffle_steps", {0, 1, 2, 5}, "most steps on lane bits that go by shuffles at the end of a stage"},
      {"vector_width", {1, 4}, "neighbouring keys a thread loads and stores at once"},
      {"imad_quarters",
       {0, 1, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm", {1, 2, 4}, "blocks a multiprocessor that the compiler must leave registers for"},
      {"steps_per_pass", {1, 2, 3, 4, 5}, "network steps a pass over global memory, above the tile"},
      {"dependent_launch", {0, 1}, "1: each launch begins while the one before it ends (sm_90 on)"},
  };
  space.restrictions = {
      block_fits_device(),
      vector_fits_access(),
      shared_memory_fits_block(shared_bytes),
      items_fit_registers("min_blocks_per_sm"),
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
      {"a pass of a thread holds at most 256 bytes of keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return word_bytes(p.key) << c.at("steps_per_pass") <= 256;
       }},
      {"the tile is at most four times the array, or 1024 keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return tile_size(c) <= 1024 || static_cast<std::uint64_t>(tile_size(c)) / 4 <= p.n;
       }},
  };
  return space;
}

Configuration WarpVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  const bool wide = size_of(problem.key) == 8;
  // Large arrays are bound by passes over memory: the largest tile then, and as many steps a pass as
  // registers hold.
  const bool large = problem.n >= std::uint64_t{1} << 21;
  const std::int64_t items = (wide ? 8 : 16) * (large ? 2 : 1);
  // The block grows until its tile holds the array, or until two blocks fill half a multiprocessor's threads.
  std::int64_t threads = 32;
  while (threads < 512 && threads < device.max_threads_per_block &&
         static_cast<std::uint64_t>(threads * items) < problem.n) {
    threads *= 2;
  }
  return {std::string(name()),
          {{"block_size_x", threads},
           {"items_per_thread", items},
           {"shuffle_steps", 1},
           {"vector_width", wide || large ? 1 : 4},
           {"imad_quarters", 0},
           {"min_blocks_per_sm", 1},
           {"steps_per_pass", large ? (wide ? 4 : 5) : (wide ? 3 : 4)},
           {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
}

Plan WarpVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  const std::uint64_t n = problem.n;
  const int stages = ceil_log2(n);
  if (stages == 0) return builder.take();

  const std::string codec = codec_arguments(problem.key, problem.order);
  const auto tile = static_cast<std::uint64_t>(tile_size(c));
  const int tile_bits = ceil_log2(tile);
  const std::string arguments = fmt::format(
      "{}, {}, {}, {}, {}, {}, {}", codec, c.at("block_size_x"), c.at("items_per_thread"),
      c.at("shuffle_steps"), c.at("vector_width"), c.at("imad_quarters"), c.at("min_blocks_per_sm"));
  const LaunchShape tiles{.blocks = parts_of(n, tile),
                          .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                          .shared_bytes = as_count(shared_bytes(c, problem))};
  StridedPass pass;
  pass.codec = codec;
  pass.threads = 256;
  pass.steps_per_pass = c.at("steps_per_pass");
  pass.imad_quarters = c.at("imad_quarters");

  builder.launch(sort_kernel, arguments, tiles, keys_address(), n);
  builder.first_from_input(sort_from_kernel, arguments, tiles, keys_address(), input_address(), n);
  for (int stage = tile_bits + 1; stage <= stages; ++stage) {
    append_strided_passes(builder, pass, n, stage, tile_bits, true);
    builder.launch(merge_kernel, arguments, tiles, keys_address(), n);
  }
  return builder.take(c.at("dependent_launch") == 1);
}

}  // namespace
}  // namespace of_warp

/// Steps on register bits are free, lane bits go by shuffles, the rest through shared memory
/// (kernels/network/register_tile.cuh); strides above the tile by multi-step passes with 2^k keys a thread.
const Variant& warp_variant() {
  static const of_warp::WarpVariant variant;
  return variant;
}

}  // namespace bitune
