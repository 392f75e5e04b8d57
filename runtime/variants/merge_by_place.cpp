// The variant `merge_by_place`: rows and arrays of any length with values or indices, by merging sorted runs.

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
#include "runtime/variants/place_runs.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_merge_by_place {
namespace {

constexpr std::string_view runs_header = "kernels/merge/place_runs.cuh";
constexpr std::string_view merge_header = "kernels/merge/merge_runs.cuh";
constexpr Kernel<Address, Address, OperandStride, Address, Address, OperandStride, Address, U32, U32>
    runs_kernel{runs_header, "place_runs"};
constexpr Kernel<Address, Address, U32, U32, U32> merge_kernel{merge_header, "merge_runs"};
constexpr Kernel<Address, Address, OperandStride, Address, OperandStride, Address, OperandStride, Address,
                 Address, U32, U32, U32>
    last_kernel{merge_header, "merge_last_runs"};

using place_runs::longest_row;
using place_runs::run_bytes;
using place_runs::run_size;
using place_runs::tile_bytes;
using place_runs::tile_size;

class MergeByPlaceVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "merge_by_place"; }
  std::string_view description() const noexcept override {
    return "runs of keys with their places, merged; values or indices; stable; rows and arrays";
  }
  std::vector<std::string_view> kernel_headers() const override { return {runs_header, merge_header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() != ShapeKind::segments && carries_one_thing(problem) && device.warp_size == 32 &&
           problem.n <= longest_row;
  }
  /// Every doubling of the length is one more pass over memory. Radix sort has the same few passes always,
  /// but of single arrays only, and begins with two launches more.
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  /// With the smallest network in registers: it is unrolled.
  std::optional<Configuration> quick_configuration(const Problem& problem,
                                                   const DeviceInfo& device) const override {
    Configuration c = default_configuration(problem, device);
    c.parameters["items_per_thread"] = 4;
    c.parameters["merge_items"] = 4;
    return c;
  }
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace MergeByPlaceVariant::space(const Problem&, const DeviceInfo&) const {
  return place_runs::space(std::string(name()));
}

Configuration MergeByPlaceVariant::default_configuration(const Problem& problem,
                                                         const DeviceInfo& device) const {
  return place_runs::default_configuration(space(problem, device), problem, device);
}

Plan MergeByPlaceVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const std::uint64_t keys = problem.n * problem.rows;
  const std::uint64_t runs = parts_of(problem.n, as_count(run_size(c)));
  const std::uint64_t tiles = parts_of(problem.n, as_count(tile_size(c)));
  // The last launch merges even where there is one run, as it writes what is asked for.
  const int passes = std::max(1, ceil_log2(runs));

  const std::uint64_t item_bytes = as_count(merged_item_bytes(problem.key));
  Address items = builder.workspace(keys * item_bytes);
  Address others = passes > 1 ? builder.workspace(keys * item_bytes) : items;
  const Address kept_values =
      problem.value_bytes != 0 ? builder.workspace(keys * problem.value_bytes) : items;
  const bool keeps_nans = writes_keys(problem) && is_floating_point(problem.key);
  const Address kept_nans = keeps_nans ? builder.workspace(keys * size_of(problem.key)) : items;

  const std::string form = merged_arguments(problem, c);
  builder.launch(runs_kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", form, problem.value_bytes,
                             writes_keys(problem), c.at("block_size_x"), c.at("items_per_thread"),
                             c.at("shuffle_steps"), c.at("imad_quarters"), c.at("min_blocks_per_sm")),
                 {.blocks = problem.rows * runs,
                  .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                  .shared_bytes = as_count(run_bytes(c, problem))},
                 items, address_of(Role::keys_in), OperandStride{Role::keys_in}, kept_values,
                 address_of(Role::values_in), OperandStride{Role::values_in}, kept_nans, problem.n, runs);
  const LaunchShape merge{.blocks = problem.rows * tiles,
                          .threads = static_cast<std::uint32_t>(c.at("merge_threads")),
                          .shared_bytes = as_count(tile_bytes(c, problem))};
  std::uint64_t run = as_count(run_size(c));
  for (int pass = 1; pass < passes; ++pass) {
    builder.launch(merge_kernel, fmt::format("{}, {}, {}", form, c.at("merge_threads"), c.at("merge_items")),
                   merge, others, items, problem.n, run, tiles);
    std::swap(items, others);
    run *= 2;
  }
  builder.launch(last_kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}", form, problem.value_bytes, problem.index_bytes,
                             writes_keys(problem), c.at("merge_threads"), c.at("merge_items")),
                 merge, items, address_of(Role::keys_out), OperandStride{Role::keys_out},
                 address_of(Role::values_out), OperandStride{Role::values_out}, address_of(Role::indices_out),
                 OperandStride{Role::indices_out}, kept_values, kept_nans, problem.n, run, tiles);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_merge_by_place

/// Runs are sorted in registers and merged in pairs, all rows at once (kernels/merge/).
const Variant& merge_by_place_variant() {
  static const of_merge_by_place::MergeByPlaceVariant variant;
  return variant;
}

}  // namespace bitune
