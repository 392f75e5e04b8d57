// The variant `merge_by_place`: rows and arrays of any length with values or indices, by merging sorted runs.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/merge/merge_layout.hpp"
#include "kernels/network/network_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
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

/// A place and a row's length have 32 bits in the kernels. Places behind the end, up to the next tile, too.
constexpr std::uint64_t longest_row = std::uint64_t{1} << 31;

std::int64_t run_size(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }
std::int64_t tile_size(const Configuration& c) { return c.at("merge_threads") * c.at("merge_items"); }

std::int64_t run_bytes(const Configuration& c, const Problem& problem) {
  return layout::padded_bytes(run_size(c), merged_item_bytes(problem.key));
}

std::int64_t tile_bytes(const Configuration& c, const Problem& problem) {
  return layout::merge_tile_bytes(tile_size(c), merged_item_bytes(problem.key));
}

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
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"block_size_x", {64, 128, 256, 512}, "threads of a block that sorts a run"},
      {"items_per_thread", {4, 8, 16}, "keys a thread holds in registers, each with its place"},
      {"shuffle_steps", {0, 1, 2, 3}, "most steps on lane bits that go by shuffles at the end of a stage"},
      {"compare_as_double",
       {0, 1},
       "whether a key of 32 bits and its place are compared as floating-point numbers"},
      {"imad_quarters",
       {0, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm",
       {1, 2, 3, 4},
       "blocks that sort runs a multiprocessor that the compiler must leave registers for"},
      {"merge_threads", {64, 128, 256, 512}, "threads of a block that merges"},
      {"merge_items", {4, 8, 16}, "items a thread merges"},
      {"dependent_launch", {0, 1}, "whether each launch may begin while the one before it ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"a run is a whole number of tiles that are merged",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         return run_size(c) % tile_size(c) == 0 && c.at("merge_threads") <= d.max_threads_per_block;
       },
       {"block_size_x", "items_per_thread", "merge_threads", "merge_items"}},
      {"a run is shorter than the array, or the shortest there is",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return as_count(run_size(c)) < p.n || run_size(c) == 256;
       },
       {"block_size_x", "items_per_thread"}},
      placed_words_may_be_doubles(),
      {"a place has 30 bits where it is compared as a part of a floating-point number: rows of at most 2^29 "
       "keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("compare_as_double") == 0 || p.n <= std::uint64_t{1} << 29;
       },
       {"compare_as_double"}},
      shared_memory_fits_block([](const Configuration& c, const Problem& p) {
        return std::max(run_bytes(c, p), tile_bytes(c, p));
      }),
      placed_items_fit_registers(),
      blocks_fit_multiprocessor(run_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration MergeByPlaceVariant::default_configuration(const Problem& problem,
                                                         const DeviceInfo& device) const {
  const bool wide = size_of(problem.key) == 8;
  // A few short rows: shorter runs, so that more multiprocessors have one.
  const std::uint64_t keys = problem.n * std::min<std::uint64_t>(problem.rows, 1 << 20);
  const auto multiprocessors = static_cast<std::uint64_t>(device.sm_count);
  std::int64_t threads = 256;
  std::int64_t items = wide ? 8 : 16;
  while (threads > 64 && keys / as_count(threads * items) < multiprocessors) threads /= 2;
  if (as_count(threads * items) >= problem.n) {
    threads = 64;
    items = 4;
  }
  const std::int64_t merged = std::min<std::int64_t>(items, 8);
  Configuration c{
      std::string(name()),
      {{"block_size_x", threads},
       {"items_per_thread", items},
       {"shuffle_steps", 2},
       {"compare_as_double", problem.n <= std::uint64_t{1} << 29 ? prefers_doubles(problem.key, device) : 0},
       {"imad_quarters", 0},
       {"min_blocks_per_sm", threads < 256 ? 1
                             : wide        ? 4
                                           : 3},
       {"merge_threads", threads},
       {"merge_items", merged},
       {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  const SearchSpace all = space(problem, device);
  if (all.violation(c, problem, device)) c.parameters["min_blocks_per_sm"] = 1;
  return c;
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

  const std::string form =
      fmt::format("{}, bitune::PlacedForm::{}", codec_arguments(problem.key, problem.order),
                  merged_form(problem.key, c.at("compare_as_double") != 0));
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
