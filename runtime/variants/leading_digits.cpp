// The variant `leading_digits`: as `radix` and `radix_pairs`, but only by the digits that the keys need.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/radix/schedule_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/clear_counts.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/radix_parts.hpp"
#include "runtime/variants/registered.hpp"

namespace bitune {
namespace of_leading_digits {
namespace {

using radix_parts::append_counting;
using radix_parts::CountKernel;
using radix_parts::Counts;
using radix_parts::pass_bytes;
using radix_parts::tile_count;

constexpr std::string_view passes_header = "kernels/radix/scheduled_passes.cuh";
constexpr CountKernel count_kernel{
    .header = passes_header, .name = "count_digits", .allows_next_early = true};
constexpr Kernel<Address, Address, U64, Address, U32> choose_kernel{
    .header = "kernels/radix/digit_schedule.cuh", .name = "choose_digits", .allows_next_early = true};
constexpr Kernel<Address, Address, Address, U64, Address, Address, Address, Address, U32> keys_kernel{
    passes_header, "scheduled_passes"};
constexpr Kernel<Address, Address, Address, Address, Address, Address, U64, Address, Address, Address,
                 Address, U32>
    pairs_kernel{passes_header, "scheduled_pair_passes"};
constexpr Kernel<Address, Address, Address, Address, U64, Address, Address> mend_kernel{
    .header = "kernels/radix/mend_groups.cuh", .name = "mend_groups", .allows_next_early = true};

constexpr std::uint64_t mend_threads = 256;
constexpr std::uint64_t mend_items = 8;

bool is_carrying(const Problem& problem) { return carried_bytes(problem) != 0; }

/// Where items are: the input, the output, and an array beside it.
struct Arrays {
  Address out;
  Address beside;
  Address in;
};

Arrays key_arrays(PlanBuilder& builder, const Problem& problem) {
  const std::uint64_t bytes = problem.n * size_of(problem.key);
  const Address out = writes_keys(problem) ? keys_address() : builder.workspace(bytes);
  return {out, builder.workspace(bytes), input_address()};
}

Arrays value_arrays(PlanBuilder& builder, const Problem& problem) {
  const Role out = problem.value_bytes == 0 ? Role::indices_out : Role::values_out;
  const Role in = problem.value_bytes == 0 ? Role::indices_out : Role::values_in;
  return {address_of(out), builder.workspace(problem.n * carried_bytes(problem)), address_of(in)};
}

class LeadingDigitsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "leading_digits"; }
  std::string_view description() const noexcept override {
    return "radix sort by as many leading digits as tell the keys apart; then few neighbours are put in "
           "order; "
           "keys, or keys with values or indices; stable; one array";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {clear_digits_kernel.header, choose_kernel.header, passes_header, mend_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() == ShapeKind::array && size_of(problem.key) >= 4 && device.warp_size == 32 &&
           (sorts_keys_alone(problem) || carries_one_thing(problem));
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace LeadingDigitsVariant::space(const Problem& problem, const DeviceInfo&) const {
  SearchSpace space = radix_parts::space(name(), {.block_size_x = {128, 256, 512, 1024},
                                                  .radix_bits = {4, 5, 6, 7, 8, 9, 10, 11},
                                                  .look_back = {1, 2, 4, 8},
                                                  .min_blocks_per_sm = {1, 2, 3, 4, 6, 8}});
  space.parameters.push_back({"shared_prefix_percent",
                              {10, 50, 200},
                              "with how many others, in percent, a key may be expected to share its leading "
                              "digits"});
  space.parameters.push_back(
      {"prefetch_tiles",
       {0, 256},
       "tiles behind its own of which a block asks for one, to be in the L2 cache when it is read; 0: none"});
  space.restrictions.push_back({"there is a tile to ask for",
                                [](const Configuration& c, const Problem& p, const DeviceInfo&) {
                                  return c.at("prefetch_tiles") == 0 ||
                                         tile_count(c, p) > as_count(c.at("prefetch_tiles"));
                                },
                                {"block_size_x", "items_per_thread", "prefetch_tiles"}});
  if (is_carrying(problem)) {
    space.parameters.push_back(radix_parts::values_beside_keys());
  }
  return space;
}

Configuration LeadingDigitsVariant::default_configuration(const Problem& problem,
                                                          const DeviceInfo& device) const {
  const bool wide = size_of(problem.key) == 8;
  const bool carries = is_carrying(problem);
  std::int64_t items = wide || carries ? 19 : 23;
  constexpr std::int64_t most = 31;
  const auto keys_at_once = static_cast<std::uint64_t>(2 * 256 * most * device.sm_count);
  if (carried_bytes(problem) == 16) {
    items = 11;
  } else if (wide && carries && problem.n >= keys_at_once) {
    // As many as registers hold, if there are two such tiles for each multiprocessor: the fewer tiles, the
    // fewer counts that they tell each other.
    items = most;
  }
  Configuration c{std::string(name()),
                  {{"block_size_x", 256},
                   {"items_per_thread", items},
                   {"radix_bits", 8},
                   {"loop_unroll_factor_look_back", 4},
                   {"min_blocks_per_sm", 2},
                   {"prefetch_tiles", 0},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0},
                   {"shared_prefix_percent", 50}}};
  if (carries) c.parameters["values_beside_keys"] = 0;
  radix_parts::lower_to_device(c, space(problem, device), problem, device);
  return c;
}

Plan LeadingDigitsVariant::plan(const Problem& problem, const Configuration& c,
                                const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n < 2) return builder.take();
  const bool carries = is_carrying(problem);
  const std::string codec = codec_arguments(problem.key, problem.order);
  const std::string compared = carries ? tie_codec_arguments(problem.key, problem.order) : codec;
  const std::int64_t counter = layout::digit_counter_bytes(problem.n);
  const std::uint64_t tiles = tile_count(c, problem);
  const Counts counts = append_counting(builder, count_kernel, compared, layout::schedule_counters(), tiles,
                                        problem, c, device);
  const Address schedule = builder.workspace(layout::schedule_bytes());
  const std::int64_t most_threads = std::min<std::int64_t>(1024, device.max_threads_per_block);
  // Were a key allowed to share its digits with as many as there are, no digit would be sorted by.
  const std::uint64_t shared_percent =
      std::min(as_count(c.at("shared_prefix_percent")), 100 * (problem.n - 1));
  builder.launch(choose_kernel,
                 fmt::format("{}, {}, {}, {}", compared, most_threads, c.at("radix_bits"), counter),
                 {.threads = static_cast<std::uint32_t>(most_threads),
                  .shared_bytes = as_count(layout::choose_digits_bytes(word_bytes(problem.key)))},
                 schedule, input_address(), problem.n, counts.digits, shared_percent);

  const Arrays keys = key_arrays(builder, problem);
  const Arrays values = carries ? value_arrays(builder, problem) : keys;
  const std::string shared_arguments = fmt::format(
      "{}, {}, {}, {}, {}, {}, {}", c.at("block_size_x"), c.at("items_per_thread"), c.at("radix_bits"),
      c.at("loop_unroll_factor_look_back"), counter, c.at("min_blocks_per_sm"), c.at("prefetch_tiles"));
  const auto append_passes = [&](bool leading) {
    const LaunchShape shape{.blocks = std::min(tiles, as_count(c.at("min_blocks_per_sm") * device.sm_count)),
                            .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                            .shared_bytes = as_count(pass_bytes(c, problem)),
                            .allows_next_early = leading};
    if (carries) {
      builder.launch(pairs_kernel,
                     fmt::format("{}, {}, {}, bitune::ValueSource::{}, {}, {}", codec, leading,
                                 carried_bytes(problem), problem.value_bytes == 0 ? "index" : "memory",
                                 shared_arguments, c.at("values_beside_keys")),
                     shape, keys.out, keys.beside, keys.in, values.out, values.beside, values.in, problem.n,
                     schedule, counts.tickets, counts.digits, counts.look_back, tiles);
    } else {
      builder.launch(keys_kernel, fmt::format("{}, {}, {}", codec, leading, shared_arguments), shape,
                     keys.out, keys.beside, keys.in, problem.n, schedule, counts.tickets, counts.digits,
                     counts.look_back, tiles);
    }
  };
  append_passes(true);
  builder.launch(
      mend_kernel,
      fmt::format("{}, {}, {}, {}, {}", compared, carried_bytes(problem), carries, mend_threads, mend_items),
      {.blocks = parts_of(problem.n, mend_threads * mend_items), .threads = mend_threads}, keys.out,
      keys.beside, values.out, values.beside, problem.n, schedule, counts.tickets);
  append_passes(false);

  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_leading_digits

/// The fewer digits, the fewer times each key is read and written: for long arrays of wide keys
/// (kernels/radix/digit_schedule.cuh).
const Variant& leading_digits_variant() {
  static const of_leading_digits::LeadingDigitsVariant variant;
  return variant;
}

}  // namespace bitune
