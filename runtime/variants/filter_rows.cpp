// The variants `filter_rows` and `bin_rows`: the first k keys of long rows and arrays, by one pass over
// memory.

#include <string_view>
#include <vector>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/row_filter.hpp"
#include "runtime/variants/sampling.hpp"

namespace bitune {
namespace of_filter_rows {
namespace {

using RowsKernelOf = FirstKeysKernel<U32, U32, U32>;
constexpr RowsKernelOf sorting_kernel{"kernels/topk/filter_rows.cuh", "filter_rows"};
constexpr RowsKernelOf binning_kernel{"kernels/topk/bin_rows.cuh", "bin_rows"};
constexpr RowsKernelOf number_kernel{"kernels/topk/bin_numbers.cuh", "bin_numbers"};

class FilterRowsVariant final : public row_filter::FilteringVariant {
 public:
  FilterRowsVariant(row_filter::Finish finish, const RowsKernelOf& kernel, std::string_view description)
      : FilteringVariant(finish), finish_(finish), kernel_(kernel), description_(description) {}
  std::string_view name() const noexcept override { return kernel_.name; }
  std::string_view description() const noexcept override { return description_; }
  std::vector<std::string_view> kernel_headers() const override { return {kernel_.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    const bool has_keys = kernel_.name != number_kernel.name || is_floating_point(problem.key);
    return is_top_k(problem) && problem.n != 0 && has_keys && can_filter(problem, device);
  }
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;

 private:
  row_filter::Finish finish_;
  const RowsKernelOf& kernel_;
  std::string_view description_;
};

Plan FilterRowsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const std::uint64_t rank =
      sampling::bound_rank(as_count(row_filter::sample_count(c)), problem.k, problem.n);
  launch_first_keys(builder, kernel_, row_filter::arguments(problem, c),
                    row_filter::launch_shape(problem, c, finish_), problem.n, problem.k, rank);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_filter_rows

/// A random sample gives a bound that is a little behind the k-th key. The row streams through registers, and
/// what is not behind the bound is kept and sorted (kernels/topk/filter_rows.cuh). A single array is one row.
const Variant& filter_rows_variant() {
  static const of_filter_rows::FilterRowsVariant variant(
      row_filter::Finish::sorted, of_filter_rows::sorting_kernel,
      "the first keys of long rows: one pass that keeps what is not behind a bound from a random sample; a "
      "block or a cluster a row");
  return variant;
}

/// The same, but that the candidates are put in order by bins (kernels/topk/bin_rows.cuh).
const Variant& bin_rows_variant() {
  static const of_filter_rows::FilterRowsVariant variant(
      row_filter::Finish::binned, of_filter_rows::binning_kernel,
      "the first keys of long rows, as filter_rows; but what is not behind the bound goes to bins, and is "
      "not "
      "sorted");
  return variant;
}

/// The same, but that floating-point keys are compared as they are (kernels/topk/bin_numbers.cuh).
const Variant& bin_numbers_variant() {
  static const of_filter_rows::FilterRowsVariant variant(
      row_filter::Finish::binned, of_filter_rows::number_kernel,
      "the first keys of long rows of floating-point numbers, as bin_rows; keys are compared as they are");
  return variant;
}

}  // namespace bitune
