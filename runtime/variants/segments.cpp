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
#include "runtime/variants/carried.hpp"
#include "runtime/variants/clear_counts.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/long_segments.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"
#include "runtime/variants/segments_sizes.hpp"

namespace bitune {
namespace of_segments {
namespace {

/// Width: of an offset. Count: of segments.
template <class Width, class Count>
constexpr Kernel<Address, Address, Address, Width, Address, Count, CallKeys, Address, Address, Address,
                 Address, U64, U64, U32, EqualLength>
    short_kernel{"kernels/segments/short_segments.cuh", "short_segments"};
template <class Width, class Count>
constexpr Kernel<Address, Address, Address, Address, Address, Address, Width, Address, Count, CallKeys,
                 Address, Address, Address, Address, U64, U64, U32>
    short_pair_kernel{"kernels/segments/short_pair_segments.cuh", "short_pair_segments"};
constexpr Kernel<Address, Address, Address, Address, Address, U32> block_kernel{
    "kernels/segments/block_segments.cuh", "block_segments"};
constexpr Kernel<Address, Address, Address, Address, Address, Address, Address, Address, Address, U32>
    block_pair_kernel{"kernels/segments/block_pair_segments.cuh", "block_pair_segments"};
constexpr Kernel<Address, Address, Address, Address, Address, Address, Address, Address, Address, U32>
    digit_kernel{"kernels/segments/digit_segments.cuh", "digit_segments"};

std::uint64_t segments_of_block(const Configuration& c) { return as_count(c.at("segments_per_block")); }

class SegmentsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "segments"; }
  std::string_view description() const noexcept override {
    return "segments of different lengths: several a warp, a warp or a block each, by class of length";
  }
  std::vector<std::string_view> kernel_headers() const override {
    std::vector<std::string_view> headers = long_segments::kernel_headers();
    headers.insert(headers.begin(), {clear_counts_kernel.header, short_kernel<U64, U64>.header,
                                     short_pair_kernel<U64, U64>.header, block_kernel.header,
                                     block_pair_kernel.header, digit_kernel.header});
    return headers;
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() == ShapeKind::segments && device.warp_size == 32 &&
           (carries_one_thing(problem) || problem.operation == Operation::sort) && problem.n <= most_keys;
  }
  SearchSpace space(const Problem&, const DeviceInfo&) const override {
    SearchSpace space = make_space();
    space.variant = name();
    return space;
  }
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

Configuration SegmentsVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  const std::int64_t block_items = item_registers(problem) > 2 ? 8 : 16;
  const std::uint64_t mean = std::max<std::uint64_t>(1, problem.n / std::max<std::uint64_t>(1, problem.rows));
  // The more keys a lane has, the fewer of a network's steps go across lanes, which take three times as long.
  const bool by_threes = mean >= 64 && !(carries(problem) && size_of(problem.key) < 4);
  const std::int64_t items = by_threes ? 18 : carries(problem) && size_of(problem.key) == 8 ? 4 : 8;
  // As many keys as all warps sort in a few tasks, but no fewer blocks than there are multiprocessors. A
  // thread reads where one segment lies, or four, where these take little else.
  const std::uint64_t of_keys = std::bit_ceil(std::max<std::uint64_t>(8192 / mean, 32));
  const std::uint64_t of_device =
      std::bit_floor(std::max<std::uint64_t>(problem.rows / static_cast<std::uint64_t>(device.sm_count), 1));
  const int threads = std::min(128, device.max_threads_per_block);
  const std::uint64_t of_threads = static_cast<std::uint64_t>(threads) * (mean < 8 ? 4 : 1);
  const std::uint64_t segments = std::clamp<std::uint64_t>(std::min(of_keys, of_device), 8, of_threads);
  Configuration c{std::string(name()),
                  {{"block_size_x", threads},
                   {"segments_per_block", static_cast<std::int64_t>(segments)},
                   {"lane_items", items},
                   {"copied_keys", 0},
                   {"block_lists", 0},
                   {"list_octaves", 1},
                   {"block_items", block_items},
                   {"shuffle_steps", 2},
                   {"compare_as_double", carries(problem) ? prefers_doubles(problem.key, device) : 0},
                   {"imad_quarters", 0},
                   {"min_blocks_per_sm", 1},
                   {"long_buckets", 0},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // Lists up to what a block holds; a few of them where a launch costs more than threads that do nothing.
  int octaves = 0;
  for (std::uint64_t longest = std::bit_floor(as_count(longest_of_warp(c)));
       longest < problem.n && octaves < layout::most_block_lists() &&
       tile_for(2 * longest, c, problem).fits(device);
       longest *= 2) {
    ++octaves;
  }
  // Where lanes of a load have segments of their own. With half as much room again, as lengths differ.
  if (mean < 32) {
    for (const std::int64_t copied : copied_keys_values()) {
      c.parameters["copied_keys"] = copied;
      if (2 * as_count(copied) >= 3 * keys_of_block(c, problem)) break;
    }
    const bool fits =
        copies_what_is_there(c, problem) && shared_bytes(c, problem) <= device.shared_bytes_per_block_optin;
    if (!fits) c.parameters["copied_keys"] = 0;
  }
  const bool is_small = problem.n <= std::uint64_t{1} << 18;
  const int lists = !is_small ? octaves : octaves > 5 ? 2 : std::min(octaves, 1);
  c.parameters["block_lists"] = lists;
  c.parameters["list_octaves"] = lists == 0 ? 1 : octaves / lists;
  // One pass instead of four, for most keys, and two launches more, which do nothing where nothing is long.
  if (!is_small && lists != 0 && least_long(c, problem) <= problem.n) {
    c.parameters["long_buckets"] =
        long_segments::can_make_buckets(problem, with_long(c, problem, device), least_long) ? 1 : 0;
  }
  // For segments of one length the compiler takes as many registers as it may. More than 64 gain nothing.
  if (equal_keys(problem) != 0 && word_bytes(problem.key) == 4) {
    Configuration with = c;
    with.parameters["min_blocks_per_sm"] = std::min<std::int64_t>(8, 1024 / threads);
    if (!space(problem, device).violation(with, problem, device)) return with;
  }
  return c;
}

/// What the launches over segments share.
struct Shared {
  std::string types;  ///< the first template arguments
  layout::BlockLists lists;
  Address counters = {};
  Address listed = {};
  std::uint64_t long_tile_keys = 1;
};

/// What a launch that reads offsets takes: the segments of the call, or buckets of those that are long.
struct Source {
  long_segments::Items items = {input_address(), address_of(Role::values_in)};
  Address begins = address_of(Role::offsets);
  Address ends = address_of(Role::ends);
  bool are_buckets = false;
};

/// Codec and payload, and what is written where something travels with the keys.
std::string types_of(const Problem& problem, const Configuration& c) {
  std::string codec = codec_arguments(problem.key, problem.order);
  if (!carries(problem)) return codec;
  return fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}", codec,
                     placed_form(problem.key, c.at("compare_as_double") != 0), problem.value_bytes,
                     problem.index_bytes, writes_keys(problem));
}

std::string types_by_digits(const Problem& problem) {
  return fmt::format("{}, {}, {}, {}", codec_arguments(problem.key, problem.order), problem.value_bytes,
                     problem.index_bytes, writes_keys(problem));
}

/// longer: where what no block sorts is listed.
template <class Width, class Count>
void add_short(PlanBuilder& builder, const Shared& shared, const Source& source, Width width, Count count,
               const long_segments::List& longer, LaunchShape shape, const Problem& problem,
               Configuration c) {
  if (source.are_buckets) c.parameters["copied_keys"] = 0;
  std::string arguments = fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", shared.types, source.are_buckets,
                                      c.at("block_size_x"), c.at("segments_per_block"), c.at("lane_items"),
                                      c.at("copied_keys"), list_count(c), c.at("list_octaves"));
  if (!carries(problem)) arguments += fmt::format(", {}", source.are_buckets ? 0 : equal_keys(problem));
  arguments += fmt::format(", {}, {}", c.at("imad_quarters"), c.at("min_blocks_per_sm"));
  shape.threads = static_cast<std::uint32_t>(c.at("block_size_x"));
  shape.shared_bytes = as_count(shared_bytes(c, problem));
  shape.allows_next_early = list_count(c) > 0;
  const CallKeys keys{problem.n};
  if (carries(problem)) {
    builder.launch(short_pair_kernel<Width, Count>, arguments, shape, keys_address(), source.items.keys,
                   address_of(Role::values_out), source.items.values, address_of(Role::indices_out),
                   source.begins, width, source.ends, count, keys, shared.counters, shared.listed,
                   longer.counters, longer.listed, shared.lists.segments, problem.n, shared.long_tile_keys);
  } else {
    builder.launch(short_kernel<Width, Count>, arguments, shape, keys_address(), source.items.keys,
                   source.begins, width, source.ends, count, keys, shared.counters, shared.listed,
                   longer.counters, longer.listed, shared.lists.segments, problem.n, shared.long_tile_keys,
                   EqualLength{equal_length(problem)});
  }
}

/// Lists of many warps take at least one of four maxima from the multiplier's pipe: 2 % less time on an H200.
/// Those of few warps take longer so.
std::int64_t imad_quarters_of(const ListTile& tile, const Configuration& c, const Problem& problem) {
  const bool gains = tile.threads >= 256 && !carries(problem) && word_bytes(problem.key) == 4;
  return std::max<std::int64_t>(c.at("imad_quarters"), gains ? 1 : 0);
}

/// Longer ones first, so that those that end last are short. Each list is sorted beside the one before it.
/// buckets: where those that are listed lie.
void add_lists(PlanBuilder& builder, const Shared& shared, const long_segments::Items& buckets,
               const Problem& problem, const Configuration& c, const DeviceInfo& device) {
  const Source call;
  for (int list = list_count(c) - 1; list >= 0; --list) {
    const ListTile tile = tile_for(shared.lists.longest(list), c, problem);
    const std::int64_t resident = resident_blocks(tile.block_threads(), tile.registers, tile.bytes, device);
    const std::uint64_t room = shared.lists.room(list);
    Address listed = shared.listed;
    listed.argument.value += shared.lists.begin(list) * as_count(layout::listed_segment_bytes());
    Address counted = shared.counters;
    counted.argument.value += as_count(layout::block_count_offset(list));
    const bool beside_previous = list + 1 < list_count(c);
    const std::string place = fmt::format("{}, {}, {}", resident, beside_previous, list == 0);
    const std::string by_network =
        fmt::format("{}, {}, {}, {}, {}, {}, {}", shared.types, tile.threads, tile.items, tile.groups,
                    std::min<std::int64_t>(c.at("shuffle_steps"), ceil_log2(as_count(tile.threads))),
                    imad_quarters_of(tile, c, problem), place);
    const LaunchShape shape{
        .blocks = std::min<std::uint64_t>(parts_of(room, as_count(tile.groups)),
                                          as_count(resident) * static_cast<std::uint64_t>(device.sm_count)),
        .threads = static_cast<std::uint32_t>(tile.block_threads()),
        .shared_bytes = as_count(tile.bytes),
        .beside_previous = beside_previous,
        .allows_next_early = beside_previous && list > 0};
    if (tile.by_digits) {
      builder.launch(digit_kernel,
                     fmt::format("{}, {}, {}, {}, {}", types_by_digits(problem), tile.threads, tile.items,
                                 digit_bits, place),
                     shape, keys_address(), call.items.keys, buckets.keys, address_of(Role::values_out),
                     call.items.values, buckets.values, address_of(Role::indices_out), listed, counted, room);
    } else if (carries(problem)) {
      builder.launch(block_pair_kernel, by_network, shape, keys_address(), call.items.keys, buckets.keys,
                     address_of(Role::values_out), call.items.values, buckets.values,
                     address_of(Role::indices_out), listed, counted, room);
    } else {
      builder.launch(block_kernel, by_network, shape, keys_address(), call.items.keys, buckets.keys, listed,
                     counted, room);
    }
  }
}

/// What no block sorts, bucket by bucket: buckets that one sorts are listed with the call's segments. Returns
/// where they lie.
long_segments::Items add_buckets(PlanBuilder& builder, const Shared& shared, const long_segments::List& cut,
                                 Address counters, Problem problem, const Configuration& c,
                                 const Configuration& whole, const DeviceInfo& device) {
  const auto buckets = long_segments::append_buckets(builder, cut, problem, whole, device);
  const std::uint64_t of_each = long_segments::buckets_of_each(whole);
  problem.rows = cut.most_segments * of_each;
  const auto longer = long_segments::List::make(builder, counters, problem, least_long(c, problem));
  // Only the device knows how many there are, often none. More blocks than run at once take time to begin.
  const std::uint64_t most_blocks = 12 * static_cast<std::uint64_t>(device.sm_count);
  add_short(builder, shared,
            {.items = buckets.items, .begins = buckets.begins, .ends = buckets.ends, .are_buckets = true},
            U64{std::uint64_t{8}}, U64{of_each}, longer,
            {.blocks = std::min(most_blocks, parts_of(problem.rows, segments_of_block(c)))}, problem, c);
  long_segments::append_in_bucket(builder, longer, buckets.items, problem, whole, device);
  return buckets.items;
}

Plan SegmentsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  Shared shared{.types = types_of(problem, c), .lists = lists_of(c, problem)};
  const bool has_lists = as_count(longest_of_warp(c)) < problem.n;
  const bool has_long = least_long(c, problem) <= problem.n;
  const bool has_buckets = has_long && c.at("long_buckets") != 0;
  // Of the call's segments, and of what is long among buckets.
  const auto counter_words = as_count(layout::list_counter_words());
  shared.counters = builder.workspace(has_lists ? 2 * 4 * counter_words : 0);
  Address counters_of_buckets = shared.counters;
  counters_of_buckets.argument.value += 4 * counter_words;
  long_segments::List longest{shared.counters, shared.counters, 0};
  const Configuration whole = has_long ? with_long(c, problem, device) : c;
  if (has_long) {
    longest = long_segments::List::make(builder, shared.counters, problem, least_long(c, problem));
    shared.long_tile_keys = as_count(long_segments::tile_keys(whole));
  }
  if (has_buckets) shared.lists.segments += longest.most_segments * long_segments::buckets_of_each(whole);
  shared.listed =
      builder.workspace(shared.lists.begin(list_count(c)) * as_count(layout::listed_segment_bytes()));

  if (has_lists) append_clear_counts(builder, clear_counts_kernel, shared.counters, 2 * counter_words, 1);
  add_short(builder, shared, {}, OperandStride{Role::offsets}, CallSegments{problem.rows}, longest,
            {.blocks = parts_of(problem.rows, segments_of_block(c)),
             .segments_per_block = static_cast<std::uint32_t>(segments_of_block(c))},
            problem, c);
  long_segments::Items buckets = Source{}.items;
  if (has_buckets) {
    buckets = add_buckets(builder, shared, longest, counters_of_buckets, problem, c, whole, device);
  } else if (has_long) {
    long_segments::append(builder, longest, problem, whole, device, list_count(c) == 0);
  }
  add_lists(builder, shared, buckets, problem, c, device);
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
