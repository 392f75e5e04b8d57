// The variant `lane_lists`: the first few keys of short rows, in lists of words of 32 bits.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"
#include "runtime/variants/row_parts.hpp"

namespace bitune {
namespace of_lane_lists {
namespace {

constexpr FirstKeysKernel<U64, U32, U32> kernel{"kernels/topk/lane_lists.cuh", "lane_lists"};

constexpr std::array<std::int64_t, 8> items_of_threads = {4, 8, 12, 16, 20, 24, 32, 40};
constexpr std::array<std::int64_t, 7> lengths_of_lists = {2, 3, 4, 6, 9, 12, 18};
/// A word has the place of a key in ten bits at most.
constexpr std::uint64_t longest_row = 1024;

constexpr std::uint64_t most_wanted = 16;

/// The shortest list that has the first keys, and the one behind them; the longest there is, if none has. All
/// k up to the next power of two share tunings.
std::int64_t shortest_list(const Problem& problem) {
  const auto* const found =
      std::find_if(lengths_of_lists.begin(), lengths_of_lists.end() - 1,
                   [&](std::int64_t length) { return as_count(length) > std::bit_ceil(problem.k); });
  return *found;
}

/// Registers that a thread has: for keys as they are loaded, or for its lists; and besides.
std::int64_t registers(const Configuration& c, const Problem& problem) {
  const std::int64_t items = c.at("items_per_thread");
  const std::int64_t list = c.at("list_items");
  const std::int64_t listed = (items + list - 1) / list * list;
  return std::max(listed, items * word_bytes(problem.key) / 4) + (size_of(problem.key) == 8 ? 40 : 28);
}

class LaneListsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "lane_lists"; }
  std::string_view description() const noexcept override {
    return "the first few keys of short rows: lanes keep the first words of short lists, which have leading "
           "bits of keys, and their places";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_top_k(problem) && device.warp_size == 32 && problem.k != 0 && problem.k <= most_wanted &&
           problem.n > 1 && problem.n <= longest_row && default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace LaneListsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"threads_per_row", {1, 2, 4, 8, 16, 32}, "lanes of a warp that hold a row in registers"},
      {"items_per_thread",
       {items_of_threads.begin(), items_of_threads.end()},
       "keys of a row that a lane holds in registers"},
      {"block_size_x",
       {32, 64, 128, 256, 512},
       "threads a block; a block has block_size_x / threads_per_row rows"},
      {"vector_width", {1, 2, 4, 8, 16}, "neighbouring keys a lane loads at once"},
      {"list_items",
       {lengths_of_lists.begin(), lengths_of_lists.end()},
       "words that a lane sorts together, and the first ones that it keeps: more than k"},
      {"min_blocks_per_sm",
       {1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32},
       "blocks a multiprocessor that the compiler must leave registers for"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      vector_fits_access(),
      {"a lane has the fewest keys with which the row's lanes hold it, in whole vectors",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t items = c.at("items_per_thread");
         const std::int64_t threads = c.at("threads_per_row");
         return items == fewest_items(items_of_threads, p, threads) && as_count(items * threads) >= p.n &&
                items % c.at("vector_width") == 0;
       },
       {"threads_per_row", "items_per_thread", "vector_width"}},
      {"a list has more words than the next power of two from k on, and at most twice as many as it must",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t list = c.at("list_items");
         const std::int64_t shortest = shortest_list(p);
         return list >= shortest && list <= 2 * shortest;
       },
       {"list_items"}},
      {"the keys of a lane, or its lists, and 28 registers besides (40 of 64-bit keys) fit a block's "
       "registers, and min_blocks_per_sm times a multiprocessor's",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, registers(c, p), c.at("min_blocks_per_sm"), d);
       },
       {"items_per_thread", "list_items", "block_size_x", "min_blocks_per_sm"}},
      blocks_fit_multiprocessor(
          [](const Configuration&, const Problem&) { return 0; }),  // without shared memory
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration LaneListsVariant::default_configuration(const Problem& problem,
                                                      const DeviceInfo& device) const {
  const auto key_bytes = static_cast<std::int64_t>(size_of(problem.key));
  // Many rows take fewest instructions with few lanes each; a few rows are done sooner with more.
  const bool few = problem.rows < 8 * as_count(device.sm_count);
  const std::uint64_t most = few ? 8 : key_bytes == 8 ? 16 : 32;
  const auto threads =
      static_cast<std::int64_t>(std::min<std::uint64_t>(std::bit_ceil((problem.n + most - 1) / most), 32));
  const std::int64_t items = fewest_items(items_of_threads, problem, threads);
  Configuration c{std::string(name()),
                  {{"threads_per_row", threads},
                   {"items_per_thread", items},
                   {"block_size_x", few ? 32 : 128},
                   {"vector_width", std::min(items & -items, 16 / key_bytes)},
                   {"list_items", shortest_list(problem)},
                   {"min_blocks_per_sm", 1},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  const SearchSpace all = space(problem, device);
  for (const std::int64_t blocks : {16, 12, 10, 8, 6, 4, 3, 2}) {
    Configuration more = c;
    more.parameters["min_blocks_per_sm"] = blocks;
    if (!all.violation(more, problem, device)) return more;
  }
  return c;
}

Plan LaneListsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const std::int64_t rows = row_parts::groups_per_block(c);
  launch_first_keys(
      builder, kernel,
      fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}, {}, {}, {}, {}, {}",
                  codec_arguments(problem.key, problem.order), placed_form(problem.key, false),
                  problem.value_bytes, problem.index_bytes, c.at("threads_per_row"), c.at("items_per_thread"),
                  rows, c.at("vector_width"), c.at("list_items"), c.at("min_blocks_per_sm")),
      {.blocks = parts_of(problem.rows, as_count(rows)),
       .threads = static_cast<std::uint32_t>(c.at("block_size_x"))},
      problem.rows, problem.n, problem.k);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_lane_lists

/// A few lanes of a warp have a row, and find its first keys by comparators of three
/// (kernels/topk/lane_lists.cuh).
const Variant& lane_lists_variant() {
  static const of_lane_lists::LaneListsVariant variant;
  return variant;
}

}  // namespace bitune
