#include "runtime/variants/segments_sizes.hpp"

#include <algorithm>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/long_segments.hpp"

namespace bitune::of_segments {

bool carries(const Problem& problem) { return carried_bytes(problem) != 0; }

std::int64_t item_bytes(const Problem& problem) {
  return carries(problem) ? placed_item_bytes(problem.key) : word_bytes(problem.key);
}

std::int64_t item_registers(const Problem& problem) {
  return carries(problem) ? placed_item_registers(problem.key) : word_bytes(problem.key) / 4;
}
std::int64_t value_registers(const Problem& problem) { return (problem.value_bytes + 3) / 4; }

std::int64_t longest_of_warp(const Configuration& c) { return 32 * c.at("lane_items"); }

layout::BlockLists lists_of(const Configuration& c, const Problem& problem) {
  return {problem.rows, problem.n, static_cast<int>(longest_of_warp(c)),
          static_cast<int>(c.at("list_octaves"))};
}

int list_count(const Configuration& c) { return static_cast<int>(c.at("block_lists")); }

std::uint64_t longest_of_block(const Configuration& c, const Problem& problem) {
  return lists_of(c, problem).longest(list_count(c) - 1);
}

std::uint64_t least_long(const Configuration& c, const Problem& problem) {
  return longest_of_block(c, problem) + 1;
}

Configuration with_long(Configuration c, const Problem& problem, const DeviceInfo& device) {
  long_segments::set_defaults(c, problem, device, least_long);
  return c;
}

std::int64_t threads_of_list(const Configuration& c, const Problem& problem, int list) {
  return static_cast<std::int64_t>(lists_of(c, problem).longest(list)) / c.at("block_items");
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return layout::short_segment_parts(c.at("block_size_x"), c.at("segments_per_block"), c.at("lane_items"),
                                     item_bytes(problem))
      .bytes;
}

std::int64_t tile_bytes(const Configuration& c, const Problem& problem, int list) {
  return layout::padded_bytes(static_cast<layout::Size>(lists_of(c, problem).longest(list)),
                              item_bytes(problem));
}

std::int64_t registers_of(const Configuration& c, const Problem& problem) {
  const std::int64_t items = c.at("block_items");
  if (!carries(problem)) {
    if (word_bytes(problem.key) == 8) return items * item_registers(problem) + 48;
    return c.at("shuffle_steps") == 0 ? items + 32 : std::max(items + 40, 3 * items);
  }
  return items * (2 * item_registers(problem) + value_registers(problem) + 1) + 32;
}

std::int64_t resident_blocks(std::int64_t threads, const Configuration& c, const Problem& problem,
                             const DeviceInfo& device) {
  const std::int64_t registers = registers_of(c, problem) * threads;
  return std::clamp<std::int64_t>(device.registers_per_sm / registers, 1,
                                  device.max_threads_per_sm / threads);
}

}  // namespace bitune::of_segments
