// The variant `copied_rows`: the first k keys of short rows, which are copied to shared memory while those
// before them are looked at.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/topk/copied_layout.hpp"
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
namespace of_copied_rows {
namespace {

constexpr FirstKeysKernel<U64, U32, U32> kernel{"kernels/topk/copied_rows.cuh", "copied_rows"};

using row_parts::groups_per_block;

/// Of longer ones a multiprocessor holds too few to hide what each waits for.
constexpr std::uint64_t longest_row = 16384;

std::int64_t rounded_k(const Problem& problem) { return static_cast<std::int64_t>(std::bit_ceil(problem.k)); }

std::int64_t candidates(const Configuration& c, const Problem& problem) {
  return std::max(2 * c.at("threads_per_row"), rounded_k(problem) * c.at("candidate_factor"));
}

/// Keys of a vector of 16 bytes.
std::int64_t vector_keys(const Problem& problem) {
  return 16 / static_cast<std::int64_t>(size_of(problem.key));
}

/// Keys that a row has room for.
std::int64_t row_keys(const Configuration& c, const Problem& problem) {
  return c.at("threads_per_row") * c.at("chunks_per_thread") * c.at("vectors_per_chunk") *
         vector_keys(problem);
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return layout::copied_row(row_keys(c, problem) * static_cast<std::int64_t>(size_of(problem.key)),
                            candidates(c, problem), placed_item_bytes(problem.key))
             .bytes *
         groups_per_block(c);
}

/// Registers that a thread has for its chunks' minima and those of groups, or for candidates as they are
/// sorted.
std::int64_t registers(const Configuration& c, const Problem& problem) {
  const std::int64_t words = word_bytes(problem.key) / 4;
  const std::int64_t sorted = candidates(c, problem) / c.at("threads_per_row");
  return std::max((c.at("chunks_per_thread") + c.at("minima_per_thread")) * words,
                  sorted * placed_item_registers(problem.key)) +
         (words == 2 ? 56 : 32);
}

class CopiedRowsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "copied_rows"; }
  std::string_view description() const noexcept override {
    return "the first keys of short rows, as select_rows; but rows are copied to shared memory while those "
           "before them are looked at, and a warp has a row or more";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    if (!is_top_k(problem) || device.warp_size != 32 || problem.n > longest_row || problem.n == 0 ||
        problem.k == 0) {
      return false;
    }
    return default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace CopiedRowsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"threads_per_row", {2, 4, 8, 16, 32}, "threads that have a row"},
      {"chunks_per_thread",
       {1, 2, 4, 8, 16, 32},
       "chunks of a thread's keys, of each of which it keeps the smallest"},
      {"vectors_per_chunk", {1, 2, 4, 8}, "vectors of 16 bytes of a chunk"},
      {"block_size_x",
       {32, 64, 128, 256, 512},
       "threads a block; a block has block_size_x / threads_per_row rows at once"},
      {"minima_per_thread",
       {1, 2, 4, 8, 16},
       "groups of a thread's chunks whose smallest keys bound the first k"},
      {"candidate_factor", {1, 2, 4, 8}, "candidates that there is room for, for each of the first k"},
      compared_as_double(),
      {"min_blocks_per_sm",
       {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24},
       "blocks a multiprocessor, for which the compiler must leave registers"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"a row fits the chunks of its threads, and fills more than half of them",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const auto room = as_count(row_keys(c, p));
         return room >= p.n && (room / 2 < p.n || room == as_count(2 * vector_keys(p)));
       },
       {"threads_per_row", "chunks_per_thread", "vectors_per_chunk"}},
      {"a chunk has 32 keys at most",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("vectors_per_chunk") * vector_keys(p) <= 32;
       },
       {"vectors_per_chunk"}},
      {"a block holds whole warps",
       [](const Configuration& c, const Problem&, const DeviceInfo&) { return c.at("block_size_x") >= 32; },
       {"block_size_x"}},
      {"a group has a chunk at least, and there are at least k groups, and no more than 16 times as many as "
       "a power of two from k on",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t groups = c.at("threads_per_row") * c.at("minima_per_thread");
         return c.at("minima_per_thread") <= c.at("chunks_per_thread") && groups >= rounded_k(p) &&
                (groups <= 16 * rounded_k(p) || c.at("minima_per_thread") == 1);
       },
       {"threads_per_row", "chunks_per_thread", "minima_per_thread"}},
      {"a thread sorts 16 candidates at most, 8 of 64-bit keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return candidates(c, p) / c.at("threads_per_row") <= (size_of(p.key) == 8 ? 8 : 16);
       },
       {"threads_per_row", "candidate_factor"}},
      placed_words_may_be_doubles(),
      {"minima or candidates, and 32 registers besides (56 of 64-bit keys), fit a block's registers, and "
       "min_blocks_per_sm times a multiprocessor's",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, registers(c, p), c.at("min_blocks_per_sm"), d);
       },
       {"threads_per_row", "chunks_per_thread", "block_size_x", "minima_per_thread", "candidate_factor",
        "min_blocks_per_sm"}},
      shared_memory_fits_block(shared_bytes),
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration CopiedRowsVariant::default_configuration(const Problem& problem,
                                                       const DeviceInfo& device) const {
  const SearchSpace all = space(problem, device);
  Configuration c{std::string(name()),
                  {{"threads_per_row", 32},
                   {"chunks_per_thread", 8},
                   {"vectors_per_chunk", 1},
                   {"block_size_x", std::min(128, device.max_threads_per_block)},
                   {"minima_per_thread", 1},
                   {"candidate_factor", 4},
                   {"compare_as_double", prefers_doubles(problem.key, device)},
                   {"min_blocks_per_sm", 1},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // Few threads, with 8 to 16 chunks each, and about twice as many groups as k.
  const auto fits = [&] {
    for (const std::int64_t threads : {4, 8, 16, 32, 2}) {
      for (const std::int64_t chunks : {8, 16, 32, 4, 2, 1}) {
        for (const std::int64_t vectors : {1, 2, 4, 8}) {
          for (const std::int64_t factor : {4, 2, 8, 1}) {
            c.parameters["threads_per_row"] = threads;
            c.parameters["chunks_per_thread"] = chunks;
            c.parameters["vectors_per_chunk"] = vectors;
            c.parameters["candidate_factor"] = factor;
            c.parameters["minima_per_thread"] = std::clamp<std::int64_t>(2 * rounded_k(problem) / threads, 1,
                                                                         std::min<std::int64_t>(chunks, 16));
            if (!all.violation(c, problem, device)) return true;
          }
        }
      }
    }
    return false;
  };
  for (const std::int64_t threads : {128, 64, 32}) {
    c.parameters["block_size_x"] = std::min<std::int64_t>(threads, device.max_threads_per_block);
    if (fits()) break;
  }
  for (const std::int64_t blocks : {16, 12, 8, 6, 4, 3, 2}) {
    Configuration more = c;
    more.parameters["min_blocks_per_sm"] = blocks;
    if (registers_fit(more, registers(more, problem) + 12, blocks, device) &&
        !all.violation(more, problem, device)) {
      return more;
    }
  }
  return c;
}

Plan CopiedRowsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const auto at_once = as_count(groups_per_block(c));
  const std::uint64_t blocks = as_count(c.at("min_blocks_per_sm") * device.sm_count);
  launch_first_keys(builder, kernel,
                    fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}, {}, {}, {}, {}, {}, {}",
                                codec_arguments(problem.key, problem.order),
                                placed_form(problem.key, c.at("compare_as_double") != 0), problem.value_bytes,
                                problem.index_bytes, c.at("threads_per_row"), c.at("chunks_per_thread"),
                                c.at("vectors_per_chunk"), at_once, c.at("minima_per_thread"),
                                candidates(c, problem), c.at("min_blocks_per_sm")),
                    {.blocks = std::min(blocks, parts_of(problem.rows, at_once)),
                     .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                     .shared_bytes = as_count(shared_bytes(c, problem))},
                    problem.rows, problem.n, problem.k);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_copied_rows

/// A warp or a part of one has a row, in shared memory. The bound is that of select_rows; the next row is on
/// its way while the candidates are sorted (kernels/topk/copied_rows.cuh).
const Variant& copied_rows_variant() {
  static const of_copied_rows::CopiedRowsVariant variant;
  return variant;
}

}  // namespace bitune
