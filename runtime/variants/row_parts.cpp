#include "runtime/variants/row_parts.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune::row_parts {

std::int64_t capacity(const Configuration& c) { return c.at("threads_per_row") * c.at("items_per_thread"); }

std::int64_t groups_per_block(const Configuration& c) {
  return c.at("block_size_x") / c.at("threads_per_row");
}

int log2(std::int64_t value) { return ceil_log2(static_cast<std::uint64_t>(value)); }

std::int64_t smallest_capacity(std::uint64_t length) {
  return static_cast<std::int64_t>(std::max<std::uint64_t>(4, std::bit_ceil(length)));
}

std::vector<Parameter> parameters(std::vector<std::int64_t> items, std::string items_text,
                                  std::size_t most_shuffles) {
  std::vector<std::int64_t> shuffles(most_shuffles + 1);
  std::iota(shuffles.begin(), shuffles.end(), 0);
  return {
      {"threads_per_row",
       {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024},
       "threads that hold a row in registers"},
      {"items_per_thread", std::move(items), std::move(items_text)},
      {"block_size_x",
       {32, 64, 128, 256, 512, 1024},
       "threads a block; a block has block_size_x / threads_per_row rows"},
      {"shuffle_steps", std::move(shuffles),
       "most steps on lane bits that go by shuffles at the end of a stage"},
      {"vector_width", {1, 2, 4, 8}, "neighbouring keys a thread loads and stores at once"},
      {"store_swaps",
       {0, 1, 2, 3},
       "2^swaps lanes bring their vectors side by side, by shuffles, before they store"},
  };
}

std::vector<Restriction> restrictions() {
  return {
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
  };
}

}  // namespace bitune::row_parts
