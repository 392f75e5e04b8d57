#include "runtime/variants/segments_sizes.hpp"

#include <algorithm>
#include <bit>

#include "kernels/radix/digit_row_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/long_segments.hpp"
#include "runtime/variants/row_parts.hpp"

namespace bitune::of_segments {

bool carries(const Problem& problem) { return carried_bytes(problem) != 0; }

std::uint64_t least_by_digits(const Problem& problem) {
  switch (size_of(problem.key)) {
    case 2:
      return 4096;
    case 8:
      return 2048;
    default:
      return 1024;
  }
}

std::int64_t item_bytes(const Problem& problem) {
  return carries(problem) ? placed_item_bytes(problem.key) : word_bytes(problem.key);
}

std::int64_t item_registers(const Problem& problem) {
  return carries(problem) ? placed_item_registers(problem.key) : word_bytes(problem.key) / 4;
}

bool sorts_by_leading_bits(const Configuration& c, const Problem& problem) {
  return c.at("lane_items") % 3 == 0 && item_bytes(problem) > 4;
}

std::int64_t longest_of_warp(const Configuration& c) { return 32 * c.at("lane_items"); }

layout::BlockLists lists_of(const Configuration& c, const Problem& problem) {
  return {problem.rows, problem.n, static_cast<int>(std::bit_floor(as_count(longest_of_warp(c)))),
          static_cast<int>(c.at("list_octaves"))};
}

int list_count(const Configuration& c) { return static_cast<int>(c.at("block_lists")); }

std::uint64_t longest_of_block(const Configuration& c, const Problem& problem) {
  const int lists = list_count(c);
  return lists == 0 ? as_count(longest_of_warp(c)) : lists_of(c, problem).longest(lists - 1);
}

std::uint64_t least_long(const Configuration& c, const Problem& problem) {
  return longest_of_block(c, problem) + 1;
}

Configuration with_long(Configuration c, const Problem& problem, const DeviceInfo& device) {
  long_segments::set_defaults(c, problem, device, least_long);
  return c;
}

std::uint64_t keys_of_block(const Configuration& c, const Problem& problem) {
  return as_count(c.at("segments_per_block")) * problem.n / std::max<std::uint64_t>(1, problem.rows);
}

std::int64_t equal_keys(const Problem& problem) {
  const std::uint64_t mean = mean_length(problem);
  const std::int64_t longest = row_parts::smallest_capacity(mean);
  const bool fits = longest <= layout::longest_equal_segment(word_bytes(problem.key));
  return mean > 1 && fits && !carries(problem) ? longest : 0;
}

std::vector<std::int64_t> copied_keys_values() {
  return {0, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384};
}

bool copies_what_is_there(const Configuration& c, const Problem& problem) {
  const std::uint64_t mean = keys_of_block(c, problem);
  const std::uint64_t copied = as_count(c.at("copied_keys"));
  return copied == 0 || (mean <= 4 * copied && copied <= 16 * mean);
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  const layout::CopiedParts copies =
      layout::copied_parts(c.at("copied_keys"), static_cast<layout::Size>(size_of(problem.key)),
                           problem.value_bytes, problem.index_bytes);
  const std::int64_t items = c.at("lane_items");
  const layout::Size of_warp =
      sorts_by_leading_bits(c, problem)
          ? layout::leading_tile_parts(items, static_cast<layout::Size>(size_of(problem.key)),
                                       problem.value_bytes)
                .bytes
          : layout::lane_tile_parts(32 * items, item_bytes(problem), problem.value_bytes).bytes;
  return layout::short_segment_parts(c.at("block_size_x"), c.at("segments_per_block"), of_warp, copies.bytes)
      .bytes;
}

bool ListTile::fits(const DeviceInfo& device) const {
  return threads >= device.warp_size && block_threads() <= device.max_threads_per_block &&
         block_threads() * registers <= device.registers_per_block &&
         bytes <= device.shared_bytes_per_block_optin;
}

namespace {

/// What is seen to be taken besides where only indices are written.
std::int64_t registers_without_keys(const Problem& problem) { return writes_keys(problem) ? 0 : 8; }

ListTile tile_by_digits(std::int64_t keys, const Problem& problem) {
  const std::int64_t threads = keys / (keys <= 2048 ? 16 : 32);
  const std::int64_t items = keys / threads;
  const std::int64_t word = word_bytes(problem.key);
  const bool is_tight = items <= 16 || size_of(problem.key) < 4;
  // The ranks of two items take one.
  const std::int64_t registers =
      items * word / 4 + items / 2 + 16 + (is_tight ? registers_without_keys(problem) : 0);
  return {true,      threads,
          1,         items,
          registers, layout::digit_row_parts(threads, items, digit_bits, word, problem.value_bytes).bytes};
}

/// Registers of a thread of a network. Shuffles want room for what they bring.
std::int64_t network_registers(std::int64_t threads, std::int64_t items, bool shuffles,
                               const Problem& problem) {
  if (item_registers(problem) == 1) return shuffles ? std::max(items + 40, 3 * items) : items + 32;
  const std::int64_t words = items * item_registers(problem);
  const std::int64_t brought = shuffles && carries(problem) ? words / 2 : 0;
  // With values, all of a warp's steps by shuffles take most.
  const std::int64_t with_values = threads == 32 ? 48 : 32;
  const std::int64_t of_wide_keys = size_of(problem.key) < 8 ? 0
                                    : carries(problem)       ? with_values
                                                             : items / 16 * 8;
  return words + brought + 48 + of_wide_keys + registers_without_keys(problem);
}

}  // namespace

namespace {

/// Where a warp sorts a segment. A block of one takes as long to begin and to end as one of several.
constexpr std::int64_t warps_of_block = 4;

}  // namespace

ListTile tile_for(std::uint64_t longest, const Configuration& c, const Problem& problem) {
  const auto keys = static_cast<std::int64_t>(longest);
  if (carries(problem) && longest >= least_by_digits(problem)) return tile_by_digits(keys, problem);
  const std::int64_t items = c.at("block_items");
  const std::int64_t threads = keys / items;
  const std::int64_t groups = threads == 32 ? warps_of_block : 1;
  return {false,
          threads,
          groups,
          items,
          network_registers(threads, items, c.at("shuffle_steps") != 0, problem),
          groups * layout::segment_tile_parts(keys, item_bytes(problem), problem.value_bytes).bytes};
}

}  // namespace bitune::of_segments
