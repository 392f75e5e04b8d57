// The variant `select_rows`: the first k keys of short rows, in registers, without sorting the rows.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/topk/topk_layout.hpp"
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
namespace of_select_rows {
namespace {

constexpr FirstKeysKernel<U64, U32, U32> kernel{"kernels/topk/select_rows.cuh", "select_rows"};

using row_parts::groups_per_block;
using row_parts::log2;
using row_parts::smallest_capacity;

/// What a block of 1024 threads holds.
constexpr std::uint64_t longest_row = 32768;

std::int64_t rounded_k(const Problem& problem) { return static_cast<std::int64_t>(std::bit_ceil(problem.k)); }

/// Candidates that a row has room for.
std::int64_t candidates(const Configuration& c, const Problem& problem) {
  std::int64_t count = rounded_k(problem) * c.at("candidate_factor");
  while (!layout::is_sorted_by(c.at("threads_per_row"), count)) count *= 2;
  return count;
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return layout::selected_row(c.at("threads_per_row"), c.at("minima_per_thread"), candidates(c, problem),
                              placed_item_bytes(problem.key), word_bytes(problem.key))
             .bytes *
         groups_per_block(c);
}

/// Candidates that a thread sorts in the network of so many.
std::int64_t sorted_items(std::int64_t threads, std::int64_t size) {
  if (!layout::is_sorted_by(threads, size)) return 0;
  const bool by_warp = threads > 32 && (size <= layout::sorted_by_warp() || size < 2 * threads);
  return size / (by_warp ? 32 : threads);
}

std::int64_t sorted_items(const Configuration& c, const Problem& problem) {
  const std::int64_t all = candidates(c, problem);
  return std::max(sorted_items(c.at("threads_per_row"), all), sorted_items(c.at("threads_per_row"), all / 2));
}

/// Of 16 bits and less, whose words have room for the place.
bool is_narrow(const Problem& problem) { return size_of(problem.key) <= 2; }

/// Registers that a thread has besides keys or candidates.
std::int64_t registers_besides(const Problem& problem) { return size_of(problem.key) == 8 ? 72 : 26; }

/// Minima that a thread sorts: one warp all of a block, where these are few, or one a thread.
std::int64_t sorted_minima(const Configuration& c) {
  const std::int64_t threads = c.at("threads_per_row");
  const std::int64_t own = c.at("minima_per_thread");
  const bool by_warp = threads > 32 && (own == 1 || threads * own <= layout::minima_by_warp());
  return by_warp ? threads * own / 32 : own;
}

/// Registers that a thread has, for the keys of a row and the minima that it sorts meanwhile, whose shuffles
/// take copies; or for candidates as they are sorted. Narrow keys are there twice while they become words.
std::int64_t registers(const Configuration& c, const Problem& problem, std::int64_t to_spare = 0) {
  const std::int64_t of_word = word_bytes(problem.key) / 4;
  const std::int64_t keys = c.at("items_per_thread") * (is_narrow(problem) ? 2 : of_word);
  const std::int64_t besides = registers_besides(problem) + to_spare;
  return std::max(keys + std::max(besides, 2 * sorted_minima(c) * of_word + 16),
                  sorted_items(c, problem) * placed_item_registers(problem.key) + besides);
}

/// Registers that the default leaves to the compiler: some to spare, and as many as anything takes.
std::int64_t registers_well(const Configuration& c, const Problem& problem) {
  return std::max<std::int64_t>(registers(c, problem, is_narrow(problem) ? 12 : 4), 44);
}

class SelectRowsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "select_rows"; }
  std::string_view description() const noexcept override {
    return "the first keys of short rows, in registers: a bound from minima of groups of keys; only what is "
           "not behind it is sorted";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    if (!is_top_k(problem) || device.warp_size != 32 || problem.n > longest_row || problem.n == 0)
      return false;
    return default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace SelectRowsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"threads_per_row", {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}, "threads that hold a row in registers"},
      {"items_per_thread", {2, 4, 8, 16, 32}, "keys a thread holds in registers"},
      {"block_size_x",
       {32, 64, 128, 256, 512, 1024},
       "threads a block; a block has block_size_x / threads_per_row rows"},
      {"vector_width", {1, 2, 4, 8, 16}, "neighbouring keys a thread loads at once"},
      {"minima_per_thread",
       {1, 2, 4, 8, 16, 32},
       "groups of a thread's keys whose smallest ones bound the first k"},
      {"candidate_factor", {1, 2, 4, 8}, "candidates that there is room for, for each of the first k"},
      {"shuffle_steps",
       {1, 2, 3, 5},
       "most steps on lane bits that go by shuffles at the end of a stage, where a block sorts"},
      compared_as_double(),
      {"min_blocks_per_sm",
       {1, 2, 3, 4, 6, 8, 12, 16},
       "blocks a multiprocessor that the compiler must leave registers for"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      vector_fits_access(),
      {"the row fits the registers of its threads, and fills more than half of them",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return row_parts::capacity(c) == smallest_capacity(p.n);
       },
       {"threads_per_row", "items_per_thread"}},
      {"a block holds whole rows, and one only where a row has more than a warp",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("threads_per_row") > 32 ? c.at("block_size_x") == c.at("threads_per_row")
                                             : c.at("block_size_x") >= 32;
       },
       {"threads_per_row", "block_size_x"}},
      {"a thread holds whole vectors, and a key at least of each group",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("vector_width") <= c.at("items_per_thread") &&
                c.at("minima_per_thread") <= c.at("items_per_thread");
       },
       {"items_per_thread", "vector_width", "minima_per_thread"}},
      {"there are at least k groups of keys, and no more than 16 times as many as a power of two from k on",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t groups = c.at("threads_per_row") * c.at("minima_per_thread");
         return groups >= rounded_k(p) && (groups <= 16 * rounded_k(p) || c.at("minima_per_thread") == 1);
       },
       {"threads_per_row", "minima_per_thread"}},
      {"a thread sorts 16 candidates at most, 8 of 64-bit keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return sorted_items(c, p) <= (size_of(p.key) == 8 ? 8 : 16);
       },
       {"threads_per_row", "candidate_factor"}},
      placed_words_may_be_doubles(),
      {"the keys (twice those of up to 16 bits) and 26 registers besides (72 of 64-bit keys), or 16 and "
       "twice the minima that a thread sorts, or candidates, fit a block's registers, and min_blocks_per_sm "
       "times a multiprocessor's",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, registers(c, p), c.at("min_blocks_per_sm"), d);
       },
       {"threads_per_row", "items_per_thread", "minima_per_thread", "block_size_x", "candidate_factor",
        "min_blocks_per_sm"}},
      shared_memory_fits_block(shared_bytes),
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration SelectRowsVariant::default_configuration(const Problem& problem,
                                                       const DeviceInfo& device) const {
  const std::int64_t row = smallest_capacity(problem.n);
  const auto key_bytes = static_cast<std::int64_t>(size_of(problem.key));
  const std::int64_t most = key_bytes == 8 ? 16 : 32;
  const std::int64_t k = rounded_k(problem);
  // As many keys a thread as registers hold well. A few rows are done sooner by more threads.
  const bool few = problem.rows < static_cast<std::uint64_t>(device.sm_count);
  std::int64_t threads = std::max<std::int64_t>(2, row / (few ? 8 : row <= 512 ? 16 : most));
  // The candidates, and the minima, need threads, too.
  while (threads < row / 2 && (2 * k > 16 * threads || 2 * k > most * threads)) threads *= 2;
  // More threads of a block have too few registers each: for 64-bit keys, or where a warp sorts a minimum of
  // each.
  const std::int64_t most_threads = key_bytes == 8 || 2 * k <= 1024 ? 512 : 1024;
  threads = std::min<std::int64_t>({threads, most_threads, device.max_threads_per_block});
  const std::int64_t items = row / threads;
  const std::int64_t doubles = prefers_doubles(problem.key, device);
  // Ranking takes fewer instructions than sorting where few are compared, and as doubles.
  const bool is_ranked = threads <= 32 && 2 * k == layout::ranked_by_part() && doubles != 0;
  Configuration c{std::string(name()),
                  {{"threads_per_row", threads},
                   {"items_per_thread", items},
                   {"block_size_x", threads > 32 ? threads
                                    : few        ? 32
                                                 : std::min(128, device.max_threads_per_block)},
                   {"vector_width", std::min<std::int64_t>(items, 16 / key_bytes)},
                   {"minima_per_thread", std::clamp<std::int64_t>(2 * k / threads, 1, items)},
                   {"candidate_factor", is_ranked ? 2 : 4},
                   {"shuffle_steps", 2},
                   {"compare_as_double", doubles},
                   {"min_blocks_per_sm", 1},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  const SearchSpace all = space(problem, device);
  // More candidates than a thread sorts well only where there would be no room for them else.
  while (c.at("candidate_factor") > 2 && sorted_items(c, problem) > 8) c.parameters["candidate_factor"] /= 2;
  while (c.at("candidate_factor") > 1 && all.violation(c, problem, device))
    c.parameters["candidate_factor"] /= 2;
  // As many rows at once as registers hold: while some are loaded, others are sorted.
  for (const std::int64_t blocks : {16, 12, 8, 6, 4, 3, 2}) {
    Configuration more = c;
    more.parameters["min_blocks_per_sm"] = blocks;
    if (registers_fit(more, registers_well(more, problem), blocks, device) &&
        !all.violation(more, problem, device))
      return more;
  }
  return c;
}

Plan SelectRowsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const auto rows = as_count(groups_per_block(c));
  launch_first_keys(builder, kernel,
                    fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}",
                                codec_arguments(problem.key, problem.order),
                                placed_form(problem.key, c.at("compare_as_double") != 0), problem.value_bytes,
                                problem.index_bytes, c.at("threads_per_row"), c.at("items_per_thread"), rows,
                                c.at("vector_width"), c.at("minima_per_thread"), candidates(c, problem),
                                c.at("shuffle_steps"), c.at("min_blocks_per_sm")),
                    {.blocks = parts_of(problem.rows, rows),
                     .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                     .shared_bytes = as_count(shared_bytes(c, problem))},
                    problem.rows, problem.n, problem.k);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_select_rows

/// A row is held by part of a warp, a warp, or a block. A bound is found that k keys are not behind, whatever
/// the keys are, and few others usually; those are sorted (kernels/topk/select_rows.cuh).
const Variant& select_rows_variant() {
  static const of_select_rows::SelectRowsVariant variant;
  return variant;
}

}  // namespace bitune
