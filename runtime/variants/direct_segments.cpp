// The variant `direct_segments`: a few segments, a block or a cluster of blocks for each.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "kernels/segments/segments_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/problem_class.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/long_segments.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_direct_segments {
namespace {

constexpr Kernel<Address, Address, Address, OperandStride, Address, CallSegments, CallKeys, U64, Address,
                 Address, U32>
    keys_kernel{"kernels/segments/direct_segments.cuh", "direct_segments"};
constexpr Kernel<Address, Address, Address, Address, Address, Address, OperandStride, Address, CallSegments,
                 CallKeys, U64, Address, Address, U32>
    pairs_kernel{"kernels/segments/direct_pair_segments.cuh", "direct_pair_segments"};
constexpr Kernel<Address, Address, Address, Address> longer_kernel{keys_kernel.header, "cluster_segments"};
constexpr Kernel<Address, Address, Address, Address, Address, Address, Address> longer_pairs_kernel{
    pairs_kernel.header, "cluster_pair_segments"};

/// One block reads the offsets of all, to list what no block holds.
constexpr std::uint64_t most_segments = 4096;
/// Tiles of long segments are counted in 32 bits.
constexpr std::uint64_t most_keys = std::uint64_t{1} << 32;

bool carries(const Problem& problem) { return carried_bytes(problem) != 0; }

std::int64_t item_bytes(const Problem& problem) {
  return carries(problem) ? placed_item_bytes(problem.key) : word_bytes(problem.key);
}

/// Registers of a thread, by what compilers for sm_75 to sm_90 were seen to take. More than 8 keys of 64 bits
/// take as many again, but in a cluster, which has more addresses of them.
std::int64_t registers_of(std::int64_t items, const Problem& problem, std::int64_t ranks = 1) {
  const bool is_wide = word_bytes(problem.key) == 8;
  if (!carries(problem)) {
    if (is_wide && ranks > 1) return 2 * items + 68;
    return items * (is_wide ? items > 8 ? 4 : 2 : 1) + (is_wide || items > 16 ? 48 : 40);
  }
  const std::int64_t of_item = 2 * placed_item_registers(problem.key) + (problem.value_bytes + 3) / 4;
  return items * std::max<std::int64_t>(of_item, is_wide && items > 8 ? 10 : 0) + (is_wide ? 56 : 40);
}

/// What sorts a segment: a cluster of blocks, or one block.
struct Tile {
  std::int64_t ranks;
  std::int64_t threads;
  std::int64_t items;  ///< of a thread, at most
  std::int64_t least;

  [[nodiscard]] std::uint64_t keys() const { return as_count(ranks * threads * items); }
  [[nodiscard]] std::int64_t bytes(const Problem& problem) const {
    return layout::padded_bytes(layout::Size{threads} * items, item_bytes(problem));
  }
  [[nodiscard]] bool fits(const Problem& problem, const DeviceInfo& device) const {
    return registers_fit(threads, registers_of(items, problem, ranks), 1, device) &&
           bytes(problem) <= device.shared_bytes_per_block_optin;
  }
  /// Places of narrow keys have 16 bits.
  [[nodiscard]] bool has_places(const Problem& problem) const {
    return !carries(problem) || size_of(problem.key) > 2 || keys() <= 65536;
  }
};

Tile tile_of(const Configuration& c) {
  return {c.at("cluster_size"), c.at("block_size_x"), c.at("block_items"), c.at("least_items")};
}

/// For longer ones: few enough threads that they are on a multiprocessor beside the blocks of the launch
/// before, and wait there when it ends; with as many items as they have registers for.
Tile longer_tile(const Configuration& c, const Problem& problem) {
  constexpr std::int64_t threads = 512;
  constexpr std::int64_t registers = 128;
  const std::int64_t ranks = c.at("longer_blocks");
  std::int64_t items = 32;
  while (items > ranks && registers_of(items, problem, ranks) > registers) items /= 2;
  return {ranks, threads, items, ranks};
}
bool has_longer_tile(const Configuration& c) { return c.at("longer_blocks") != 0; }

std::uint64_t least_long(const Configuration& c, const Problem&) { return tile_of(c).keys() + 1; }
bool has_long(const Configuration& c, const Problem& problem) { return least_long(c, problem) <= problem.n; }
bool has_digits(const Configuration& c, const Problem& problem) {
  return has_long(c, problem) && !has_longer_tile(c);
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return tile_of(c).bytes(problem);
}

Configuration with_long(Configuration c, const Problem& problem, const DeviceInfo& device) {
  long_segments::set_defaults(c, problem, device, least_long);
  return c;
}

class DirectSegmentsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "direct_segments"; }
  std::string_view description() const noexcept override {
    return "a few segments of different lengths, a block or a cluster for each, in one launch; longer ones "
           "in "
           "larger clusters, or digit by digit";
  }
  std::vector<std::string_view> kernel_headers() const override {
    std::vector<std::string_view> headers = long_segments::kernel_headers();
    headers.insert(headers.begin(), {keys_kernel.header, pairs_kernel.header});
    return headers;
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() == ShapeKind::segments && device.warp_size == 32 &&
           (carries_one_thing(problem) || problem.operation == Operation::sort) && problem.n <= most_keys &&
           problem.rows <= most_segments;
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace DirectSegmentsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"cluster_size", {1, 2, 4, 8}, "blocks of a segment"},
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads of such a block"},
      {"block_items", {4, 8, 16, 32}, "keys of a thread, at most"},
      {"least_items",
       {4, 8, 16, 32},
       "keys of a thread, at least: there is a tile for each power of two between"},
      {"longer_blocks",
       {0, 8, 16},
       "longer segments: blocks of a cluster that sorts one; 0: they are sorted digit by digit"},
      {"shuffle_steps", {1, 2, 3, 5}, "most steps on lane bits that go by shuffles"},
      compared_as_double(),
      {"imad_quarters",
       {0, 1, 2, 3},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"dependent_launch", {0, 1}, "whether launches may begin while the one before them ends"},
  };
  space.restrictions = {
      block_fits_device(),
      cluster_fits_device(),
      {"least_items is at most block_items, and a thread has a key for each block of the cluster",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("least_items") <= c.at("block_items") && c.at("cluster_size") <= c.at("least_items");
       },
       {"least_items", "block_items", "cluster_size"}},
      {"compare_as_double is 1 for keys of 32 bits with values or indices alone",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("compare_as_double") == 0 || (carries(p) && size_of(p.key) == 4);
       },
       {"compare_as_double"}},
      {"no cluster holds twice as many keys as there are in all, unless it is the smallest",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return tile_of(c).keys() <= std::max<std::uint64_t>(256, 2 * std::bit_ceil(p.n));
       },
       {"cluster_size", "block_size_x", "block_items"}},
      {"the registers of block_items items for block_size_x threads, and the shared memory of a tile, fit a "
       "block's, and places in a tile of narrow keys have 16 bits",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return tile_of(c).fits(p, d) && tile_of(c).has_places(p);
       },
       {"cluster_size", "block_size_x", "block_items"}},
      {"longer_blocks is 0 where no segment is longer than cluster_size blocks hold; else these clusters "
       "hold all "
       "keys of the class",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         if (!has_longer_tile(c)) return true;
         const Tile tile = longer_tile(c, p);
         return has_long(c, p) && tile.keys() >= prepared_as(p).n && tile.fits(p, d) && tile.has_places(p) &&
                tile.threads <= d.max_threads_per_block && tile.ranks <= d.largest_cluster_size();
       },
       {"cluster_size", "block_size_x", "block_items", "longer_blocks"}},
      dependent_launch_fits_device(),
      {"what is longer than clusters hold can be sorted digit by digit",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         if (!has_digits(c, p)) return true;
         SearchSpace of_long;
         long_segments::add_to(of_long, least_long);
         const Configuration whole = with_long(c, p, d);
         return std::all_of(of_long.restrictions.begin(), of_long.restrictions.end(),
                            [&](const Restriction& r) { return r.holds(whole, p, d); });
       },
       {"cluster_size", "block_size_x", "block_items", "longer_blocks"}},
  };
  return space;
}

/// Twice the mean, as of lengths that are spread evenly, by as many threads as it has work for: of eight
/// small blocks, where these are about two for each multiprocessor. (With four, one block each was faster on
/// an H200.) Where there are more segments than multiprocessors, blocks leave room for each other. Of longer
/// segments large clusters sort what small ones do not hold; a block holds less, and the shortest of what it
/// does not would take as long as the longest.
Configuration DirectSegmentsVariant::default_configuration(const Problem& problem,
                                                           const DeviceInfo& device) const {
  const std::uint64_t wanted = std::bit_ceil(std::min(
      std::max<std::uint64_t>(problem.n, 1), 2 * std::max<std::uint64_t>(mean_length(problem), 128)));
  const std::uint64_t beside = parts_of(problem.rows, static_cast<std::uint64_t>(device.sm_count));
  const bool are_few = 4 * problem.rows <= static_cast<std::uint64_t>(device.sm_count);
  const std::int64_t ranks = wanted >= 4096 && are_few && device.max_cluster_size >= 8 ? 8 : 1;
  const std::int64_t most_items = ranks > 1 || registers_of(16, problem) <= 64 ? 16 : 8;
  const std::int64_t most_threads = std::bit_floor(as_count(std::min<std::int64_t>(
      {device.max_threads_per_block, device.registers_per_block / registers_of(most_items, problem),
       device.max_threads_per_sm / 2 / static_cast<std::int64_t>(std::min<std::uint64_t>(beside, 8))})));
  const auto of_block = static_cast<std::int64_t>(wanted) / ranks;
  std::int64_t threads = std::clamp<std::int64_t>(of_block / (ranks > 1 ? most_items : 4), 64,
                                                  std::max<std::int64_t>(64, most_threads));
  std::int64_t items = ranks > 1 ? 8 : 4;
  while (items < most_items && threads * items < of_block) items *= 2;
  Configuration c{std::string(name()),
                  {{"cluster_size", ranks},
                   {"block_size_x", threads},
                   {"block_items", items},
                   {"least_items", ranks > 1 ? 8 : std::max<std::int64_t>(4, items / 4)},
                   {"longer_blocks", 0},
                   {"shuffle_steps", 2},
                   {"compare_as_double", carries(problem) ? prefers_doubles(problem.key, device) : 0},
                   {"imad_quarters", 0},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  while (c.at("block_size_x") > 64 && shared_bytes(c, problem) > device.shared_bytes_per_block_optin) {
    c.parameters["block_size_x"] /= 2;
  }
  if (ranks == 1) return c;
  const SearchSpace all = space(problem, device);
  for (const std::int64_t longer : {16, 8}) {
    Configuration with = c;
    with.parameters["longer_blocks"] = longer;
    if (!all.violation(with, problem, device)) c = with;
  }
  return c;
}

Plan DirectSegmentsVariant::plan(const Problem& problem, const Configuration& c,
                                 const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const bool any_long = has_long(c, problem);
  const bool any_digits = has_digits(c, problem);
  const Configuration whole = any_digits ? with_long(c, problem, device) : c;
  const Address counters = builder.workspace(any_long ? 4 * as_count(layout::list_counter_words()) : 0);
  long_segments::List longer{counters, counters, 0};
  if (any_long) longer = long_segments::List::make(builder, counters, problem, least_long(c, problem));
  const std::uint64_t long_tile = any_digits ? as_count(long_segments::tile_keys(whole)) : 1;

  std::string types = codec_arguments(problem.key, problem.order);
  if (carries(problem)) {
    types = fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}", types,
                        placed_form(problem.key, c.at("compare_as_double") != 0), problem.value_bytes,
                        problem.index_bytes, writes_keys(problem));
  }
  const auto arguments_of = [&](const Tile& tile) {
    // Of registers, each quarter of a multiprocessor has its own: blocks of two warps fill them by twos.
    const std::int64_t together = std::max<std::int64_t>(1, 128 / tile.threads);
    const std::int64_t of_block = tile.threads * registers_of(tile.items, problem, tile.ranks);
    const std::int64_t resident =
        std::clamp<std::int64_t>(device.registers_per_sm / of_block / together * together, 1,
                                 std::max<std::int64_t>(1, device.max_threads_per_sm / tile.threads));
    return fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", types, tile.threads, tile.items, tile.least,
                       c.at("shuffle_steps"), c.at("imad_quarters"), tile.ranks, resident);
  };
  const auto shape_of = [&](const Tile& tile, std::uint64_t clusters) {
    return LaunchShape{.blocks = clusters * as_count(tile.ranks),
                       .threads = static_cast<std::uint32_t>(tile.threads),
                       .shared_bytes = as_count(tile.bytes(problem)),
                       .cluster = static_cast<std::uint32_t>(tile.ranks)};
  };
  const Tile tile = tile_of(c);
  const std::string arguments = arguments_of(tile);
  const LaunchShape shape = shape_of(tile, problem.rows + (any_long ? 1 : 0));
  const CallSegments count{problem.rows};
  const CallKeys keys{problem.n};
  if (carries(problem)) {
    builder.launch(pairs_kernel, arguments, shape, keys_address(), input_address(),
                   address_of(Role::values_out), address_of(Role::values_in), address_of(Role::indices_out),
                   address_of(Role::offsets), OperandStride{Role::offsets}, address_of(Role::ends), count,
                   keys, problem.rows, counters, longer.listed, long_tile);
  } else {
    builder.launch(keys_kernel, arguments, shape, keys_address(), input_address(), address_of(Role::offsets),
                   OperandStride{Role::offsets}, address_of(Role::ends), count, keys, problem.rows, counters,
                   longer.listed, long_tile);
  }
  if (any_digits) {
    long_segments::append(builder, longer, problem, whole, device, true);
  } else if (any_long) {
    const Tile large = longer_tile(c, problem);
    const std::uint64_t at_once = static_cast<std::uint64_t>(device.sm_count) / as_count(large.ranks);
    const LaunchShape clusters = shape_of(
        large, std::clamp<std::uint64_t>(at_once, 1, std::max<std::uint64_t>(longer.most_segments, 1)));
    if (carries(problem)) {
      builder.launch(longer_pairs_kernel, arguments_of(large), clusters, keys_address(), input_address(),
                     address_of(Role::values_out), address_of(Role::values_in), address_of(Role::indices_out),
                     counters, longer.listed);
    } else {
      builder.launch(longer_kernel, arguments_of(large), clusters, keys_address(), input_address(), counters,
                     longer.listed);
    }
  }
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_direct_segments

/// No lists, which take a launch for each class of length: where there are few segments, time goes by how
/// many launches follow each other, and by how long one block takes.
const Variant& direct_segments_variant() {
  static const of_direct_segments::DirectSegmentsVariant variant;
  return variant;
}

}  // namespace bitune
