#include "runtime/variants/warp.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/key_type.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/network_plan.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace {

std::int64_t tile_size(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

/// Bytes of RegisterTile::shared_words (register_tile.cuh): a word of padding after each 128 bytes.
std::int64_t shared_bytes(const Configuration& c, KeyType key) {
  const std::int64_t word = word_bytes(key);
  return (tile_size(c) + tile_size(c) / (128 / word)) * word;
}

/// Registers that the items of a thread take, and about what addresses and temporaries need besides.
std::int64_t registers_estimate(const Configuration& c, KeyType key) {
  return c.at("items_per_thread") * word_bytes(key) / 4 + 20;
}

}  // namespace

std::string_view WarpVariant::description() const noexcept {
  return "tiles in registers, lane bits by shuffles, the rest through shared memory, larger strides by "
         "multi-step passes";
}

bool WarpVariant::supports(const Problem& problem, const DeviceInfo& device) const {
  return problem.operation == Operation::sort && problem.value == ValueType::none && device.warp_size == 32;
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
       {0, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm", {1, 2, 4}, "blocks a multiprocessor that the compiler must leave registers for"},
      {"steps_per_pass", {1, 2, 3, 4, 5}, "network steps a pass over global memory, above the tile"},
      {"dependent_launch", {0, 1}, "1: each launch begins while the one before it ends (sm_90 on)"},
  };
  space.restrictions = {
      block_fits_device(),
      vector_fits_access(),
      {"the tile and its padding fit the shared memory that the device allows a block",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return shared_bytes(c, p.key) <= d.shared_bytes_per_block_optin;
       }},
      {"the threads' items and 20 registers besides fit min_blocks_per_sm times into a multiprocessor's "
       "registers",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t registers = registers_estimate(c, p.key) * c.at("block_size_x");
         return registers <= d.registers_per_block &&
                registers * c.at("min_blocks_per_sm") <= d.registers_per_sm;
       }},
      {"min_blocks_per_sm blocks fit a multiprocessor's threads and shared memory",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t blocks = c.at("min_blocks_per_sm");
         return blocks * c.at("block_size_x") <= d.max_threads_per_sm &&
                blocks * (shared_bytes(c, p.key) + 1024) <= d.shared_bytes_per_sm;
       }},
      {"64-bit keys have no maximum by multiplication",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return size_of(p.key) < 8 || c.at("imad_quarters") == 0;
       }},
      {"dependent launches need compute capability 9.0",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         return c.at("dependent_launch") == 0 || d.compute_major >= 9;
       }},
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
  const auto append_tiles = [&](const char* kernel) {
    const KernelSource source{
        "kernels/tile_sort.cuh",
        fmt::format("bitune::{}<{}, {}, {}, {}, {}, {}, {}>", kernel, codec, c.at("block_size_x"),
                    c.at("items_per_thread"), c.at("shuffle_steps"), c.at("vector_width"),
                    c.at("imad_quarters"), c.at("min_blocks_per_sm"))};
    builder.launch_rows(source, (n + tile - 1) / tile, static_cast<std::uint32_t>(c.at("block_size_x")),
                        static_cast<std::uint64_t>(shared_bytes(c, problem.key)),
                        {keys_argument(), u64_argument(n)});
  };
  StridedPass pass;
  pass.codec = codec;
  pass.threads = 256;
  pass.steps_per_pass = c.at("steps_per_pass");
  pass.imad_quarters = c.at("imad_quarters");

  append_tiles("tile_sort");
  for (int stage = tile_bits + 1; stage <= stages; ++stage) {
    append_strided_passes(builder, pass, n, stage, tile_bits, true);
    append_tiles("tile_merge");
  }
  Plan plan = builder.take();
  for (Launch& launch : plan.launches) launch.dependent = c.at("dependent_launch") == 1;
  return plan;
}

}  // namespace bitune
