// The variants `bin_rows` and `minima_rows`: the first k keys of long rows and arrays, by one pass over
// memory.

#include <cstdint>
#include <string>
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

using row_filter::Method;

using Kernel = FirstKeysKernel<U32, U32, U32>;
constexpr Kernel bin_kernel{"kernels/topk/bin_rows.cuh", "bin_rows"};
constexpr Kernel minima_kernel{"kernels/topk/minima_rows.cuh", "minima_rows"};

class BinRowsVariant final : public row_filter::FilteringVariant {
 public:
  using FilteringVariant::FilteringVariant;
  std::string_view name() const noexcept override { return kernel().name; }
  std::string_view description() const noexcept override {
    return by_minima() ? "the first keys of long rows, as bin_rows; but the bound is from minima of samples"
                       : "the first keys of long rows: one pass that keeps what is not behind a bound from a "
                         "random sample, and puts it in order by bins; a block or a cluster a row";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel().header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_top_k(problem) && problem.n != 0 && can_filter(problem, device);
  }
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;

 private:
  [[nodiscard]] bool by_minima() const noexcept { return method() == Method::minima_and_bins; }
  [[nodiscard]] const Kernel& kernel() const noexcept { return by_minima() ? minima_kernel : bin_kernel; }
};

Plan BinRowsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const std::uint64_t rank =
      sampling::bound_rank(as_count(row_filter::sample_count(c, method())), problem.k, problem.n);
  launch_first_keys(builder, kernel(), row_filter::arguments(problem, c, method()),
                    row_filter::launch_shape(problem, c, method()), problem.n, problem.k, rank);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_bin_rows

/// A random sample gives a bound that is a little behind the k-th key. The row streams through registers, and
/// what is not behind it goes to bins (kernels/topk/bin_rows.cuh). A single array is one row.
const Variant& bin_rows_variant() {
  static const of_bin_rows::BinRowsVariant variant(row_filter::Method::bins);
  return variant;
}

/// The same, but that all blocks of a row take samples, and nothing but minima of groups of these is sorted
/// (kernels/topk/minima_rows.cuh).
const Variant& minima_rows_variant() {
  static const of_bin_rows::BinRowsVariant variant(row_filter::Method::minima_and_bins);
  return variant;
}

}  // namespace bitune
