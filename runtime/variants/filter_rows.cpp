// The variant `filter_rows`: the first k keys of long rows and arrays, by one pass over memory.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
#include "runtime/variants/sampling.hpp"

namespace bitune {
namespace of_filter_rows {
namespace {

constexpr Kernel<Address, OperandStride, Address, OperandStride, Address, OperandStride, Address,
                 OperandStride, Address, OperandStride, Address, OperandStride, U32, U32, U32>
    kernel{"kernels/topk/filter_rows.cuh", "filter_rows"};

/// Of larger k the candidates fit no block.
constexpr std::uint64_t largest_k = 8192;

constexpr std::uint64_t longest_row = std::uint64_t{1} << 31;

std::int64_t sample_count(const Configuration& c) {
  return c.at("block_size_x") * c.at("samples_per_thread");
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return layout::filtered_row(c.at("block_size_x"), sample_count(c), c.at("candidates"),
                              merged_item_bytes(problem.key))
      .bytes;
}

/// Keys of a vector of 16 bytes.
std::int64_t vector_keys(const Problem& problem) {
  return 16 / static_cast<std::int64_t>(size_of(problem.key));
}

std::int64_t item_registers(const Problem& problem) { return size_of(problem.key) == 8 ? 3 : 2; }

/// Samples or candidates that a thread sorts.
std::int64_t sorted_items(const Configuration& c) {
  return std::max(c.at("samples_per_thread"), c.at("candidates") / c.at("block_size_x"));
}

/// Registers that a thread has for keys as they stream, or for what it sorts. Of 64-bit keys, whose shuffles
/// take copies, these are twice as many.
std::int64_t registers(const Configuration& c, const Problem& problem) {
  const std::int64_t items = sorted_items(c) * item_registers(problem);
  return std::max(c.at("vectors_per_thread") * 4, size_of(problem.key) == 8 ? 2 * items + 16 : items) + 24;
}

/// The same as is best.
std::int64_t registers_well(const Configuration& c, const Problem& problem) {
  return std::max(registers(c, problem), 2 * sorted_items(c) * item_registers(problem) + 20);
}

/// A device has no clusters but those of one block, or this many blocks.
std::int64_t most_ranks(const DeviceInfo& device) { return std::max(1, device.max_cluster_size); }

class FilterRowsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "filter_rows"; }
  std::string_view description() const noexcept override {
    return "the first keys of long rows: one pass that keeps what is not behind a bound from a random "
           "sample; "
           "a block or a cluster a row";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    if (!is_top_k(problem) || device.warp_size != 32 || problem.n > longest_row || problem.n == 0 ||
        problem.k > largest_k) {
      return false;
    }
    return !space(problem, device).violation(default_configuration(problem, device), problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace FilterRowsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads a block"},
      {"vectors_per_thread", {1, 2, 4, 8}, "vectors of 16 bytes that a thread has under way"},
      {"samples_per_thread",
       {2, 4, 8, 16},
       "random keys of each thread of a block, from which the bound is taken"},
      {"candidates", {128, 256, 512, 1024, 2048, 4096, 8192, 16384}, "keys that a row's block has room for"},
      {"cluster_size", {1, 2, 4, 8, 16}, "blocks a row"},
      {"shuffle_steps",
       {1, 2, 3, 5},
       "most steps on lane bits that go by shuffles at the end of a stage, where a block sorts"},
      {"compare_as_double",
       {0, 1},
       "whether a key of 32 bits and its place are compared as floating-point numbers"},
      {"min_blocks_per_sm",
       {1, 2, 3, 4, 8},
       "blocks a multiprocessor that the compiler must leave registers for"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"a thread has at most 32 keys under way",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("vectors_per_thread") * vector_keys(p) <= 32;
       },
       {"vectors_per_thread"}},
      {"there is room for k candidates and one for each thread, and each thread sorts 16 items at most, 8 of "
       "64-bit "
       "keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t room = c.at("candidates");
         const std::int64_t threads = c.at("block_size_x");
         return layout::is_sorted_by(threads, room) && sorted_items(c) <= (size_of(p.key) == 8 ? 8 : 16) &&
                room >= static_cast<std::int64_t>(p.k) + threads;
       },
       {"block_size_x", "samples_per_thread", "candidates"}},
      {"fewer than k keys, or more than there is room for, are before the bound at most once in a million "
       "rows",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return sampling::fits(as_count(sample_count(c)), p.k, as_count(c.at("candidates")), p.n);
       },
       {"block_size_x", "samples_per_thread", "candidates"}},
      {"the device has clusters of so many blocks",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         return c.at("cluster_size") <= most_ranks(d);
       },
       {"cluster_size"}},
      placed_words_may_be_doubles(),
      {"a place has 30 bits where it is compared as a part of a floating-point number: rows of at most 2^29 "
       "keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("compare_as_double") == 0 || p.n <= std::uint64_t{1} << 29;
       },
       {"compare_as_double"}},
      {"keys, or samples or candidates (twice those of 64 bits), and 24 registers besides, fit a block's "
       "registers, and min_blocks_per_sm times a multiprocessor's",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, registers(c, p), c.at("min_blocks_per_sm"), d);
       },
       {"block_size_x", "vectors_per_thread", "samples_per_thread", "candidates", "min_blocks_per_sm"}},
      shared_memory_fits_block(shared_bytes),
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration FilterRowsVariant::default_configuration(const Problem& problem,
                                                       const DeviceInfo& device) const {
  const auto multiprocessors = static_cast<std::uint64_t>(device.sm_count);
  const SearchSpace all = space(problem, device);
  // As many blocks a row as there are multiprocessors, if a row is long enough.
  std::int64_t ranks = 1;
  while (2 * ranks <= most_ranks(device) && problem.rows * as_count(2 * ranks) <= multiprocessors &&
         problem.n / as_count(2 * ranks) >= 4096) {
    ranks *= 2;
  }
  Configuration c{
      std::string(name()),
      {{"block_size_x", std::min(512, device.max_threads_per_block)},
       {"vectors_per_thread", std::min<std::int64_t>(4, 32 / vector_keys(problem))},
       {"samples_per_thread", 2},
       {"candidates", 1024},
       {"cluster_size", ranks},
       {"shuffle_steps", 2},
       {"compare_as_double", problem.n <= std::uint64_t{1} << 29 ? prefers_doubles(problem.key, device) : 0},
       {"min_blocks_per_sm", 1},
       {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // The sample and what is not behind the bound are both sorted: the fewest that are enough, and room for
  // them.
  const std::int64_t most_of_512 = size_of(problem.key) == 8 ? 4096 : 8192;
  std::optional<std::pair<double, Configuration>> best;
  for (const std::int64_t room : {1024, 2048, 4096, 8192, 16384}) {
    for (const std::int64_t samples : {2, 4, 8}) {
      c.parameters["candidates"] = room;
      c.parameters["samples_per_thread"] = samples;
      c.parameters["block_size_x"] = std::min(room > most_of_512 ? 1024 : 512, device.max_threads_per_block);
      if (all.violation(c, problem, device)) continue;
      const auto taken = static_cast<double>(sample_count(c));
      const auto rank =
          static_cast<double>(sampling::bound_rank(as_count(sample_count(c)), problem.k, problem.n));
      const double sorted = taken + rank * static_cast<double>(problem.n) / taken;
      if (!best || sorted < best->first) best = {sorted, c};
    }
  }
  if (!best) return c;
  c = best->second;
  for (const std::int64_t blocks : {4, 3, 2}) {
    c.parameters["min_blocks_per_sm"] = blocks;
    if (registers_fit(c, registers_well(c, problem), blocks, device) && !all.violation(c, problem, device)) {
      return c;
    }
  }
  c.parameters["min_blocks_per_sm"] = 1;
  return c;
}

Plan FilterRowsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const std::int64_t ranks = c.at("cluster_size");
  const std::uint64_t rank = sampling::bound_rank(as_count(sample_count(c)), problem.k, problem.n);
  builder.launch(kernel,
                 fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}, {}, {}, {}, {}, {}, {}",
                             codec_arguments(problem.key, problem.order),
                             merged_form(problem.key, c.at("compare_as_double") != 0), problem.value_bytes,
                             problem.index_bytes, c.at("block_size_x"), c.at("vectors_per_thread"),
                             c.at("samples_per_thread"), c.at("candidates"), ranks, c.at("shuffle_steps"),
                             c.at("min_blocks_per_sm")),
                 {.blocks = problem.rows * as_count(ranks),
                  .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                  .shared_bytes = as_count(shared_bytes(c, problem)),
                  .cluster = static_cast<std::uint32_t>(ranks)},
                 address_of(Role::keys_out), OperandStride{Role::keys_out}, address_of(Role::keys_in),
                 OperandStride{Role::keys_in}, address_of(Role::values_out), OperandStride{Role::values_out},
                 address_of(Role::values_in), OperandStride{Role::values_in}, address_of(Role::indices_out),
                 OperandStride{Role::indices_out}, address_of(Role::lengths), OperandStride{Role::lengths},
                 problem.n, problem.k, rank);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_filter_rows

/// A random sample gives a bound that is a little behind the k-th key. The row streams through registers, and
/// what is not behind the bound is kept and sorted (kernels/topk/filter_rows.cuh). A single array is one row.
const Variant& filter_rows_variant() {
  static const of_filter_rows::FilterRowsVariant variant;
  return variant;
}

}  // namespace bitune
