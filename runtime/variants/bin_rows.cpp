// The variant `bin_rows`: the first k keys of long rows and arrays, by one pass over memory.

#include <string_view>
#include <vector>

#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/row_filter.hpp"
#include "runtime/variants/sampling.hpp"

namespace bitune {
namespace of_bin_rows {
namespace {

constexpr FirstKeysKernel<U32, U32, U32, U32> kernel{"kernels/topk/bin_rows.cuh", "bin_rows"};

class BinRowsVariant final : public row_filter::FilteringVariant {
 public:
  BinRowsVariant() noexcept : FilteringVariant(row_filter::Finish::binned) {}
  std::string_view name() const noexcept override { return "bin_rows"; }
  std::string_view description() const noexcept override {
    return "the first keys of long rows: one pass that keeps what is not behind a bound from a random "
           "sample, and puts it in order by bins; a block or a cluster a row";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_top_k(problem) && problem.n != 0 && can_filter(problem, device);
  }
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

Plan BinRowsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const std::uint64_t rank =
      sampling::bound_rank(as_count(row_filter::sample_count(c)), problem.k, problem.n);
  launch_first_keys(builder, kernel, row_filter::arguments(problem, c),
                    row_filter::launch_shape(problem, c, row_filter::Finish::binned), problem.n, problem.k,
                    as_count(c.at("chunks_ahead")), rank);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_bin_rows

/// A random sample gives a bound that is a little behind the k-th key. The row streams through registers, and
/// what is not behind it goes to bins (kernels/topk/bin_rows.cuh). A single array is one row.
const Variant& bin_rows_variant() {
  static const of_bin_rows::BinRowsVariant variant;
  return variant;
}

}  // namespace bitune
