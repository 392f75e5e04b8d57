#include "runtime/variants/place_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "model/key_type.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/row_parts.hpp"

namespace bitune::place_rows {

std::int64_t most_items(const Problem& problem) {
  return 64 / std::max<std::int64_t>(placed_item_bytes(problem.key) / 2, 2);
}

Configuration default_configuration(Configuration own, const Problem& problem, const DeviceInfo& device,
                                    std::int64_t most, const SharedBytes& bytes) {
  using row_parts::log2;
  const std::int64_t row = row_parts::smallest_capacity(problem.n);
  // A row has at least four threads, if it has that many vectors. Where rows are few it is sorted sooner by
  // more: together they take up to half of the threads that the device can have.
  const std::uint64_t half = as_count(device.sm_count) * as_count(device.max_threads_per_sm) / 2;
  const std::uint64_t share =
      std::clamp<std::uint64_t>(half / std::max<std::uint64_t>(problem.rows, 1), 4, 128);
  std::int64_t items =
      std::clamp(row / static_cast<std::int64_t>(std::bit_floor(share)), std::int64_t{4}, most);
  while (row / items > std::min(device.max_threads_per_block, 512)) items *= 2;
  const std::int64_t threads = row / items;
  const std::int64_t vector = std::min<std::int64_t>(4, 16 / static_cast<std::int64_t>(size_of(problem.key)));
  const std::int64_t lane_bits = std::min(5, log2(threads));
  const bool single = problem.rows == 1;
  own.parameters.insert(
      {{"threads_per_row", threads},
       {"items_per_thread", items},
       {"block_size_x", threads > 32 || single ? std::max<std::int64_t>(threads, 32)
                                               : std::min(128, device.max_threads_per_block)},
       {"shuffle_steps", threads <= 32 ? lane_bits : 2},
       {"vector_width", vector},
       {"store_swaps", std::min<std::int64_t>({2, lane_bits, log2(items / vector)})},
       {"compare_as_double", prefers_doubles(problem.key, device)},
       {"imad_quarters", 0},
       {"min_blocks_per_sm", 1},
       {"dependent_launch", device.compute_major >= 9 ? 1 : 0}});
  // Several rows may be more than a block has memory for.
  while (own.at("block_size_x") > threads && bytes(own, problem) > device.shared_bytes_per_block_optin) {
    own.parameters["block_size_x"] /= 2;
  }
  return own;
}

}  // namespace bitune::place_rows
