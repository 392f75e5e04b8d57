// The variant `rows_topk`: the first keys of short rows, sorted in registers.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "kernels/rows/row_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/place_rows.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"
#include "runtime/variants/row_parts.hpp"

namespace bitune {
namespace of_rows_topk {
namespace {

constexpr FirstKeysKernel<U64, U32, U32> kernel{"kernels/rows/place_row_first_keys.cuh",
                                                "place_row_first_keys"};

using row_parts::capacity;
using row_parts::groups_per_block;
using row_parts::log2;
using row_parts::smallest_capacity;

std::int64_t row_bytes(std::int64_t keys, const Problem& problem, bool has_tile) {
  return layout::place_row(keys, placed_item_bytes(problem.key), 0, has_tile, false).bytes;
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  const bool has_tile = log2(c.at("threads_per_row")) > c.at("shuffle_steps");
  return row_bytes(capacity(c), problem, has_tile) * groups_per_block(c);
}

/// What a block of 512 threads holds without spilling.
std::uint64_t longest_row(const Problem& problem) { return size_of(problem.key) == 8 ? 8192 : 16384; }

class RowsTopkVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "rows_topk"; }
  std::string_view description() const noexcept override {
    return "the first keys of short rows: all of a row are sorted in registers, with their places";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_top_k(problem) && device.warp_size == 32 && problem.n <= longest_row(problem) &&
           row_bytes(smallest_capacity(problem.n), problem, true) <= device.shared_bytes_per_block_optin;
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace RowsTopkVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters =
      row_parts::parameters({2, 4, 8, 16, 32}, "keys a thread holds in registers, each with its place", 5);
  const std::vector<Parameter> own = {
      compared_as_double(),
      {"imad_quarters",
       {0, 1, 2, 3},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm",
       {1, 2, 3, 4, 8},
       "blocks a multiprocessor that the compiler must leave registers for"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.parameters.insert(space.parameters.end(), own.begin(), own.end());
  space.restrictions = row_parts::restrictions();
  const std::vector<Restriction> own_restrictions = {
      placed_words_may_be_doubles(),  shared_memory_fits_block(shared_bytes),
      placed_items_fit_registers(),   blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
  };
  space.restrictions.insert(space.restrictions.end(), own_restrictions.begin(), own_restrictions.end());
  return space;
}

Configuration RowsTopkVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  return place_rows::default_configuration({std::string(name()), {}}, problem, device,
                                           place_rows::most_items(problem), shared_bytes);
}

Plan RowsTopkVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const auto rows = as_count(groups_per_block(c));
  // Rows that fill their registers have a kernel of their own, without padding.
  const bool is_full = problem.n == as_count(capacity(c));
  launch_first_keys(builder, kernel,
                    fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}",
                                codec_arguments(problem.key, problem.order),
                                placed_form(problem.key, c.at("compare_as_double") != 0), problem.value_bytes,
                                problem.index_bytes, c.at("threads_per_row"), c.at("items_per_thread"), rows,
                                c.at("shuffle_steps"), c.at("vector_width"), c.at("store_swaps"),
                                c.at("imad_quarters"), c.at("min_blocks_per_sm"), is_full),
                    {.blocks = parts_of(problem.rows, rows),
                     .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                     .shared_bytes = as_count(shared_bytes(c, problem))},
                    problem.rows, problem.n, problem.k);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_rows_topk

/// A row is held by part of a warp, a warp, or a block, each key with its place, and sorted whole
/// (kernels/rows/place_row_first_keys.cuh). A single array is one row.
const Variant& rows_topk_variant() {
  static const of_rows_topk::RowsTopkVariant variant;
  return variant;
}

}  // namespace bitune
