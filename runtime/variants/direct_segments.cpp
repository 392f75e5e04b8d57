// The variant `direct_segments`: a few segments, a block for each.

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

/// One block reads the offsets of all, to list what no block holds.
constexpr std::uint64_t most_segments = 4096;
/// Tiles of long segments are counted in 32 bits.
constexpr std::uint64_t most_keys = std::uint64_t{1} << 32;

bool carries(const Problem& problem) { return carried_bytes(problem) != 0; }

std::int64_t item_bytes(const Problem& problem) {
  return carries(problem) ? placed_item_bytes(problem.key) : word_bytes(problem.key);
}

/// Registers of a thread, by what compilers for sm_75 to sm_90 were seen to take. More than 8 keys of 64 bits
/// take as many again.
std::int64_t registers_of(std::int64_t items, const Problem& problem) {
  const bool is_wide = word_bytes(problem.key) == 8;
  if (!carries(problem)) {
    return items * (is_wide ? items > 8 ? 4 : 2 : 1) + (is_wide || items > 16 ? 48 : 40);
  }
  return items * (2 * placed_item_registers(problem.key) + (problem.value_bytes + 3) / 4) + 40;
}

/// The longest segment that a block holds.
std::int64_t longest_of(const Configuration& c) { return c.at("block_size_x") * c.at("block_items"); }
std::uint64_t least_long(const Configuration& c, const Problem&) { return as_count(longest_of(c)) + 1; }
bool has_long(const Configuration& c, const Problem& problem) { return least_long(c, problem) <= problem.n; }

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  return layout::padded_bytes(static_cast<layout::Size>(longest_of(c)), item_bytes(problem));
}

Configuration with_long(Configuration c, const Problem& problem, const DeviceInfo& device) {
  long_segments::set_defaults(c, problem, device, least_long);
  return c;
}

class DirectSegmentsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "direct_segments"; }
  std::string_view description() const noexcept override {
    return "a few segments of different lengths, a block for each, in one launch; what no block holds digit "
           "by "
           "digit";
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
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads of a segment's block"},
      {"block_items",
       {4, 8, 16, 32},
       "keys of a thread, at most: what no block holds is sorted digit by digit"},
      {"least_items",
       {4, 8, 16, 32},
       "keys of a thread, at least: there is a tile for each power of two between"},
      {"shuffle_steps", {1, 2, 3, 5}, "most steps on lane bits that go by shuffles"},
      {"compare_as_double",
       {0, 1},
       "whether a key of 32 bits and its place are compared as floating-point numbers"},
      {"imad_quarters",
       {0, 1, 2, 3},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"dependent_launch", {0, 1}, "whether launches may begin while the one before them ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"least_items is at most block_items",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("least_items") <= c.at("block_items");
       },
       {"least_items", "block_items"}},
      {"compare_as_double is 1 for keys of 32 bits with values or indices alone",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("compare_as_double") == 0 || (carries(p) && size_of(p.key) == 4);
       },
       {"compare_as_double"}},
      {"no block holds twice as many keys as there are in all, unless it is the smallest",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return as_count(longest_of(c)) <= std::max<std::uint64_t>(256, 2 * std::bit_ceil(p.n));
       },
       {"block_size_x", "block_items"}},
      {"the registers of block_items items for block_size_x threads fit a block's",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return c.at("block_size_x") * registers_of(c.at("block_items"), p) <= d.registers_per_block;
       },
       {"block_size_x", "block_items"}},
      shared_memory_fits_block(shared_bytes),
      dependent_launch_fits_device(),
      {"what is longer than a block holds can be sorted digit by digit",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         if (!has_long(c, p)) return true;
         SearchSpace of_long;
         long_segments::add_to(of_long, least_long);
         const Configuration whole = with_long(c, p, d);
         return std::all_of(of_long.restrictions.begin(), of_long.restrictions.end(),
                            [&](const Restriction& r) { return r.holds(whole, p, d); });
       },
       {"block_size_x", "block_items"}},
  };
  return space;
}

/// Twice the mean, as of lengths that are spread evenly, by as many threads as it has work for. Where there
/// are more segments than multiprocessors, blocks leave room for each other.
Configuration DirectSegmentsVariant::default_configuration(const Problem& problem,
                                                           const DeviceInfo& device) const {
  const std::uint64_t wanted = std::bit_ceil(std::min(
      std::max<std::uint64_t>(problem.n, 1), 2 * std::max<std::uint64_t>(mean_length(problem), 128)));
  const std::int64_t most_items = registers_of(16, problem) <= 64 ? 16 : 8;
  const std::uint64_t beside = parts_of(problem.rows, static_cast<std::uint64_t>(device.sm_count));
  const std::int64_t most_threads = std::bit_floor(as_count(std::min<std::int64_t>(
      {device.max_threads_per_block, device.registers_per_block / registers_of(most_items, problem),
       device.max_threads_per_sm / 2 / static_cast<std::int64_t>(std::min<std::uint64_t>(beside, 8))})));
  std::int64_t threads = std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted / 4), 64,
                                                  std::max<std::int64_t>(64, most_threads));
  std::int64_t items = 4;
  while (items < most_items && as_count(threads * items) < wanted) items *= 2;
  Configuration c{std::string(name()),
                  {{"block_size_x", threads},
                   {"block_items", items},
                   {"least_items", std::max<std::int64_t>(4, items / 4)},
                   {"shuffle_steps", 2},
                   {"compare_as_double", carries(problem) ? prefers_doubles(problem.key, device) : 0},
                   {"imad_quarters", 0},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  while (c.at("block_size_x") > 64 && shared_bytes(c, problem) > device.shared_bytes_per_block_optin) {
    c.parameters["block_size_x"] /= 2;
  }
  return c;
}

Plan DirectSegmentsVariant::plan(const Problem& problem, const Configuration& c,
                                 const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const bool any_long = has_long(c, problem);
  const Configuration whole = any_long ? with_long(c, problem, device) : c;
  const Address counters = builder.workspace(any_long ? 4 * as_count(layout::list_counter_words()) : 0);
  long_segments::List longer{counters, counters, 0};
  if (any_long) longer = long_segments::List::make(builder, counters, problem, least_long(c, problem));
  const std::uint64_t long_tile = any_long ? as_count(long_segments::tile_keys(whole)) : 1;

  const std::int64_t threads = c.at("block_size_x");
  // Of registers, each quarter of a multiprocessor has its own: blocks of two warps fill them by twos.
  const std::int64_t together = std::max<std::int64_t>(1, 128 / threads);
  const std::int64_t resident = std::clamp<std::int64_t>(
      device.registers_per_sm / (threads * registers_of(c.at("block_items"), problem)) / together * together,
      1, std::max<std::int64_t>(1, device.max_threads_per_sm / threads));
  std::string types = codec_arguments(problem.key, problem.order);
  if (carries(problem)) {
    types = fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}", types,
                        placed_form(problem.key, c.at("compare_as_double") != 0), problem.value_bytes,
                        problem.index_bytes, writes_keys(problem));
  }
  const std::string arguments =
      fmt::format("{}, {}, {}, {}, {}, {}, {}", types, threads, c.at("block_items"), c.at("least_items"),
                  c.at("shuffle_steps"), c.at("imad_quarters"), resident);
  const LaunchShape shape{.blocks = problem.rows + (any_long ? 1 : 0),
                          .threads = static_cast<std::uint32_t>(threads),
                          .shared_bytes = as_count(shared_bytes(c, problem))};
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
  if (any_long) long_segments::append(builder, longer, problem, whole, device, true);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_direct_segments

/// No lists, which take a launch for each class of length: where there are few segments, time goes by how
/// many launches follow each other.
const Variant& direct_segments_variant() {
  static const of_direct_segments::DirectSegmentsVariant variant;
  return variant;
}

}  // namespace bitune
