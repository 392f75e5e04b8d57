// The variant `segments`: arrays of different lengths, by class of length.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "kernels/segments/segments_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/clear_counts.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_segments {
namespace {

constexpr Kernel<Address, Address, Address, OperandStride, Address, CallSegments, CallKeys, Address, Address,
                 Address, U64, U64, U32>
    short_kernel{"kernels/segments/short_segments.cuh", "short_segments"};
constexpr Kernel<Address, Address, Address, Address, U32> block_kernel{"kernels/segments/block_segments.cuh",
                                                                       "block_segments"};

/// What a warp holds.
std::int64_t longest_of_warp(const Configuration& c) { return 32 * c.at("lane_items"); }

layout::BlockLists lists_of(const Configuration& c, const Problem& problem) {
  return {problem.rows, problem.n, static_cast<int>(longest_of_warp(c)),
          static_cast<int>(c.at("list_octaves"))};
}

int list_count(const Configuration& c) { return static_cast<int>(c.at("block_lists")); }

/// Of the longest segment that a block sorts, or a warp where there are no lists.
std::uint64_t longest_of_block(const Configuration& c, const Problem& problem) {
  return lists_of(c, problem).longest(list_count(c) - 1);
}

std::int64_t threads_of_list(const Configuration& c, const Problem& problem, int list) {
  return static_cast<std::int64_t>(lists_of(c, problem).longest(list)) / c.at("block_items");
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return layout::short_segment_parts(c.at("block_size_x"), c.at("segments_per_block"), c.at("lane_items"),
                                     word_bytes(problem.key))
      .bytes;
}

/// Registers of a thread that sorts `items` items in a list's block, by what the compiler was seen to take.
std::int64_t registers_of(std::int64_t items, const Problem& problem) {
  return items * word_bytes(problem.key) / 4 + 40;
}

/// The same of a lane that sorts tiles of up to `items` items.
std::int64_t lane_registers(std::int64_t items, const Problem& problem) {
  return items * word_bytes(problem.key) + 32;
}

/// Blocks of a list's kernel that a multiprocessor has registers for.
std::int64_t resident_blocks(std::int64_t threads, const Configuration& c, const Problem& problem,
                             const DeviceInfo& device) {
  const std::int64_t registers = registers_of(c.at("block_items"), problem) * threads;
  return std::clamp<std::int64_t>(device.registers_per_sm / registers, 1,
                                  device.max_threads_per_sm / threads);
}

class SegmentsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "segments"; }
  std::string_view description() const noexcept override {
    return "segments of different lengths: several a warp, a warp or a block each, by class of length";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {clear_counts_kernel.header, short_kernel.header, block_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() == ShapeKind::segments && problem.operation == Operation::sort &&
           carried_bytes(problem) == 0 && device.warp_size == 32 && problem.n <= 8192;
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace SegmentsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"block_size_x", {64, 128, 256, 512}, "threads of a block that sorts short segments"},
      {"segments_per_block", {8, 16, 32, 64, 128, 256, 512}, "segments that such a block takes"},
      {"lane_items", {4, 8, 16, 32}, "keys of a lane there, at most: a warp holds 32 times as many"},
      {"block_lists", {0, 1, 2, 3, 4, 5, 6}, "classes of length that have a block for each segment"},
      {"list_octaves", {1, 2, 3, 4, 5}, "doublings of the length from one of these classes to the next"},
      {"block_items", {8, 16, 32}, "keys of a thread there"},
      {"shuffle_steps", {1, 2, 3, 5}, "most steps on lane bits there that go by shuffles"},
      {"imad_quarters",
       {0, 1, 2, 3},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm",
       {1, 2, 4, 6, 8},
       "blocks for short segments that the compiler must leave registers for on a multiprocessor"},
      {"dependent_launch", {0, 1}, "whether launches may begin while the one before them ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"a block has at most four segments a thread",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("segments_per_block") <= 4 * c.at("block_size_x");
       },
       {"segments_per_block", "block_size_x"}},
      {"a block holds the longest segment that there can be",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return longest_of_block(c, p) >= p.n;
       },
       {"lane_items", "block_lists", "list_octaves"}},
      {"no list is for segments that are longer than all keys, and one list is enough where there is none",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const int lists = list_count(c);
         return lists == 0 ? c.at("list_octaves") == 1 : lists_of(c, p).longest(lists - 2) < p.n;
       },
       {"lane_items", "block_lists", "list_octaves"}},
      {"a list's block has from one warp to as many threads as the device and its registers allow",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const int lists = list_count(c);
         if (lists == 0) return true;
         const std::int64_t most = threads_of_list(c, p, lists - 1);
         return threads_of_list(c, p, 0) >= 32 && most <= d.max_threads_per_block &&
                most * registers_of(c.at("block_items"), p) <= d.registers_per_block;
       },
       {"lane_items", "block_lists", "list_octaves", "block_items"}},
      {"a list's tile and its padding fit the shared memory that the device allows a block",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return padded_tile_bytes(static_cast<std::int64_t>(longest_of_block(c, p)), p.key) <=
                d.shared_bytes_per_block_optin;
       },
       {"lane_items", "block_lists", "list_octaves"}},
      shared_memory_fits_block(shared_bytes),
      {"four registers for each word of lane_items keys, and 32 besides, for block_size_x threads, fit a "
       "block's registers, and min_blocks_per_sm times a multiprocessor's",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, lane_registers(c.at("lane_items"), p), c.at("min_blocks_per_sm"), d);
       },
       {"lane_items", "block_size_x", "min_blocks_per_sm"}},
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

Configuration SegmentsVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  const std::int64_t items = 8;
  const std::int64_t threads = std::min(128, device.max_threads_per_block);
  const std::uint64_t mean = std::max<std::uint64_t>(1, problem.n / std::max<std::uint64_t>(1, problem.rows));
  // As many keys as all warps sort in a few tasks, but no fewer blocks than there are multiprocessors.
  const std::uint64_t of_keys = std::bit_ceil(std::max<std::uint64_t>(8192 / mean, 1));
  const std::uint64_t of_device =
      std::bit_floor(std::max<std::uint64_t>(problem.rows / static_cast<std::uint64_t>(device.sm_count), 1));
  const auto segments =
      static_cast<std::int64_t>(std::clamp<std::uint64_t>(std::min(of_keys, of_device), 8, 256));
  const int octaves = std::max(0, ceil_log2(problem.n) - ceil_log2(static_cast<std::uint64_t>(32 * items)));
  return {std::string(name()),
          {{"block_size_x", threads},
           {"segments_per_block", segments},
           {"lane_items", items},
           {"block_lists", octaves == 0 ? 0 : 1},
           {"list_octaves", std::max(octaves, 1)},
           {"block_items", word_bytes(problem.key) == 8 ? 8 : 16},
           {"shuffle_steps", 2},
           {"imad_quarters", 0},
           {"min_blocks_per_sm", 1},
           {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
}

Plan SegmentsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const std::string codec = codec_arguments(problem.key, problem.order);
  const layout::BlockLists lists = lists_of(c, problem);
  const int list_total = list_count(c);
  const bool has_lists = list_total > 0;
  const Address counters = builder.workspace(has_lists ? as_count(layout::list_counter_words()) * 4 : 0);
  const Address listed =
      builder.workspace(lists.begin(list_total) * as_count(layout::listed_segment_bytes()));
  if (has_lists)
    append_clear_counts(builder, clear_counts_kernel, counters, as_count(layout::list_counter_words()), 1);

  const std::uint64_t segments = as_count(c.at("segments_per_block"));
  builder.launch(
      short_kernel,
      fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", codec, c.at("block_size_x"), segments, c.at("lane_items"),
                  list_total, c.at("list_octaves"), c.at("imad_quarters"), c.at("min_blocks_per_sm")),
      {.blocks = parts_of(problem.rows, segments),
       .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
       .shared_bytes = as_count(shared_bytes(c, problem)),
       .segments_per_block = static_cast<std::uint32_t>(segments)},
      keys_address(), input_address(), address_of(Role::offsets), OperandStride{Role::offsets},
      address_of(Role::ends), CallSegments{problem.rows}, CallKeys{problem.n}, counters, listed, listed,
      problem.rows, problem.n, 1u);
  // Long segments first: what ends last is short then.
  for (int list = list_total - 1; list >= 0; --list) {
    const std::int64_t threads = threads_of_list(c, problem, list);
    const std::int64_t resident = resident_blocks(threads, c, problem, device);
    Address segments_of_list = listed;
    segments_of_list.argument.value += lists.begin(list) * as_count(layout::listed_segment_bytes());
    Address counted = counters;
    counted.argument.value += as_count(layout::block_count_offset(list));
    builder.launch(block_kernel,
                   fmt::format("{}, {}, {}, {}, {}, {}", codec, threads, c.at("block_items"),
                               std::min<std::int64_t>(c.at("shuffle_steps"), ceil_log2(as_count(threads))),
                               c.at("imad_quarters"), resident),
                   {.blocks = std::min<std::uint64_t>(
                        lists.room(list), as_count(resident) * static_cast<std::uint64_t>(device.sm_count)),
                    .threads = static_cast<std::uint32_t>(threads),
                    .shared_bytes = as_count(
                        padded_tile_bytes(static_cast<std::int64_t>(lists.longest(list)), problem.key))},
                   keys_address(), input_address(), segments_of_list, counted, lists.room(list));
  }
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_segments

/// A launch reads the offsets, and sorts short segments in warps; longer ones are listed by class of length,
/// and sorted in blocks (kernels/segments/).
const Variant& segments_variant() {
  static const of_segments::SegmentsVariant variant;
  return variant;
}

}  // namespace bitune
