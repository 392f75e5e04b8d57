// The variants `rows` and `packed_rows`: short arrays in registers, many at once.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"
#include "runtime/variants/row_parts.hpp"

namespace bitune {
namespace of_rows {
namespace {

constexpr Kernel<Address, Address, U64, U32, RowStride> row_kernel{"kernels/rows/row_sort.cuh", "row_sort"};
constexpr Kernel<Address, Address, U64, U32, RowStride> packed_kernel{"kernels/rows/packed_row_sort.cuh",
                                                                      "packed_row_sort"};

using row_parts::capacity;
using row_parts::groups_per_block;
using row_parts::log2;
using row_parts::smallest_capacity;

/// A tile for every row of the block; none where all steps between threads go by shuffles.
std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  if (log2(c.at("threads_per_row")) <= c.at("shuffle_steps")) return 0;
  return padded_tile_bytes(capacity(c), problem.key) * groups_per_block(c);
}

/// What a block of 1024 threads holds, 128 bytes each.
std::uint64_t longest_row(KeyType key) { return as_count(1024 * 128 / word_bytes(key)); }

/// `rows`, or with two rows a register `packed_rows`.
class RowsVariant final : public Variant {
 public:
  explicit RowsVariant(bool packed) : packed_(packed) {}

  std::string_view name() const noexcept override { return packed_ ? "packed_rows" : "rows"; }
  std::string_view description() const noexcept override {
    return packed_ ? "as rows, for keys of at most 16 bits: two rows a register, a key of each"
                   : "short rows in registers: several rows a warp, a row a warp, or a block a row";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {packed_ ? packed_kernel.header : row_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override;
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;

 private:
  bool packed_;
};

bool RowsVariant::supports(const Problem& problem, const DeviceInfo& device) const {
  return sorts_keys_alone(problem) && size_of(problem.key) <= (packed_ ? 2u : 8u) &&
         problem.n <= longest_row(problem.key) && device.warp_size == 32;
}

SearchSpace RowsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = row_parts::parameters({4, 8, 16, 32, 64}, "keys a thread holds in registers", 4);
  space.parameters.push_back(
      {"imad_quarters",
       {0, 1, 2, 3},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"});
  space.parameters.push_back({"min_blocks_per_sm",
                              {1, 2, 4, 8},
                              "blocks a multiprocessor that the compiler must leave registers for"});
  space.restrictions = row_parts::restrictions();
  space.restrictions.push_back(shared_memory_fits_block(shared_bytes));
  space.restrictions.push_back(items_fit_registers("min_blocks_per_sm"));
  space.restrictions.push_back(blocks_fit_multiprocessor(shared_bytes));
  return space;
}

Configuration RowsVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  const std::int64_t word = word_bytes(problem.key);
  const std::int64_t row = smallest_capacity(problem.n);
  // As many items a thread as do not spill. But a row has at least four threads, if it has that many vectors.
  std::int64_t items = std::clamp<std::int64_t>(row / 4, 4, word == 8 ? 16 : 32);
  while (row / items > device.max_threads_per_block) items *= 2;
  const std::int64_t threads = row / items;
  const std::int64_t vector = std::min<std::int64_t>(4, 16 / static_cast<std::int64_t>(size_of(problem.key)));
  const std::int64_t lane_bits = std::min(5, log2(threads));
  return {std::string(name()),
          {{"threads_per_row", threads},
           {"items_per_thread", items},
           {"block_size_x", threads > 32 ? threads : std::min(128, device.max_threads_per_block)},
           {"shuffle_steps", threads < 32 ? lane_bits : 2},
           {"vector_width", vector},
           {"store_swaps", std::min<std::int64_t>({2, lane_bits, log2(items / vector)})},
           {"imad_quarters", 0},
           {"min_blocks_per_sm", 1}}};
}

Plan RowsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const std::string codec = codec_arguments(problem.key, problem.order);
  const auto groups = as_count(groups_per_block(c));
  // Rows that fill their registers have a kernel of their own, without padding.
  const bool is_full = problem.n == as_count(capacity(c));
  builder.launch(packed_ ? packed_kernel : row_kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}", codec, c.at("threads_per_row"),
                             c.at("items_per_thread"), groups, c.at("shuffle_steps"), c.at("vector_width"),
                             c.at("store_swaps"), c.at("imad_quarters"), c.at("min_blocks_per_sm"), is_full),
                 {.blocks = parts_of(problem.rows, groups * (packed_ ? 2 : 1)),
                  .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                  .shared_bytes = as_count(shared_bytes(c, problem))},
                 keys_address(), input_address(), problem.rows, problem.n, RowStride{});
  Plan plan = builder.take();
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_rows

/// A row is held by part of a warp, a warp, or a block, and sorted in one pass over memory, in place or not.
/// A single array is one row.
const Variant& rows_variant() {
  static const of_rows::RowsVariant variant(false);
  return variant;
}

/// The same with two rows a register.
const Variant& packed_rows_variant() {
  static const of_rows::RowsVariant variant(true);
  return variant;
}

}  // namespace bitune
