// The variant `segments_topk`: the first k keys of segments, which are sorted in the workspace.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"

namespace bitune {
namespace of_segments_topk {
namespace {

constexpr Kernel<Address, OperandStride, Address, Address, OperandStride, Address, Address, OperandStride,
                 Address, Address, OperandStride, Address, CallSegments, CallKeys, U64>
    cut_kernel{"kernels/segments/cut_segments.cuh", "cut_segments"};

/// The sort of all segments.
Problem sort_of(const Problem& problem) {
  Problem sort = problem;
  sort.operation = problem.value_bytes != 0 ? Operation::sort_pairs : Operation::sort;
  sort.stable = carried_bytes(problem) != 0;
  sort.k = 0;
  return sort;
}

/// What sorts them.
const Variant& sorting(const Problem& problem, const DeviceInfo& device) {
  const Variant& usual = segments_variant();
  return usual.supports(sort_of(problem), device) ? usual : segments_radix_variant();
}

class SegmentsTopkVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "segments_topk"; }
  std::string_view description() const noexcept override {
    return "the first keys of segments of any lengths, which are sorted in the workspace, as by `segments`";
  }
  std::vector<std::string_view> kernel_headers() const override {
    std::vector<std::string_view> headers = segments_variant().kernel_headers();
    for (const std::string_view header : segments_radix_variant().kernel_headers()) {
      if (std::find(headers.begin(), headers.end(), header) == headers.end()) headers.push_back(header);
    }
    headers.push_back(cut_kernel.header);
    return headers;
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_segmented_top_k(problem) && sorting(problem, device).supports(sort_of(problem), device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override {
    SearchSpace space = sorting(problem, device).space(sort_of(problem), device);
    space.variant = name();
    for (Restriction& restriction : space.restrictions) {
      restriction.holds = [of_sort = std::move(restriction.holds)](const Configuration& c, const Problem& p,
                                                                   const DeviceInfo& d) {
        return of_sort(c, sort_of(p), d);
      };
    }
    return space;
  }
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override {
    Configuration c = sorting(problem, device).default_configuration(sort_of(problem), device);
    c.variant = name();
    return c;
  }
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

Plan SegmentsTopkVariant::plan(const Problem& problem, const Configuration& c,
                               const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.rows == 0) return builder.take();
  const Problem sort = sort_of(problem);
  const Address keys = builder.workspace(problem.n * size_of(problem.key));
  const Address values = builder.workspace(problem.n * problem.value_bytes);
  const Address indices = builder.workspace(problem.n * problem.index_bytes);
  builder.append(sorting(problem, device).plan(sort, c, device),
                 {{Role::keys_out, keys}, {Role::values_out, values}, {Role::indices_out, indices}});
  constexpr std::uint32_t threads = 256;
  builder.launch(cut_kernel,
                 fmt::format("{}, {}, {}, {}", codec_arguments(problem.key, problem.order),
                             problem.value_bytes, problem.index_bytes, threads),
                 {.blocks = std::min(parts_of(problem.rows * problem.k, threads),
                                     8 * static_cast<std::uint64_t>(device.sm_count)),
                  .threads = threads},
                 address_of(Role::keys_out), OperandStride{Role::keys_out}, keys,
                 address_of(Role::values_out), OperandStride{Role::values_out}, values,
                 address_of(Role::indices_out), OperandStride{Role::indices_out}, indices,
                 address_of(Role::offsets), OperandStride{Role::offsets}, address_of(Role::ends),
                 CallSegments{problem.rows}, CallKeys{problem.n}, problem.k);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_segments_topk

/// Any k, and any lengths, without a slow one among them; the workspace has room for all keys. As the sorts
/// are stable, of equal keys those with the lowest index are given.
const Variant& segments_topk_variant() {
  static const of_segments_topk::SegmentsTopkVariant variant;
  return variant;
}

}  // namespace bitune
