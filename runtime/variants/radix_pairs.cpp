// The variant `radix_pairs`: as `radix`, and values or indices travel with the keys.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/radix/ramps_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/clear_counts.hpp"
#include "runtime/variants/pass_codecs.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/radix_parts.hpp"
#include "runtime/variants/registered.hpp"

namespace bitune {
namespace of_radix_pairs {
namespace {

using radix_parts::append_counting;
using radix_parts::CountKernel;
using radix_parts::Counts;
using radix_parts::lower_to_device;
using radix_parts::pass_arrays;
using radix_parts::pass_bytes;
using radix_parts::pass_count;
using radix_parts::PassArrays;
using radix_parts::tile_count;

constexpr std::string_view header = "kernels/radix/radix_pairs_pass.cuh";
constexpr CountKernel count_kernel{.header = header, .name = "count_digits", .allows_next_early = true};
constexpr Kernel<Address, Address, Address, Address, U64, U32, Address, Address, Address, U32> pass_kernel{
    header, "radix_pairs_pass"};
constexpr std::string_view ramped_header = "kernels/radix/ramped_pairs_pass.cuh";
constexpr Kernel<Address, Address, Address, Address, U64, U32, Address, Address, Address, U32, U32, U32>
    ramped_kernel{ramped_header, "ramped_pairs_pass"};

class RadixPairsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "radix_pairs"; }
  std::string_view description() const noexcept override {
    return "radix sort of keys with values, or with their indices; stable; one array";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {clear_digits_kernel.header, header, ramped_header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() == ShapeKind::array && carries_one_thing(problem) && device.warp_size == 32;
  }
  SearchSpace space(const Problem&, const DeviceInfo&) const override {
    SearchSpace space = radix_parts::space(name(), radix_parts::values_that_won());
    space.parameters.push_back(radix_parts::values_beside_keys());
    return space;
  }
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  /// With the fewest items, whose loops are unrolled.
  std::optional<Configuration> quick_configuration(const Problem& problem,
                                                   const DeviceInfo& device) const override {
    Configuration c = default_configuration(problem, device);
    c.parameters["block_size_x"] = 256;
    c.parameters["items_per_thread"] = 5;
    return c;
  }
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

constexpr std::int64_t default_threads = 512;

/// Of a default: keys that a thread holds, and blocks that share a multiprocessor.
struct Tiles {
  std::int64_t items = 0;
  std::int64_t blocks = 0;
};

/// The most items of a thread that registers hold, of those which won on an H100 and an H200.
std::int64_t most_items(const Problem& problem) {
  if (size_of(problem.key) == 8) return 21;
  if (carried_bytes(problem) == 16) return 23;
  return carried_bytes(problem) == 4 && problem.value_bytes == 0 ? 25 : 29;
}

/// Large tiles bring longer runs of a digit, and fewer of them pass counts on. But where there are few tiles,
/// all run at once: a last wave of a few takes as long as a full one.
Tiles default_tiles(const Problem& problem, const DeviceInfo& device) {
  const std::int64_t most = most_items(problem);
  const auto run_at_once = [&](std::int64_t items, std::int64_t blocks) {
    return items <= most &&
           parts_of(problem.n, as_count(default_threads * items)) <= as_count(blocks * device.sm_count);
  };
  for (const std::int64_t items : {5, 11, 15, 19, 21, 25}) {
    if (run_at_once(items, 1)) return {items, 1};
  }
  // Wide items take the registers of two blocks.
  const bool is_wide = size_of(problem.key) == 8 || carried_bytes(problem) > 4;
  const std::int64_t blocks = is_wide ? 1 : 2;
  for (const std::int64_t items : {15, 19, 23}) {
    if (run_at_once(items, 2)) return {items, blocks};
  }
  if (is_wide) return {most, blocks};
  // So many that a pass has ramps: of larger tiles too few are left between them.
  const bool has_ramps =
      layout::ramped_tiles(problem.n, default_threads, most, blocks * device.sm_count).step != 0;
  return {has_ramps ? most : 21, blocks};
}

Configuration RadixPairsVariant::default_configuration(const Problem& problem,
                                                       const DeviceInfo& device) const {
  const Tiles tiles = default_tiles(problem, device);
  Configuration c{std::string(name()),
                  {{"block_size_x", default_threads},
                   {"items_per_thread", tiles.items},
                   {"radix_bits", 8},
                   {"loop_unroll_factor_look_back", 4},
                   {"min_blocks_per_sm", tiles.blocks},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0},
                   {"values_beside_keys", 0}}};
  lower_to_device(c, space(problem, device), problem, device);
  return c;
}

std::int64_t ramped_pass_bytes(const Configuration& c, const Problem& problem) {
  return layout::rounded_up(pass_bytes(c, problem), 8) + layout::tile_span_bytes();
}

/// Tiles of a pass. Ramps are for blocks that share a multiprocessor: a block alone has no other one to take
/// turns with.
layout::RampedTiles tiles_of_pass(const Configuration& c, const Problem& problem, const DeviceInfo& device) {
  const std::int64_t blocks = c.at("min_blocks_per_sm");
  if (blocks < 2 || ramped_pass_bytes(c, problem) > device.shared_bytes_per_block_optin) {
    return {.step = 0, .falls_from = 0, .count = tile_count(c, problem)};
  }
  return layout::ramped_tiles(problem.n, c.at("block_size_x"), c.at("items_per_thread"),
                              blocks * device.sm_count);
}

Plan RadixPairsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const auto passes = as_count(pass_count(c, problem));
  const PassCodecs codecs(problem, passes, c.at("radix_bits"));
  const layout::RampedTiles tiles = tiles_of_pass(c, problem, device);
  const bool has_ramps = tiles.step != 0;
  const Counts counts =
      append_counting(builder, count_kernel, codecs.of_counting(), passes, tiles.count, problem, c, device);

  const PassArrays arrays = pass_arrays(builder, problem, passes);
  for (std::uint64_t pass = 0; pass < arrays.passes(); ++pass) {
    const bool is_last = pass + 1 == arrays.passes();
    const auto launch = [&](const auto& kernel, auto... ramps) {
      builder.launch(
          kernel,
          fmt::format("{}, {}, bitune::ValueSource::{}, {}, {}, {}, {}, {}, {}, {}, {}, {}",
                      codecs.of_pass(pass), carried_bytes(problem), arrays.value_source(pass),
                      arrays.writes_keys(pass), c.at("block_size_x"), c.at("items_per_thread"),
                      c.at("radix_bits"), c.at("loop_unroll_factor_look_back"),
                      layout::digit_counter_bytes(problem.n), c.at("min_blocks_per_sm"),
                      c.at("values_beside_keys"), !is_last),
          {.blocks = tiles.count,
           .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
           .shared_bytes = as_count(has_ramps ? ramped_pass_bytes(c, problem) : pass_bytes(c, problem)),
           .allows_next_early = !is_last},
          arrays.keys[pass + 1], arrays.keys[pass], arrays.values[pass + 1], arrays.values[pass], problem.n,
          pass, counts.tickets, counts.digits, counts.look_back, tiles.count, ramps...);
    };
    if (has_ramps) {
      launch(ramped_kernel, tiles.step, tiles.falls_from);
    } else {
      launch(pass_kernel);
    }
  }

  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_radix_pairs

/// Each pass reads and writes every key and value once (kernels/radix/radix_pairs_pass.cuh).
const Variant& radix_pairs_variant() {
  static const of_radix_pairs::RadixPairsVariant variant;
  return variant;
}

}  // namespace bitune
