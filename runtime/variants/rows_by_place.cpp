// The variant `rows_by_place`: short arrays of keys with values or indices, in registers.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/rows/row_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/place_rows.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"
#include "runtime/variants/row_parts.hpp"

namespace bitune {
namespace of_rows_by_place {
namespace {

constexpr CarriedKernel<U64, U32> kernel{"kernels/rows/place_row_sort.cuh", "place_row_sort"};

using row_parts::capacity;
using row_parts::groups_per_block;
using row_parts::log2;
using row_parts::smallest_capacity;
using row_parts::striped;

std::int64_t row_bytes(std::int64_t keys, const Problem& problem, bool has_tile, bool early_values) {
  return layout::place_row(keys, placed_item_bytes(problem.key), problem.value_bytes, has_tile, early_values)
      .bytes;
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  const bool has_tile =
      c.at("store_swaps") == striped || log2(c.at("threads_per_row")) > c.at("shuffle_steps");
  return row_bytes(capacity(c), problem, has_tile, c.at("early_values") != 0) * groups_per_block(c);
}

/// What a block of 512 threads holds without spilling.
std::uint64_t longest_row(const Problem& problem) {
  return size_of(problem.key) == 8 || problem.value_bytes > 4 ? 8192 : 16384;
}

class RowsByPlaceVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "rows_by_place"; }
  std::string_view description() const noexcept override {
    return "short rows with values or indices, in registers: keys with their places; stable";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() != ShapeKind::segments && carries_one_thing(problem) && device.warp_size == 32 &&
           problem.n <= longest_row(problem) &&
           row_bytes(smallest_capacity(problem.n), problem, true, false) <=
               device.shared_bytes_per_block_optin;
  }
  /// A longer array is for many multiprocessors, the sooner where blocks exchange items in a cluster.
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace RowsByPlaceVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters =
      row_parts::parameters({2, 4, 8, 16, 32}, "keys a thread holds in registers, each with its place", 5);
  for (Parameter& one : space.parameters) {
    if (one.name != "store_swaps") continue;
    one.values.push_back(striped);
    one.description += "; 5: all lanes, through shared memory";
  }
  const std::vector<Parameter> own = {
      compared_as_double(),
      {"imad_quarters",
       {0, 1, 2, 3, 4, 6, 8},
       "of four comparators, how many get what is larger from the multiplier's pipe: up to 3 as a + b - "
       "min(a, b); "
       "from 4 on, 4 fewer, by moving it"},
      {"early_values",
       {0, 1},
       "whether values are copied to shared memory while keys are sorted, and have room of their own there"},
      {"min_blocks_per_sm",
       {1, 2, 3, 4, 7, 8, 9},
       "blocks a multiprocessor that the compiler must leave registers for"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.parameters.insert(space.parameters.end(), own.begin(), own.end());
  space.restrictions = row_parts::restrictions();
  const std::vector<Restriction> own_restrictions = {
      placed_words_may_be_doubles(),
      {"what is stored goes through shared memory only where a row has at least 8 threads",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("store_swaps") != striped || c.at("threads_per_row") >= 8;
       },
       {"store_swaps", "threads_per_row"}},
      {"early_values is for values: 0 without",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("early_values") == 0 || p.value_bytes != 0;
       },
       {"early_values"}},
      shared_memory_fits_block(shared_bytes),
      placed_items_fit_registers(),
      {"items fit with 40 registers besides where keys are written, and places and values with 34",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         if (!writes_keys(p)) return true;
         const std::int64_t items = c.at("items_per_thread");
         return registers_fit(
             c,
             std::max(items * placed_item_registers(p.key) + 40, items * (1 + (p.value_bytes + 3) / 4) + 34),
             c.at("min_blocks_per_sm"), d);
       },
       {"items_per_thread", "block_size_x", "min_blocks_per_sm"}},
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
  };
  space.restrictions.insert(space.restrictions.end(), own_restrictions.begin(), own_restrictions.end());
  return space;
}

Configuration RowsByPlaceVariant::default_configuration(const Problem& problem,
                                                        const DeviceInfo& device) const {
  const std::int64_t most = problem.value_bytes == 16 ? 16 : place_rows::most_items(problem);
  return place_rows::default_configuration({std::string(name()), {{"early_values", 0}}}, problem, device,
                                           most, shared_bytes);
}

Plan RowsByPlaceVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const auto rows = as_count(groups_per_block(c));
  // Rows that fill their registers have a kernel of their own, without padding.
  const bool is_full = problem.n == as_count(capacity(c));
  launch_carrying(
      builder, kernel,
      fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}",
                  codec_arguments(problem.key, problem.order),
                  placed_form(problem.key, c.at("compare_as_double") != 0), problem.value_bytes,
                  problem.index_bytes, writes_keys(problem), c.at("threads_per_row"),
                  c.at("items_per_thread"), rows, c.at("shuffle_steps"), c.at("vector_width"),
                  c.at("store_swaps"), c.at("imad_quarters"), c.at("early_values") != 0,
                  c.at("min_blocks_per_sm"), is_full),
      {.blocks = parts_of(problem.rows, rows),
       .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
       .shared_bytes = as_count(shared_bytes(c, problem))},
      problem.rows, problem.n);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_rows_by_place

/// A row is held by part of a warp, a warp, or a block, each key with its place. Values are fetched by place
/// (kernels/rows/place_row_sort.cuh). A single array is one row.
const Variant& rows_by_place_variant() {
  static const of_rows_by_place::RowsByPlaceVariant variant;
  return variant;
}

}  // namespace bitune
