// The variant `radix`: keys are put in the order of one digit after the other, from the lowest on.

#include <fmt/format.h>

#include "kernels/radix/radix_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/clear_counts.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/radix_parts.hpp"
#include "runtime/variants/registered.hpp"

namespace bitune {
namespace of_radix {
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

constexpr CountKernel count_kernel{
    .header = "kernels/radix/count_digits.cuh", .name = "count_digits", .allows_next_early = true};
constexpr Kernel<Address, Address, U64, U32, Address, Address, Address, U32> pass_kernel{
    "kernels/radix/radix_pass.cuh", "radix_pass"};

class RadixVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "radix"; }
  std::string_view description() const noexcept override {
    return "radix sort from the lowest digit on, each key read and written once a digit; one array";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {clear_digits_kernel.header, count_kernel.header, pass_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return sorts_keys_alone(problem) && problem.rows <= 1 && device.warp_size == 32;
  }
  /// Where reading and writing the keys once for each digit costs less than comparing them: that costs each
  /// key the same, however many there are.
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace RadixVariant::space(const Problem&, const DeviceInfo&) const {
  return radix_parts::space(name(), radix_parts::values_that_won());
}

Configuration RadixVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  const bool wide = size_of(problem.key) == 8;
  Configuration c{std::string(name()),
                  {{"block_size_x", 256},
                   {"items_per_thread", 31},
                   {"radix_bits", 8},
                   {"loop_unroll_factor_look_back", 4},
                   {"min_blocks_per_sm", wide ? 2 : 3},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  lower_to_device(c, space(problem, device), problem, device);
  return c;
}

Plan RadixVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const std::string codec = codec_arguments(problem.key, problem.order);
  const std::int64_t counter = layout::digit_counter_bytes(problem.n);
  const std::uint64_t tiles = tile_count(c, problem);
  const auto passes = as_count(pass_count(c, problem));
  const Counts counts = append_counting(builder, count_kernel, codec, passes, tiles, problem, c, device);

  const PassArrays arrays = pass_arrays(builder, problem, passes);
  for (std::uint64_t pass = 0; pass < arrays.passes(); ++pass) {
    const bool is_last = pass + 1 == arrays.passes();
    builder.launch(
        pass_kernel,
        fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", codec, c.at("block_size_x"), c.at("items_per_thread"),
                    c.at("radix_bits"), c.at("loop_unroll_factor_look_back"), counter,
                    c.at("min_blocks_per_sm"), !is_last),
        {.blocks = tiles,
         .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
         .shared_bytes = as_count(pass_bytes(c, problem)),
         .allows_next_early = !is_last},
        arrays.keys[pass + 1], arrays.keys[pass], problem.n, pass, counts.tickets, counts.digits,
        counts.look_back, tiles);
  }

  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_radix

/// No sort by comparisons, but the right answer for very long arrays: each pass reads and writes every key
/// once, however many there are (kernels/radix/radix_pass.cuh).
const Variant& radix_variant() {
  static const of_radix::RadixVariant variant;
  return variant;
}

}  // namespace bitune
