// The variants `rows` and `row_pairs`: short arrays in registers, many at once.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/definition.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/network_plan.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_rows {
namespace {

/// Keys that the registers of a row's threads hold.
std::int64_t capacity(const Configuration& c) { return c.at("threads_per_row") * c.at("items_per_thread"); }

/// Groups of threads that each hold a row, or a pair of rows.
std::int64_t groups_per_block(const Configuration& c) {
  return c.at("block_size_x") / c.at("threads_per_row");
}

int log2(std::int64_t value) { return ceil_log2(static_cast<std::uint64_t>(value)); }

/// Bytes of RegisterTile::shared_words (register_tile.cuh) for every row of the block; none where all steps
/// between threads go by shuffles.
std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  if (log2(c.at("threads_per_row")) <= c.at("shuffle_steps")) return 0;
  return padded_tile_bytes(capacity(c), problem.key) * groups_per_block(c);
}

/// Smallest capacity that holds a row: the tile that wastes least.
std::int64_t smallest_capacity(std::uint64_t length) {
  return static_cast<std::int64_t>(std::max<std::uint64_t>(4, std::bit_ceil(length)));
}

/// What the two variants differ in.
struct Flavour {
  std::string_view name;
  std::string_view description;
  std::string_view header;
  std::string_view kernel;
  std::size_t most_key_bytes;
  std::uint64_t rows_per_group;
};

constexpr Flavour one_row{
    .name = "rows",
    .description = "short rows in registers: several rows a warp, a row a warp, or a block a row",
    .header = "kernels/rows/row_sort.cuh",
    .kernel = "bitune::row_sort",
    .most_key_bytes = 8,
    .rows_per_group = 1};

constexpr Flavour two_rows{
    .name = "row_pairs",
    .description = "as rows, for keys of at most 16 bits: two rows a register, a key of each",
    .header = "kernels/rows/row_pair_sort.cuh",
    .kernel = "bitune::row_pair_sort",
    .most_key_bytes = 2,
    .rows_per_group = 2};

/// What a block of 1024 threads holds, 128 bytes each.
std::uint64_t longest_row(KeyType key) { return static_cast<std::uint64_t>(1024 * 128 / word_bytes(key)); }

bool can_sort(const Flavour& flavour, const Problem& problem, const DeviceInfo& device) {
  return sorts_keys_alone(problem) && size_of(problem.key) <= flavour.most_key_bytes &&
         problem.n <= longest_row(problem.key) && device.warp_size == 32;
}

/// A block has no help from others: a few rows longer than it sorts quickly are for variants with more
/// blocks, and so is a single one where launches can overlap (`warp`, `cluster`). Two rows a register pay
/// where there are enough of them, and long enough to be bound by comparators rather than memory.
bool is_best(const Flavour& flavour, const Problem& problem, const DeviceInfo& device) {
  const auto blocks = static_cast<std::uint64_t>(device.sm_count);
  if (flavour.rows_per_group > 1) return problem.n >= 64 && problem.rows >= 4 * blocks;
  if (problem.rows == 1 && device.compute_major >= 9) return false;
  return problem.n * static_cast<std::uint64_t>(word_bytes(problem.key)) <= 16u << 10 ||
         problem.rows >= blocks / 2;
}

SearchSpace make_space(const Problem&, const DeviceInfo&) {
  SearchSpace space;
  space.parameters = {
      {"threads_per_row",
       {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024},
       "threads that hold a row in registers"},
      {"items_per_thread", {2, 4, 8, 16, 32, 64}, "keys a thread holds in registers"},
      {"block_size_x",
       {32, 64, 128, 256, 512, 1024},
       "threads a block; a block has block_size_x / threads_per_row rows"},
      {"shuffle_steps",
       {0, 1, 2, 3, 4, 5},
       "most steps on lane bits that go by shuffles at the end of a stage"},
      {"vector_width", {1, 2, 4, 8}, "neighbouring keys a thread loads and stores at once"},
      {"store_swaps",
       {0, 1, 2, 3},
       "2^swaps lanes bring their vectors side by side, by shuffles, before they store"},
      {"imad_quarters",
       {0, 1, 2, 3},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm",
       {1, 2, 4, 8},
       "blocks a multiprocessor that the compiler must leave registers for"},
  };
  space.restrictions = {
      block_fits_device(),
      vector_fits_access(),
      {"the row fits the registers of its threads, and fills more than half of them",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return capacity(c) == smallest_capacity(p.n);
       },
       {"threads_per_row", "items_per_thread"}},
      // Rows of several warps each that share a block go through its barriers together, and so share what the
      // cache of instructions has to hold: these kernels are long.
      {"a block holds whole rows",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("block_size_x") >= c.at("threads_per_row");
       },
       {"threads_per_row", "block_size_x"}},
      {"no more shuffle steps than bits of the row's lanes, and all of them where a row has less than a warp",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         const std::int64_t lane_bits = std::min(5, log2(c.at("threads_per_row")));
         return c.at("shuffle_steps") <= lane_bits && (lane_bits == 5 || c.at("shuffle_steps") == lane_bits);
       },
       {"threads_per_row", "shuffle_steps"}},
      {"a thread holds a whole number of vectors, and swaps no more bits than it and the row's lanes have",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         const std::int64_t vectors = c.at("items_per_thread") / c.at("vector_width");
         return vectors >= 1 && c.at("store_swaps") <= log2(vectors) &&
                c.at("store_swaps") <= log2(c.at("threads_per_row"));
       },
       {"threads_per_row", "items_per_thread", "vector_width", "store_swaps"}},
      shared_memory_fits_block(shared_bytes),
      items_fit_registers("min_blocks_per_sm"),
      blocks_fit_multiprocessor(shared_bytes),
  };
  return space;
}

Configuration make_default(const Problem& problem, const DeviceInfo& device) {
  const std::int64_t word = word_bytes(problem.key);
  const std::int64_t row = smallest_capacity(problem.n);
  // Most items a thread without spilling, but no fewer than four threads for a row that has that many
  // vectors.
  std::int64_t items = std::clamp<std::int64_t>(row / 4, 4, word == 8 ? 16 : 32);
  while (row / items > device.max_threads_per_block) items *= 2;
  const std::int64_t threads = row / items;
  const std::int64_t vector = std::min<std::int64_t>(4, 16 / static_cast<std::int64_t>(size_of(problem.key)));
  const std::int64_t lane_bits = std::min(5, log2(threads));
  return {{},
          {{"threads_per_row", threads},
           {"items_per_thread", items},
           {"block_size_x", threads > 32 ? threads : std::min(128, device.max_threads_per_block)},
           {"shuffle_steps", threads <= 32 ? lane_bits : 2},
           {"vector_width", vector},
           {"store_swaps", std::min<std::int64_t>({2, lane_bits, log2(items / vector)})},
           {"imad_quarters", 0},
           {"min_blocks_per_sm", 1}}};
}

Plan make_plan(const Flavour& flavour, const Problem& problem, const Configuration& c) {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const std::string codec = codec_arguments(problem.key, problem.order);
  const auto groups = static_cast<std::uint64_t>(groups_per_block(c));
  const std::uint64_t per_block = groups * flavour.rows_per_group;
  const KernelSource kernel{
      std::string(flavour.header),
      fmt::format("{}<{}, {}, {}, {}, {}, {}, {}, {}, {}, {}>", flavour.kernel, codec,
                  c.at("threads_per_row"), c.at("items_per_thread"), groups, c.at("shuffle_steps"),
                  c.at("vector_width"), c.at("store_swaps"), c.at("imad_quarters"), c.at("min_blocks_per_sm"),
                  problem.n == static_cast<std::uint64_t>(capacity(c)))};
  builder.launch(kernel, parts_of(problem.rows, per_block), static_cast<std::uint32_t>(c.at("block_size_x")),
                 static_cast<std::uint64_t>(shared_bytes(c, problem)),
                 {keys_argument(), input_argument(), u64_argument(problem.rows), u32_argument(problem.n),
                  row_stride_argument()});
  Plan plan = builder.take();
  plan.out_of_place = true;
  return plan;
}

VariantDefinition definition_of(const Flavour& flavour) {
  return {.name = flavour.name,
          .description = flavour.description,
          .kernel_headers = {flavour.header},
          .supports = std::bind_front(can_sort, std::cref(flavour)),
          .suits = std::bind_front(is_best, std::cref(flavour)),
          .space = make_space,
          .default_configuration = make_default,
          .plan = [&flavour](const Problem& problem, const Configuration& configuration, const DeviceInfo&) {
            return make_plan(flavour, problem, configuration);
          }};
}

}  // namespace
}  // namespace of_rows

/// A row, or a pair of rows, is held by part of a warp, a warp, or a block, and sorted in one pass over
/// memory, in place or not. A single array is one row.
const Variant& rows_variant() {
  static const DefinedVariant variant(of_rows::definition_of(of_rows::one_row));
  return variant;
}

const Variant& row_pairs_variant() {
  static const DefinedVariant variant(of_rows::definition_of(of_rows::two_rows));
  return variant;
}

}  // namespace bitune
