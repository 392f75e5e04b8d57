// The variant `stream_rows`: the first k keys of long rows, by blocks that stay while rows stream past.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/topk/streamed_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"
#include "runtime/variants/row_filter.hpp"
#include "runtime/variants/sampling.hpp"

namespace bitune {
namespace of_stream_rows {
namespace {

constexpr FirstKeysKernel<U32, U32, U32, U32> kernel{"kernels/topk/stream_rows.cuh", "stream_rows"};

std::uint64_t sample_rank(const Configuration& c, const Problem& problem) {
  return sampling::bound_rank(as_count(c.at("samples")), problem.k, problem.n);
}

/// Groups of samples, of four each, or more where a warp would have too many minima.
std::int64_t sample_groups(const Configuration& c) {
  return std::min<std::int64_t>(c.at("samples") / 4, layout::minima_of_warp());
}

/// Whether the candidates are no fewer than k, and fit, but once in a million times.
bool candidates_fit(const Configuration& c, const Problem& problem) {
  const std::uint64_t room = as_count(c.at("candidates"));
  if (problem.n <= room) return true;
  const std::uint64_t rank = sample_rank(c, problem);
  const auto groups = as_count(sample_groups(c));
  return rank <= groups &&
         sampling::overflow_chance(as_count(c.at("samples")), sampling::up_to_minimum(groups, rank), room,
                                   problem.n) <= sampling::accepted_chance;
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return layout::streamed_row(c.at("block_size_x"), c.at("vectors_per_thread") * c.at("stages"),
                              sample_groups(c), c.at("candidates"), merged_item_bytes(problem.key),
                              word_bytes(problem.key))
      .bytes;
}

/// Registers of a thread: for keys as they are compared, for candidates, or for minima as they are sorted;
/// twice as many of 64-bit keys.
std::int64_t registers(const Configuration& c, const Problem& problem) {
  const std::int64_t candidates = c.at("candidates") / c.at("block_size_x");
  const std::int64_t used =
      std::max({4 * c.at("vectors_per_thread"), 2 * merged_item_registers(problem.key) * candidates,
                sample_groups(c) / 16 * word_bytes(problem.key) / 4});
  return size_of(problem.key) == 8 ? 2 * used + 48 : used + (size_of(problem.key) < 4 ? 64 : 48);
}

class StreamRowsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "stream_rows"; }
  std::string_view description() const noexcept override {
    return "the first keys of long rows: blocks or clusters that stay, past which rows stream without a gap; "
           "the next row's sample is taken meanwhile";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_top_k(problem) && problem.n != 0 && device.warp_size == 32 &&
           problem.n <= row_filter::longest_row && problem.k <= row_filter::largest_k &&
           problem.rows <= row_filter::longest_row && default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace StreamRowsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"block_size_x", {128, 256, 512, 1024}, "threads a block"},
      {"vectors_per_thread", {1, 2, 4, 8}, "vectors of 16 bytes that a thread copies and compares at once"},
      {"stages", {2, 3, 4, 6, 8, 12, 16}, "how many times as many are under way"},
      {"samples", {256, 512, 1024, 2048, 4096}, "random keys of a row, from which the bound is taken"},
      {"candidates", {128, 256, 512, 1024, 2048, 4096, 8192}, "keys that a row's block has room for"},
      {"cluster_size", {1, 2, 4, 8}, "blocks a row"},
      {"compare_as_double",
       {0, 1},
       "whether a key of 32 bits and its place are compared as floating-point numbers"},
      {"min_blocks_per_sm", {1, 2, 3, 4, 6}, "blocks a multiprocessor"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"a thread compares at most 32 keys at once",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("vectors_per_thread") * 16 <= 32 * static_cast<std::int64_t>(size_of(p.key));
       },
       {"vectors_per_thread"}},
      {"there is room for k candidates and one for each thread, of which a thread puts 16 in order at most, "
       "8 "
       "of 64-bit keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t room = c.at("candidates");
         const std::int64_t threads = c.at("block_size_x");
         return layout::is_sorted_by(threads, room) && room / threads <= (size_of(p.key) == 8 ? 8 : 16) &&
                room >= static_cast<std::int64_t>(p.k) + threads;
       },
       {"block_size_x", "candidates"}},
      {"fewer than k keys, or more than there is room for, are before the bound at most once in a million "
       "rows",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) { return candidates_fit(c, p); },
       {"samples", "candidates"}},
      {"the device has clusters of so many blocks, and enough at once for one",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         return c.at("cluster_size") <= std::min<std::int64_t>(std::max(1, d.max_cluster_size),
                                                               c.at("min_blocks_per_sm") * d.sm_count);
       },
       {"cluster_size", "min_blocks_per_sm"}},
      placed_words_may_be_doubles(),
      places_fit_doubles(),
      {"keys, candidates or minima (twice those of 64 bits), and 48 registers besides (64 of up to 16 bits), "
       "fit a block's registers, and min_blocks_per_sm "
       "times a multiprocessor's",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, registers(c, p), c.at("min_blocks_per_sm"), d);
       },
       {"block_size_x", "vectors_per_thread", "samples", "candidates", "min_blocks_per_sm"}},
      shared_memory_fits_block(shared_bytes),
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration StreamRowsVariant::default_configuration(const Problem& problem,
                                                       const DeviceInfo& device) const {
  const SearchSpace all = space(problem, device);
  const auto of_vector = 16 / static_cast<std::int64_t>(size_of(problem.key));
  // As many blocks a row as there are multiprocessors, if a row is long enough.
  std::int64_t ranks = 1;
  while (2 * ranks <= std::min(8, std::max(1, device.max_cluster_size)) &&
         problem.rows * as_count(2 * ranks) <= as_count(2 * device.sm_count) &&
         problem.n / as_count(2 * ranks) >= 8192) {
    ranks *= 2;
  }
  Configuration c{all.variant,
                  {{"block_size_x", 0},
                   {"vectors_per_thread", std::min<std::int64_t>(4, 32 / of_vector)},
                   {"stages", 2},
                   {"samples", 0},
                   {"candidates", 0},
                   {"cluster_size", ranks},
                   {"compare_as_double", prefers_doubles(problem, device)},
                   {"min_blocks_per_sm", 1},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // Several blocks a multiprocessor, which do not wait at the same time, have as much under way as there is
  // memory for.
  for (const std::int64_t blocks : {3, 2, 1}) {
    for (const std::int64_t stages : {4, 3, 2}) {
      for (const std::int64_t samples : {1024, 2048, 4096}) {
        for (const std::int64_t room : {512, 1024, 2048, 4096, 8192}) {
          for (const std::int64_t threads : {256, 512, 1024}) {
            c.parameters["min_blocks_per_sm"] = blocks;
            c.parameters["stages"] = stages;
            c.parameters["samples"] = samples;
            c.parameters["candidates"] = room;
            c.parameters["block_size_x"] = threads;
            if (!all.violation(c, problem, device)) return c;
          }
        }
      }
    }
  }
  return c;
}

Plan StreamRowsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const auto ranks = as_count(c.at("cluster_size"));
  const std::uint64_t at_once = as_count(c.at("min_blocks_per_sm") * device.sm_count) / ranks;
  launch_first_keys(builder, kernel,
                    fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}", merged_arguments(problem, c),
                                problem.value_bytes, problem.index_bytes, c.at("block_size_x"),
                                c.at("vectors_per_thread"), c.at("stages"), c.at("samples"), sample_groups(c),
                                c.at("candidates"), ranks, c.at("min_blocks_per_sm")),
                    {.blocks = std::min(at_once, problem.rows) * ranks,
                     .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                     .shared_bytes = as_count(shared_bytes(c, problem)),
                     .cluster = static_cast<std::uint32_t>(ranks)},
                    problem.rows, problem.n, problem.k, sample_rank(c, problem));
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_stream_rows

/// Rows stream through rings in shared memory, one behind the other, and the bound of each is there before
/// its keys are (kernels/topk/stream_rows.cuh).
const Variant& stream_rows_variant() {
  static const of_stream_rows::StreamRowsVariant variant;
  return variant;
}

}  // namespace bitune
