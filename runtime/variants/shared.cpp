// The variant `shared`: tiles sorted and merged in shared memory, larger strides in global memory.

#include <fmt/format.h>

#include <algorithm>

#include "kernels/network/network_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/network_plan.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_shared {
namespace {

/// Bytes of a tile in shared memory, whose words have the key's size (SharedPlaces in block_steps.cuh).
std::int64_t shared_bytes(const Configuration& c, KeyType key) {
  const auto bytes = static_cast<std::int64_t>(size_of(key));
  const std::int64_t tile = c.at("tile_size");
  return c.at("shared_padding") == 1 ? layout::padded_bytes(tile, bytes) : tile * bytes;
}

class SharedVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "shared"; }
  std::string_view description() const noexcept override {
    return "tiles sorted and merged in shared memory, larger strides by passes over global memory";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {shared_steps_kernel.header, strided_merge_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override;
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  std::optional<Configuration> quick_configuration(const Problem& problem,
                                                   const DeviceInfo& device) const override {
    return default_configuration(problem, device);
  }
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

bool SharedVariant::supports(const Problem& problem, const DeviceInfo&) const {
  return sorts_keys_alone(problem);
}

SearchSpace SharedVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads a block"},
      {"tile_size",
       {512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072},
       "keys a block holds in shared memory"},
      {"loop_unroll_factor_pairs", {1, 2, 4, 8}, "pairs in flight a thread"},
      {"vector_width", {1, 2, 4}, "neighbouring keys a thread loads and stores at once"},
      {"shared_padding", {0, 1}, "1: one key of padding after each 128 bytes, against bank conflicts"},
      {"warp_barriers", {0, 1}, "1: a barrier of the warp, not of the block, between steps within 64 keys"},
      {"steps_per_pass", {1, 2, 3, 4, 5}, "network steps a pass over global memory, above the tile"},
  };
  space.restrictions = {
      block_fits_device(),
      vector_fits_access(),
      pass_fits_registers(""),
      {"the tile and its padding fit the shared memory that the device allows a block",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return shared_bytes(c, p.key) <= d.shared_bytes_per_block_optin;
       }},
      {"a tile has a pair for every thread and unrolled iteration",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("tile_size") >= 2 * c.at("block_size_x") * c.at("loop_unroll_factor_pairs");
       }},
      {"a tile has a vector for every thread",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("tile_size") >= c.at("block_size_x") * c.at("vector_width");
       }},
      {"the tile is at most four times the array, or 2048 keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("tile_size") <= 2048 || static_cast<std::uint64_t>(c.at("tile_size")) / 4 <= p.n;
       }},
  };
  return space;
}

Configuration SharedVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  const std::int64_t threads = std::min(256, device.max_threads_per_block);
  Configuration c{std::string(name()),
                  {{"block_size_x", threads},
                   {"tile_size", 2 * threads},
                   {"loop_unroll_factor_pairs", 1},
                   {"vector_width", 1},
                   {"shared_padding", 0},
                   {"warp_barriers", 1},
                   {"steps_per_pass", 3}}};
  // The largest tile that leaves room for two blocks a multiprocessor and does not exceed the array.
  for (std::int64_t tile = 2 * threads; tile <= 16384; tile *= 2) {
    Configuration larger = c;
    larger.parameters["tile_size"] = tile;
    if (2 * shared_bytes(larger, problem.key) > device.shared_bytes_per_sm) break;
    if (shared_bytes(larger, problem.key) > device.shared_bytes_per_block_optin) break;
    c = larger;
    if (static_cast<std::uint64_t>(tile) >= problem.n) break;
  }
  return c;
}

Plan SharedVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  const std::uint64_t n = problem.n;
  const int stages = ceil_log2(n);
  if (stages == 0) return builder.take();

  const std::string codec = codec_arguments(problem.key, problem.order);
  const auto tile = static_cast<std::uint64_t>(c.at("tile_size"));
  const int tile_bits = ceil_log2(tile);
  const auto threads = static_cast<std::uint32_t>(c.at("block_size_x"));
  const std::string arguments =
      fmt::format("{}, {}, {}, {}, {}, {}, {}", codec, threads, tile, c.at("loop_unroll_factor_pairs"),
                  c.at("vector_width"), c.at("shared_padding") == 1, c.at("warp_barriers") == 1);
  const LaunchShape shape{.blocks = parts_of(n, tile),
                          .threads = threads,
                          .shared_bytes = as_count(shared_bytes(c, problem.key))};
  const auto append_tiles = [&](int first_stage, int last_stage, bool flip) {
    append_block_steps(builder, shared_steps_kernel, arguments, shape, n, first_stage, last_stage, flip);
  };
  StridedPass pass;
  pass.codec = codec;
  pass.threads = std::min<std::int64_t>(threads, 512);
  pass.steps_per_pass = c.at("steps_per_pass");
  pass.vector_width = c.at("vector_width");

  append_tiles(1, std::min(tile_bits, stages), true);
  for (int stage = tile_bits + 1; stage <= stages; ++stage) {
    append_strided_passes(builder, pass, n, stage, tile_bits, true);
    append_tiles(tile_bits, tile_bits, false);
  }
  return builder.take();
}

}  // namespace
}  // namespace of_shared

/// Tiles up to what the device allows a block; a step a barrier, pairs unrolled; strides above the tile by
/// strided_merge.
const Variant& shared_variant() {
  static const of_shared::SharedVariant variant;
  return variant;
}

}  // namespace bitune
