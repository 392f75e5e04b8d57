// The variant `radix`: keys are put in the order of one digit after the other, from the lowest on.

#include <string_view>
#include <vector>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/clear_counts.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/radix_parts.hpp"
#include "runtime/variants/radix_passes.hpp"
#include "runtime/variants/registered.hpp"

namespace bitune {
namespace of_radix {
namespace {

using radix_parts::lower_to_device;

class RadixVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "radix"; }
  std::string_view description() const noexcept override {
    return "radix sort from the lowest digit on, each key read and written once a digit; one array";
  }
  std::vector<std::string_view> kernel_headers() const override {
    std::vector<std::string_view> headers = RadixPasses::headers(false);
    headers.insert(headers.begin(), clear_digits_kernel.header);
    return headers;
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return sorts_keys_alone(problem) && problem.rows <= 1 && device.warp_size == 32;
  }
  /// Where reading and writing the keys once for each digit costs less than comparing them: that costs each
  /// key the same, however many there are.
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override {
    return radix_plan(problem, c, device);
  }
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

}  // namespace
}  // namespace of_radix

/// No sort by comparisons, but the right answer for very long arrays: each pass reads and writes every key
/// once, however many there are (kernels/radix/radix_pass.cuh).
const Variant& radix_variant() {
  static const of_radix::RadixVariant variant;
  return variant;
}

}  // namespace bitune
