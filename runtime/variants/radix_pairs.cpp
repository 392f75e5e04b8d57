// The variant `radix_pairs`: as `radix`, and values or indices travel with the keys.

#include <algorithm>
#include <string_view>
#include <vector>

#include "kernels/radix/ramps_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/clear_counts.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/radix_parts.hpp"
#include "runtime/variants/radix_passes.hpp"
#include "runtime/variants/registered.hpp"

namespace bitune {
namespace of_radix_pairs {
namespace {

using radix_parts::lower_to_device;

class RadixPairsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "radix_pairs"; }
  std::string_view description() const noexcept override {
    return "radix sort of keys with values, or with their indices; stable; one array";
  }
  std::vector<std::string_view> kernel_headers() const override {
    std::vector<std::string_view> headers = RadixPasses::headers(true);
    headers.insert(headers.begin(), clear_digits_kernel.header);
    return headers;
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
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override {
    return radix_plan(problem, c, device);
  }
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

}  // namespace
}  // namespace of_radix_pairs

/// Each pass reads and writes every key and value once (kernels/radix/radix_pairs_pass.cuh).
const Variant& radix_pairs_variant() {
  static const of_radix_pairs::RadixPairsVariant variant;
  return variant;
}

}  // namespace bitune
