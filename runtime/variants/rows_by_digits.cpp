// The variant `rows_by_digits`: long rows of keys with values or indices, by digits in a block's shared
// memory.

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/radix/digit_row_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_rows_by_digits {
namespace {

constexpr CarriedKernel<U32> kernel{"kernels/radix/digit_row_sort.cuh", "digit_row_sort"};

constexpr std::array<std::int64_t, 7> items_of_threads = {8, 12, 16, 20, 24, 28, 32};
constexpr std::int64_t digit_bits = 8;
constexpr std::uint64_t longest_row = 32768;

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return layout::digit_row_parts(c.at("block_size_x"), c.at("items_per_thread"), digit_bits,
                                 word_bytes(problem.key), problem.value_bytes)
      .bytes;
}

/// Where there is one pass: the compiler fetches the values ahead of it.
bool holds_values(const Problem& problem) { return size_of(problem.key) == 1 && problem.value_bytes != 0; }

/// Of a thread. What values add is what ptxas 13.0 took.
std::int64_t registers(std::int64_t items, const Problem& problem) {
  return items * word_bytes(problem.key) / 4 + items / 2 + 14 +
         (holds_values(problem) ? items * 11 / 4 + 14 : 0);
}

class RowsByDigitsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "rows_by_digits"; }
  std::string_view description() const noexcept override {
    return "radix sort of long rows with values or indices, a row in a block's shared memory; stable";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() != ShapeKind::segments && carries_one_thing(problem) && device.warp_size == 32 &&
           problem.n <= longest_row && default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace RowsByDigitsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"block_size_x", {128, 256, 512, 1024}, "threads of the block that sorts a row"},
      {"items_per_thread",
       {items_of_threads.begin(), items_of_threads.end()},
       "keys of a row for each thread"},
      {"min_blocks_per_sm",
       {1, 2, 3, 4, 6, 8},
       "blocks a multiprocessor that the compiler must leave registers for"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"a thread has the fewest items with which the block holds the row",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t items = c.at("items_per_thread");
         const std::int64_t threads = c.at("block_size_x");
         return items == fewest_items(items_of_threads, p, threads) && as_count(items * threads) >= p.n;
       },
       {"block_size_x", "items_per_thread"}},
      {"a thread's words, half as many registers, and 14 besides fit the registers that it has; with keys of "
       "one byte its values, too",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, registers(c.at("items_per_thread"), p), c.at("min_blocks_per_sm"), d);
       },
       {"block_size_x", "items_per_thread", "min_blocks_per_sm"}},
      shared_memory_fits_block(shared_bytes),
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration RowsByDigitsVariant::default_configuration(const Problem& problem,
                                                         const DeviceInfo& device) const {
  const std::uint64_t length = holds_values(problem) ? 2 * problem.n : problem.n;
  const std::int64_t threads = length <= 4096 ? 128 : length <= 8192 ? 256 : length <= 16384 ? 512 : 1024;
  return {std::string(name()),
          {{"block_size_x", threads},
           {"items_per_thread", fewest_items(items_of_threads, problem, threads)},
           {"min_blocks_per_sm", 1},
           {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
}

Plan RowsByDigitsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  launch_carrying(
      builder, kernel,
      fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", codec_arguments(problem.key, problem.order),
                  problem.value_bytes, problem.index_bytes, writes_keys(problem), c.at("block_size_x"),
                  c.at("items_per_thread"), digit_bits, c.at("min_blocks_per_sm")),
      {.blocks = problem.rows,
       .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
       .shared_bytes = as_count(shared_bytes(c, problem))},
      problem.n);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_rows_by_digits

/// For rows so long that a network's comparators cost more than the passes over all digits
/// (kernels/radix/digit_row_sort.cuh).
const Variant& rows_by_digits_variant() {
  static const of_rows_by_digits::RowsByDigitsVariant variant;
  return variant;
}

}  // namespace bitune
