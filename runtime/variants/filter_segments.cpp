// The variant `filter_segments`: the first k keys of segments, by one pass over memory.

#include <string_view>
#include <vector>

#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/row_filter.hpp"

namespace bitune {
namespace of_filter_segments {
namespace {

constexpr Kernel<Address, OperandStride, Address, Address, OperandStride, Address, Address, OperandStride,
                 Address, OperandStride, Address, CallKeys, U32>
    kernel{"kernels/topk/filter_segments.cuh", "filter_segments"};

class FilterSegmentsVariant final : public row_filter::FilteringVariant {
 public:
  FilterSegmentsVariant() noexcept : FilteringVariant(row_filter::Method::sorts) {}
  std::string_view name() const noexcept override { return "filter_segments"; }
  std::string_view description() const noexcept override {
    return "the first keys of segments: one pass that keeps what is not behind a bound from a random sample; "
           "a block a segment";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_segmented_top_k(problem) && can_filter(problem, device);
  }
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

Plan FilterSegmentsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder;
  if (problem.rows == 0) return builder.take();
  LaunchShape shape = row_filter::launch_shape(problem, c, method());
  shape.segments_per_block = 1;
  builder.launch(kernel, row_filter::arguments(problem, c, method()), shape, address_of(Role::keys_out),
                 OperandStride{Role::keys_out}, address_of(Role::keys_in), address_of(Role::values_out),
                 OperandStride{Role::values_out}, address_of(Role::values_in), address_of(Role::indices_out),
                 OperandStride{Role::indices_out}, address_of(Role::offsets), OperandStride{Role::offsets},
                 address_of(Role::ends), CallKeys{problem.n}, problem.k);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_filter_segments

/// As bin_rows, for rows of any lengths. A segment that is much longer than the others may take its block
/// a second, slow pass (kernels/topk/row_filter.cuh).
const Variant& filter_segments_variant() {
  static const of_filter_segments::FilterSegmentsVariant variant;
  return variant;
}

}  // namespace bitune
