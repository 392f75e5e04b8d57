// The variant `multiway`: sorted runs, split exactly where buckets begin, and each bucket sorted in
// registers.

#include <fmt/format.h>

#include <string>

#include "kernels/multiway/multiway_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/multiway_parts.hpp"
#include "runtime/variants/multiway_sizes.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"

namespace bitune {
namespace of_multiway {
namespace {

constexpr RowsKernel<Address, Address, Address, Address, U64, U32> sort_kernel{
    "kernels/multiway/multiway_sort.cuh", "multiway_sort"};
class MultiwayVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "multiway"; }
  std::string_view description() const noexcept override {
    return "sorted runs in registers, split exactly at the ranks where buckets begin; each bucket is "
           "gathered from all runs and sorted in registers";
  }
  std::vector<std::string_view> kernel_headers() const override { return {sort_kernel.header, split_header}; }
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

Configuration MultiwayVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  return default_of(std::string(name()), problem, device);
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
  append_splitting(builder, problem, c, facts.runs, splits);
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
