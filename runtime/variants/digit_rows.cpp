// The variant `digit_rows`: the first keys of rows that a block's registers hold, selected by counting in
// bins and sorted by digits.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/topk/digit_rows_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_digit_rows {
namespace {

constexpr FirstKeysKernel<U32, U32> kernel{"kernels/topk/digit_rows.cuh", "digit_rows"};

constexpr std::array<std::int64_t, 6> items_of_threads = {4, 8, 12, 16, 24, 32};
constexpr std::int64_t digit_bits = 8;
constexpr std::uint64_t longest_row = std::uint64_t{1} << 15;

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return layout::digit_rows(c.at("block_size_x"), c.at("candidates_per_thread"), digit_bits,
                            word_bytes(problem.key))
      .bytes;
}

class DigitRowsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "digit_rows"; }
  std::string_view description() const noexcept override {
    return "the first keys of rows that a block's registers hold: a radix select, and a radix sort of what "
           "it "
           "selected; takes about as long whatever the keys are";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_top_k(problem) && device.warp_size == 32 && problem.k != 0 && problem.n <= longest_row &&
           problem.rows < std::uint64_t{1} << 31 && default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace DigitRowsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads of the block that a row has"},
      {"items_per_thread",
       {items_of_threads.begin(), items_of_threads.end()},
       "keys of a row that a thread holds in registers"},
      {"candidates_per_thread", {4, 8, 12, 16, 24, 32}, "keys that there is room for to be sorted"},
      {"min_blocks_per_sm",
       {1, 2, 3, 4, 6, 8, 10, 12, 16},
       "blocks a multiprocessor, for which the compiler must leave registers"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"a thread has the fewest keys with which the block holds the row",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t items = c.at("items_per_thread");
         const std::int64_t threads = c.at("block_size_x");
         return items == fewest_items(items_of_threads, p, threads) && as_count(items * threads) >= p.n;
       },
       {"block_size_x", "items_per_thread"}},
      {"there is room for the first k keys, and for no more than the row has",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t candidates = c.at("candidates_per_thread");
         return as_count(candidates * c.at("block_size_x")) >= p.k && candidates <= c.at("items_per_thread");
       },
       {"block_size_x", "items_per_thread", "candidates_per_thread"}},
      {"a thread's keys and 20 registers besides (44 of keys of 64 bits, 36 of shorter ones than 32), or its "
       "candidates with their places and 40 (44 where there are more threads than a digit has values), and "
       "44 "
       "in any case, fit the registers that it has",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t wide = word_bytes(p.key) / 4;
         const std::int64_t keys = c.at("items_per_thread") * wide + (wide == 2             ? 44
                                                                      : size_of(p.key) == 4 ? 20
                                                                                            : 36);
         const std::int64_t sorted = c.at("candidates_per_thread") * wide +
                                     c.at("candidates_per_thread") / 2 +
                                     (c.at("block_size_x") > 256 ? 44 : 40);
         return registers_fit(c, std::max({keys, sorted, std::int64_t{44}}), c.at("min_blocks_per_sm"), d);
       },
       {"block_size_x", "items_per_thread", "candidates_per_thread", "min_blocks_per_sm"}},
      shared_memory_fits_block(shared_bytes),
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration DigitRowsVariant::default_configuration(const Problem& problem,
                                                      const DeviceInfo& device) const {
  const SearchSpace all = space(problem, device);
  Configuration c{std::string(name()),
                  {{"block_size_x", 64},
                   {"items_per_thread", 32},
                   {"candidates_per_thread", 32},
                   {"min_blocks_per_sm", 1},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // The fewest threads that hold the row. Room for no more than the first k: to count once more takes less
  // than to sort more.
  for (const std::int64_t threads : {64, 128, 256, 512, 1024}) {
    c.parameters["block_size_x"] = threads;
    c.parameters["items_per_thread"] = fewest_items(items_of_threads, problem, threads);
    for (const std::int64_t candidates : {4, 8, 12, 16, 24, 32}) {
      c.parameters["candidates_per_thread"] = candidates;
      if (as_count(candidates * threads) < std::min(problem.n, problem.k)) continue;
      for (const std::int64_t blocks : {16, 12, 10, 8, 6, 4, 3, 2, 1}) {
        c.parameters["min_blocks_per_sm"] = blocks;
        if (!all.violation(c, problem, device)) return c;
      }
    }
  }
  return c;
}

Plan DigitRowsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  launch_first_keys(builder, kernel,
                    fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}, {}, {}, {}, {}",
                                codec_arguments(problem.key, problem.order),
                                size_of(problem.key) == 8 ? "planes" : "word64", problem.value_bytes,
                                problem.index_bytes, c.at("block_size_x"), c.at("items_per_thread"),
                                c.at("candidates_per_thread"), digit_bits, c.at("min_blocks_per_sm")),
                    {.blocks = problem.rows,
                     .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                     .shared_bytes = as_count(shared_bytes(c, problem))},
                    problem.n, problem.k);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_digit_rows

/// Rows of which a large part is wanted, or whose keys lie close together
/// (kernels/topk/digit_rows.cuh).
const Variant& digit_rows_variant() {
  static const of_digit_rows::DigitRowsVariant variant;
  return variant;
}

}  // namespace bitune
