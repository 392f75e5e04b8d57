// The variant `merge_topk`: the first keys of rows and arrays of any length, by merging sorted runs.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/first_keys_merge.hpp"
#include "runtime/variants/place_runs.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_merge_topk {
namespace {

constexpr Kernel<Address, Address, OperandStride, Address, OperandStride, U32, U32, U32> runs_kernel{
    FirstKeysMerge::header, "first_keys_of_runs"};

using place_runs::longest_row;
using place_runs::run_bytes;
using place_runs::run_size;

FirstKeysMerge merge_of(const Configuration& c) {
  return {.threads = c.at("merge_threads"), .items = c.at("merge_items")};
}

class MergeTopkVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "merge_topk"; }
  std::string_view description() const noexcept override {
    return "the first keys of rows and arrays: runs of keys with their places, merged; none keeps more than "
           "k";
  }
  std::vector<std::string_view> kernel_headers() const override { return {FirstKeysMerge::header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_top_k(problem) && device.warp_size == 32 && problem.n <= longest_row;
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace MergeTopkVariant::space(const Problem&, const DeviceInfo&) const {
  return place_runs::space(std::string(name()));
}

Configuration MergeTopkVariant::default_configuration(const Problem& problem,
                                                      const DeviceInfo& device) const {
  return place_runs::default_configuration(space(problem, device), problem, device);
}

Plan MergeTopkVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const FirstKeysMerge merge = merge_of(c);
  const std::uint64_t run = as_count(run_size(c));
  const std::uint64_t kept = merge.kept_of(run, problem);
  const std::uint64_t count = parts_of(problem.n, run);
  const FirstKeysRuns runs{
      .count = count, .items = kept, .last = std::min(kept, problem.n - (count - 1) * run)};
  const Address items =
      builder.workspace(problem.rows * runs.count * runs.items * as_count(merged_item_bytes(problem.key)));

  const std::string form = merged_arguments(problem, c);
  builder.launch(runs_kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}, {}", form, carried_bytes(problem) != 0,
                             c.at("block_size_x"), c.at("items_per_thread"), c.at("shuffle_steps"),
                             c.at("imad_quarters"), c.at("min_blocks_per_sm")),
                 {.blocks = problem.rows * runs.count,
                  .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                  .shared_bytes = as_count(run_bytes(c, problem))},
                 items, address_of(Role::keys_in), OperandStride{Role::keys_in}, address_of(Role::lengths),
                 OperandStride{Role::lengths}, problem.n, runs.count, runs.items);
  merge.add_to(builder, problem, form, items, runs);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_merge_topk

/// Runs are sorted in registers and merged in pairs, all rows at once (kernels/merge/first_keys_runs.cuh).
const Variant& merge_topk_variant() {
  static const of_merge_topk::MergeTopkVariant variant;
  return variant;
}

}  // namespace bitune
