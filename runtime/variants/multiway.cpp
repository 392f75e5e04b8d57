// The variant `multiway`: sorted runs, split exactly where buckets begin, and each bucket sorted in
// registers.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kernels/multiway/multiway_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/multiway_sizes.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"

namespace bitune {
namespace of_multiway {
namespace {

constexpr RowsKernel<Address, Address, Address, Address, U64, U32> sort_kernel{
    "kernels/multiway/multiway_sort.cuh", "multiway_sort"};
constexpr RowsKernel<Address, Address, U64, U32, U32, U32, U32> split_kernel{
    "kernels/multiway/multiway_split.cuh", "multiway_split"};

class MultiwayVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "multiway"; }
  std::string_view description() const noexcept override {
    return "sorted runs in registers, split exactly at the ranks where buckets begin; each bucket is "
           "gathered from all runs and sorted in registers";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {sort_kernel.header, split_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override;
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

bool MultiwayVariant::supports(const Problem& problem, const DeviceInfo& device) const {
  return sorts_keys_alone(problem) && device.warp_size == 32 && problem.n <= most_keys(problem.key, device);
}

SearchSpace MultiwayVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space = make_space();
  space.variant = name();
  return space;
}

/// Runs of 4 KB are as quick as shorter ones. They grow while there are more of them than multiprocessors.
/// Past half of what registers hold they grow only where there would be too many: a bucket's pieces get short
/// then, and splitting slow.
std::int64_t default_tile(const Problem& problem, const DeviceInfo& device) {
  const std::int64_t largest = largest_tile(problem.key, device);
  std::int64_t tile = smallest_tile;
  const auto count = [&] { return parts_of(problem.n, as_count(tile)); };
  while (tile < largest && tile * word_bytes(problem.key) < 4096 && count() > 2) tile *= 2;
  while (tile < largest && count() > static_cast<std::uint64_t>(device.sm_count) &&
         (tile < largest / 2 || count() > 1024)) {
    tile *= 2;
  }
  return tile;
}

Configuration MultiwayVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  const bool wide = size_of(problem.key) == 8;
  const std::int64_t word = word_bytes(problem.key);
  const std::int64_t tile = default_tile(problem, device);
  // 256 threads a block, as far as a thread has 32 to 128 bytes of keys then.
  const std::int64_t items = std::min(std::clamp(tile / 256, 32 / word, 128 / word), tile / 64);
  // Short runs are bound by waiting, not by work: launches overlap, and few threads search for many.
  const bool is_short = tile * word <= 16 << 10;
  const bool in_buckets = parts_of(problem.n, as_count(tile)) <= 256;
  Configuration c{std::string(name()),
                  {{"block_size_x", tile / items},
                   {"items_per_thread", items},
                   {"shuffle_steps", is_short ? 2 : 1},
                   {"vector_width", wide ? 2 : 4},
                   {"imad_quarters", 0},
                   {"min_blocks_per_sm", tile / items <= 128 ? 2 : 1},
                   {"gather_lanes", is_short ? 4 : 8},
                   {"split_threads", in_buckets || wide ? 256 : 128},
                   {"split_pivots", tile * word < 64 << 10 ? 3 : 5},
                   {"split_levels", in_buckets ? 0 : 1},
                   {"split_window", 64},
                   {"dependent_launch", device.compute_major < 9 ? 0
                                        : is_short               ? 2
                                                                 : 1}}};
  if (!in_buckets || !windows_fit(c, problem, device)) {
    c.parameters["split_window"] = 0;
  } else if (tile * word == 32 << 10 && windows_fit(c, problem, device, 96)) {
    // With windows of 64, many blocks would have to move them. The next launch waits here, since its blocks
    // would take the place of those that are still to come.
    c.parameters["split_window"] = 96;
    c.parameters["dependent_launch"] = 0;
  }
  return c;
}

/// What all launches of a plan have in common.
struct PlanFacts {
  const Problem& problem;
  const Configuration& c;
  std::uint64_t tiles;
  std::string tile_arguments;  ///< the first template arguments of the kernels that sort
  Address runs;
};

LaunchShape shape_of(const PlanFacts& facts, std::int64_t shared_bytes) {
  return {.blocks = facts.tiles,
          .threads = static_cast<std::uint32_t>(facts.c.at("block_size_x")),
          .shared_bytes = as_count(shared_bytes)};
}

/// Pass 0 sorts the runs, pass 1 the buckets.
void append_pass(PlanBuilder& builder, const PlanFacts& facts, Address splits, unsigned pass) {
  const Configuration& c = facts.c;
  const std::int64_t bytes = pass == 0 ? run_bytes(c, facts.problem) : bucket_bytes(c, facts.problem);
  builder.launch(sort_kernel,
                 fmt::format("{}, {}, 1, {}, {}, {}", facts.tile_arguments, c.at("dependent_launch") == 2,
                             c.at("gather_lanes"), splits_in_buckets(c) ? c.at("split_pivots") : 0,
                             c.at("split_window")),
                 shape_of(facts, bytes), keys_address(), input_address(), facts.runs, splits, facts.problem.n,
                 pass);
}

/// A launch for each level. The boundaries of a level are the multiples of its step that are not of the step
/// above.
void append_splitting(PlanBuilder& builder, const PlanFacts& facts, Address splits) {
  const Configuration& c = facts.c;
  std::uint64_t parent_step = 0;
  for (std::int64_t level = c.at("split_levels"); level > 0; --level) {
    std::uint64_t step = 1;
    for (std::int64_t below = 1; below < level; ++below) step *= fan_out(c, facts.problem);
    if (step >= facts.tiles) continue;
    const std::uint64_t multiples = (facts.tiles - 1) / step;
    const std::uint64_t intervals = parent_step == 0 ? 1 : parts_of(facts.tiles, parent_step);
    const std::uint64_t boundaries = parent_step == 0 ? multiples : intervals * (parent_step / step - 1);
    builder.launch(
        split_kernel,
        fmt::format("{}, {}, {}, 1", size_of(facts.problem.key), c.at("split_threads"), c.at("split_pivots")),
        {.blocks = boundaries,
         .threads = static_cast<std::uint32_t>(c.at("split_threads")),
         .shared_bytes = as_count(split_bytes(c, facts.problem))},
        splits, facts.runs, facts.problem.n, as_count(tile_size(c)), facts.tiles, step, parent_step);
    parent_step = step;
  }
}

Plan MultiwayVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const std::uint64_t tiles = tile_count(c, problem);
  const std::uint64_t run_places = tiles * as_count(tile_size(c));
  const PlanFacts facts{problem, c, tiles,
                        fmt::format("{}, {}, {}, {}, {}, {}, {}", codec_arguments(problem.key, problem.order),
                                    c.at("block_size_x"), c.at("items_per_thread"), c.at("shuffle_steps"),
                                    c.at("vector_width"), c.at("imad_quarters"), c.at("min_blocks_per_sm")),
                        builder.workspace(problem.rows * run_places * size_of(problem.key))};
  // Where the buckets' blocks split the runs themselves, nothing reads this argument.
  const Address splits =
      splits_in_buckets(c) ? facts.runs : builder.workspace(problem.rows * layout::split_places(tiles) * 4);
  append_pass(builder, facts, splits, 0);
  append_splitting(builder, facts, splits);
  append_pass(builder, facts, splits, 1);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_multiway

/// Two passes over memory, whatever the length: runs are sorted in the registers of a block each, as long as
/// fits; every bucket of as many keys is gathered from all runs and sorted likewise. Between them the runs
/// are split exactly at the buckets' ranks (kernels/multiway/multiway_split.cuh), so that no input has
/// unequal buckets.
const Variant& multiway_variant() {
  static const of_multiway::MultiwayVariant variant;
  return variant;
}

}  // namespace bitune
