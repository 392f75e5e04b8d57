#include "runtime/variants/long_segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/segments/long_layout.hpp"
#include "kernels/segments/segments_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/radix_parts.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune::long_segments {
namespace {

constexpr Kernel<Address, Address, Address, Address, Address, Address> map_kernel{
    .header = "kernels/segments/long_tiles.cuh", .name = "map_long_tiles", .allows_next_early = true};
constexpr Kernel<Address, Address, Address, Address> count_kernel{
    .header = "kernels/segments/long_count.cuh", .name = "count_long_digits", .allows_next_early = true};
constexpr Kernel<Address, Address, U32, Address, Address, Address, Address, Address, U32> keys_kernel{
    "kernels/segments/long_pass.cuh", "long_radix_pass"};
constexpr Kernel<Address, Address, Address, Address, U32, Address, Address, Address, Address, Address, U32>
    pairs_kernel{"kernels/segments/long_pairs_pass.cuh", "long_radix_pairs_pass"};

constexpr Kernel<Address, Address, Address, Address, Address> bounds_kernel{
    .header = "kernels/segments/bucket_bounds.cuh", .name = "bound_buckets", .allows_next_early = true};

/// What no search varies: votes on the multiplier's pipe won for all arrays, and how many tiles a look-back
/// asks for made no difference.
constexpr int look_back_loads = 4;

bool carries(const Problem& problem) { return carried_bytes(problem) != 0; }

std::int64_t key_bits(const Problem& problem) { return 8 * static_cast<std::int64_t>(size_of(problem.key)); }

std::int64_t digit_values(const Configuration& c) { return layout::digit_values(c.at("long_radix_bits")); }

std::int64_t pass_count(const Configuration& c, const Problem& problem) {
  return layout::digit_passes(key_bits(problem), c.at("long_radix_bits"));
}

std::int64_t slot_bytes(const Problem& problem) {
  return layout::pair_slot_bytes(word_bytes(problem.key), carried_bytes(problem), false);
}

std::int64_t counter_bytes(const Problem& problem) { return layout::digit_counter_bytes(problem.n); }

std::int64_t pass_bytes(const Configuration& c, const Problem& problem) {
  const layout::RadixTileParts parts =
      layout::radix_tile_parts(c.at("long_block_size"), c.at("long_items"), c.at("long_radix_bits"),
                               slot_bytes(problem), counter_bytes(problem));
  return layout::tile_at_work_begin(parts) + layout::tile_at_work_bytes();
}

/// Registers of a thread of a pass: its items, or what travels with them, and their ranks.
std::int64_t pass_registers(const Configuration& c, const Problem& problem) {
  const std::int64_t item =
      std::max<std::int64_t>({word_bytes(problem.key), carried_bytes(problem), 4}) / 4 + 1;
  const std::int64_t digits = digit_values(c) / c.at("long_block_size");
  return c.at("long_items") * item + 24 + (digits > 1 ? 9 * digits : 0);
}

std::int64_t count_bytes(const Configuration& c, const Problem& problem) {
  return 4 *
         layout::count_digits_words(key_bits(problem), c.at("long_radix_bits"), c.at("long_count_copies"));
}

/// What the launches tell each other: with tables for all tiles that there may be.
struct Tables {
  std::uint64_t tiles = 0;
  std::uint64_t tile_bytes = 0;
  std::uint64_t ticket_bytes = 0;
  std::uint64_t digit_bytes = 0;  ///< counters of all digits of all passes, of each segment
  std::uint64_t state_bytes = 0;  ///< what tiles tell each other, twice

  [[nodiscard]] std::uint64_t bytes() const { return tile_bytes + ticket_bytes + digit_bytes + state_bytes; }
};

Tables tables(std::uint64_t most_segments, const Configuration& c, const Problem& problem) {
  const auto passes = as_count(pass_count(c, problem));
  const auto counters = as_count(digit_values(c) * counter_bytes(problem));
  Tables all;
  all.tiles = layout::most_tiles(most_segments, problem.n, as_count(tile_keys(c)));
  all.tile_bytes = all.tiles * as_count(layout::long_tile_bytes());
  all.ticket_bytes = 4 * passes;
  all.digit_bytes = most_segments * passes * counters;
  all.state_bytes = 2 * all.tiles * counters;
  return all;
}

/// Whether any segment may be long.
bool has_long(const Configuration& c, const Problem& problem, LeastOf least) {
  return least(c, problem) <= problem.n;
}

std::uint64_t most_listed(std::uint64_t least, const Problem& problem) {
  return layout::most_segments(problem.rows, problem.n, least);
}

/// Blocks of the counting kernel on a multiprocessor: what its registers and its shared memory hold.
std::uint64_t resident_counting(const Configuration& c, const Problem& problem, const DeviceInfo& device) {
  constexpr std::int64_t registers = 64;
  return as_count(resident_blocks(layout::long_count_threads(c.at("long_count_copies")), registers,
                                  count_bytes(c, problem), device));
}

}  // namespace

std::vector<std::string_view> kernel_headers(bool with_buckets) {
  std::vector<std::string_view> headers = {map_kernel.header, count_kernel.header, keys_kernel.header,
                                           pairs_kernel.header};
  if (with_buckets) headers.push_back(bounds_kernel.header);
  return headers;
}

std::int64_t tile_keys(const Configuration& c) { return c.at("long_block_size") * c.at("long_items"); }

std::uint64_t buckets_of_each(const Configuration& c) { return as_count(digit_values(c)); }

List List::make(PlanBuilder& builder, Address counters, const Problem& problem, std::uint64_t least) {
  const std::uint64_t most = most_listed(least, problem);
  return {counters, builder.workspace(most * as_count(layout::long_segment_bytes())), most};
}

namespace {

/// The tables that the launches over a list of segments share.
struct Shared {
  Tables sizes;
  Address tiles;
  Address tickets;
  Address digits;
  Address states;  ///< for even passes, and behind that as much for odd ones
};

/// Appends a table of the listed segments' tiles, and the counting of their keys' digits. first_pass: the one
/// that comes next.
Shared append_counting(PlanBuilder& builder, const List& list, Address keys, std::uint64_t first_pass,
                       const Problem& problem, const Configuration& c, const DeviceInfo& device) {
  const auto sms = static_cast<std::uint64_t>(device.sm_count);
  const Tables sizes = tables(list.most_segments, c, problem);
  const Shared shared{sizes, builder.workspace(sizes.tile_bytes), builder.workspace(sizes.ticket_bytes),
                      builder.workspace(sizes.digit_bytes), builder.workspace(sizes.state_bytes)};
  Address first_states = shared.states;
  if (first_pass % 2 == 1) first_states.argument.value += sizes.state_bytes / 2;

  constexpr std::uint32_t map_threads = 256;
  builder.launch(
      map_kernel,
      fmt::format("{}, {}, {}, {}, {}", map_threads, pass_count(c, problem), c.at("long_radix_bits"),
                  tile_keys(c), counter_bytes(problem)),
      {.blocks = std::min(8 * sms, parts_of(sizes.tiles, map_threads / 32)), .threads = map_threads},
      shared.tiles, list.listed, list.counters, shared.tickets, shared.digits, first_states);
  builder.launch(
      count_kernel,
      fmt::format("{}, {}, {}, {}, {}, {}, {}",
                  carries(problem) ? tie_codec_arguments(problem.key, problem.order)
                                   : codec_arguments(problem.key, problem.order),
                  16 / size_of(problem.key), 4, c.at("long_radix_bits"), c.at("long_count_copies"),
                  tile_keys(c), counter_bytes(problem)),
      {.blocks = std::min(sms * resident_counting(c, problem, device), sizes.tiles),
       .threads = static_cast<std::uint32_t>(layout::long_count_threads(c.at("long_count_copies"))),
       .shared_bytes = as_count(count_bytes(c, problem))},
      shared.digits, keys, shared.tiles, list.counters);
  return shared;
}

/// One pass over the listed segments.
struct Pass {
  std::uint64_t number = 0;
  Items from;
  Items to;
  std::string_view value_source = "memory";
  bool writes_keys = true;
  bool allows_next_early = true;
};

void append_pass(PlanBuilder& builder, const List& list, const Shared& shared, const Pass& pass,
                 const Problem& problem, const Configuration& c, const DeviceInfo& device) {
  const std::string codec = codec_arguments(problem.key, problem.order);
  const std::string shape =
      fmt::format("{}, {}, {}, {}, {}, {}", c.at("long_block_size"), c.at("long_items"),
                  c.at("long_radix_bits"), look_back_loads, counter_bytes(problem), c.at("long_min_blocks"));
  const auto most_blocks = static_cast<std::uint64_t>(device.sm_count) * as_count(c.at("long_min_blocks"));
  const LaunchShape launch{.blocks = std::min(most_blocks, shared.sizes.tiles),
                           .threads = static_cast<std::uint32_t>(c.at("long_block_size")),
                           .shared_bytes = as_count(pass_bytes(c, problem)),
                           .allows_next_early = pass.allows_next_early};
  if (carries(problem)) {
    builder.launch(pairs_kernel,
                   fmt::format("{}, {}, bitune::ValueSource::{}, {}, {}, {}", codec, carried_bytes(problem),
                               pass.value_source, pass.writes_keys, shape, pass.allows_next_early),
                   launch, pass.to.keys, pass.from.keys, pass.to.values, pass.from.values, pass.number,
                   shared.tiles, list.counters, shared.tickets, shared.digits, shared.states,
                   shared.sizes.tiles);
  } else {
    builder.launch(keys_kernel, fmt::format("{}, {}, {}", codec, shape, pass.allows_next_early), launch,
                   pass.to.keys, pass.from.keys, pass.number, shared.tiles, list.counters, shared.tickets,
                   shared.digits, shared.states, shared.sizes.tiles);
  }
}

}  // namespace

Buckets append_buckets(PlanBuilder& builder, const List& list, const Problem& problem, const Configuration& c,
                       const DeviceInfo& device) {
  const auto passes = as_count(pass_count(c, problem));
  const Items given{input_address(), address_of(Role::values_in)};
  const Shared shared = append_counting(builder, list, given.keys, passes - 1, problem, c, device);
  Buckets buckets;
  const std::uint64_t count = list.most_segments * buckets_of_each(c);
  buckets.begins = builder.workspace(8 * count);
  buckets.ends = builder.workspace(8 * count);
  buckets.items.keys = builder.workspace(problem.n * size_of(problem.key));
  buckets.items.values = builder.workspace(problem.n * carried_bytes(problem));
  append_pass(builder, list, shared, {.number = passes - 1, .from = given, .to = buckets.items}, problem, c,
              device);
  constexpr std::uint32_t threads = 256;
  builder.launch(
      bounds_kernel,
      fmt::format("{}, {}, {}, {}", threads, passes, c.at("long_radix_bits"), counter_bytes(problem)),
      {.blocks = std::min(8 * static_cast<std::uint64_t>(device.sm_count), list.most_segments),
       .threads = threads,
       .shared_bytes = as_count(digit_values(c) * counter_bytes(problem))},
      buckets.begins, buckets.ends, list.listed, list.counters, shared.digits);
  return buckets;
}

void append_in_bucket(PlanBuilder& builder, const List& list, const Items& buckets, const Problem& problem,
                      const Configuration& c, const DeviceInfo& device) {
  const Shared shared = append_counting(builder, list, buckets.keys, 0, problem, c, device);
  Items from = buckets;
  Items to{keys_address(), address_of(Role::values_out)};
  // An odd number of passes: the last one writes the output.
  for (std::uint64_t pass = 0; pass + 1 < as_count(pass_count(c, problem)); ++pass) {
    append_pass(builder, list, shared, {.number = pass, .from = from, .to = to}, problem, c, device);
    std::swap(from, to);
  }
}

bool can_make_buckets(const Problem& problem, const Configuration& c, LeastOf least) {
  return problem.index_bytes == 0 && writes_keys(problem) && pass_count(c, problem) % 2 == 0 &&
         as_count(tile_keys(c)) < least(c, problem);
}

void append(PlanBuilder& builder, const List& list, const Problem& problem, const Configuration& c,
            const DeviceInfo& device, bool ends_plan) {
  const Shared shared = append_counting(builder, list, input_address(), 0, problem, c, device);
  const radix_parts::PassArrays arrays =
      radix_parts::pass_arrays(builder, problem, as_count(pass_count(c, problem)));
  for (std::uint64_t pass = 0; pass < arrays.passes(); ++pass) {
    append_pass(builder, list, shared,
                {.number = pass,
                 .from = {arrays.keys[pass], arrays.values[pass]},
                 .to = {arrays.keys[pass + 1], arrays.values[pass + 1]},
                 .value_source = arrays.value_source(pass),
                 .writes_keys = arrays.writes_keys(pass),
                 .allows_next_early = !ends_plan || pass + 1 < arrays.passes()},
                problem, c, device);
  }
}

void add_to(SearchSpace& space, LeastOf least) {
  const std::vector<Parameter> parameters = {
      {"long_block_size",
       {128, 256, 512},
       "threads of a block that sorts a tile of a long segment by a digit"},
      // Odd ones, as of all arrays: evenly spaced keys would go to one bank of a tile of 2^k keys.
      {"long_items", {5, 11, 15, 19, 23, 27, 31}, "keys of such a tile that a thread holds"},
      {"long_radix_bits", {4, 6, 7, 8}, "bits of a digit; there is a pass over long segments for each digit"},
      {"long_min_blocks",
       {1, 2, 3, 4},
       "such blocks that are on a multiprocessor at once, which the compiler must leave registers for"},
      {"long_count_copies",
       {4, 8, 16, 32},
       "counters of each digit in a block that counts them: fewer make lanes wait for each other, more must "
       "be added up for each segment"},
  };
  space.parameters.insert(space.parameters.end(), parameters.begin(), parameters.end());

  const auto restrict = [&](std::string text, auto holds, std::vector<std::string> reads) {
    space.restrictions.push_back(
        {std::move(text),
         [holds, least](const Configuration& c, const Problem& p, const DeviceInfo& d) {
           return !has_long(c, p, least) || holds(c, p, d);
         },
         std::move(reads)});
  };
  restrict("a block that sorts a tile, and one that counts, have at most the threads that the device allows",
           [](const Configuration& c, const Problem&, const DeviceInfo& d) {
             return std::max<std::int64_t>(c.at("long_block_size"),
                                           layout::long_count_threads(c.at("long_count_copies"))) <=
                    d.max_threads_per_block;
           },
           {});
  restrict("keys of long segments have at least two digits, unless only indices are written",
           [](const Configuration& c, const Problem& p, const DeviceInfo&) {
             return pass_count(c, p) >= 2 || !writes_keys(p);
           },
           {});
  restrict(
      "a thread's items of a long segment, their ranks and the digits that it counts fit the registers that "
      "it has",
      [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
        return registers_fit(c.at("long_block_size"), pass_registers(c, p), c.at("long_min_blocks"), d);
      },
      {});
  restrict(
      "a tile of a long segment, and the counters of all digits, fit the shared memory that the device "
      "allows a block",
      [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
        return std::max<std::int64_t>(pass_bytes(c, p), count_bytes(c, p)) <= d.shared_bytes_per_block_optin;
      },
      {});
  restrict("long_min_blocks blocks fit a multiprocessor's threads and shared memory",
           [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
             return fit_multiprocessor(c.at("long_min_blocks"), c.at("long_block_size"), pass_bytes(c, p), d);
           },
           {});
  restrict("the tables of long segments take at most 64 MB, or eight times the memory of what is sorted",
           [least](const Configuration& c, const Problem& p, const DeviceInfo&) {
             const std::uint64_t item = size_of(p.key) + carried_bytes(p);
             return tables(most_listed(least(c, p), p), c, p).bytes() <=
                    std::max<std::uint64_t>(std::uint64_t{64} << 20, 8 * item * p.n);
           },
           {});
}

void set_defaults(Configuration& c, const Problem& problem, const DeviceInfo& device, LeastOf least) {
  const std::int64_t item = std::max<std::int64_t>(word_bytes(problem.key), carried_bytes(problem));
  const bool one_pass = size_of(problem.key) == 1 && !writes_keys(problem);
  c.parameters["long_block_size"] = carries(problem) && item == 4 ? 512 : 256;
  c.parameters["long_items"] = item == 16 ? 11 : item == 8 ? 19 : carries(problem) ? 15 : 27;
  c.parameters["long_radix_bits"] = size_of(problem.key) == 1 && !one_pass ? 4 : 8;
  c.parameters["long_min_blocks"] = carries(problem) || item == 8 ? 2 : 3;
  c.parameters["long_count_copies"] = size_of(problem.key) == 8 ? 8 : 16;
  // Tiles that segments fill on average, and at least two for each multiprocessor.
  const std::uint64_t mean = problem.n / std::max<std::uint64_t>(problem.rows, 1);
  const std::uint64_t share = problem.n / (2 * static_cast<std::uint64_t>(device.sm_count));
  const std::uint64_t filled = std::max(least(c, problem), std::min(mean, share));
  const auto is_too_large = [&] { return as_count(tile_keys(c)) > filled; };
  for (const std::int64_t items : {19, 15, 11, 5}) {
    if (is_too_large()) c.parameters["long_items"] = std::min(items, c.at("long_items"));
  }
  while (c.at("long_block_size") > 128 && is_too_large()) c.parameters["long_block_size"] /= 2;

  SearchSpace space;
  add_to(space, least);
  const auto is_too_much = [&] {
    return std::any_of(
        space.restrictions.begin(), space.restrictions.end(),
        [&](const Restriction& restriction) { return !restriction.holds(c, problem, device); });
  };
  while (c.at("long_min_blocks") > 1 && is_too_much()) --c.parameters["long_min_blocks"];
  while (c.at("long_count_copies") > 4 && is_too_much()) c.parameters["long_count_copies"] /= 2;
  while (c.at("long_block_size") > 128 && is_too_much()) c.parameters["long_block_size"] /= 2;
  if (is_too_much()) c.parameters["long_radix_bits"] = 4;
}

}  // namespace bitune::long_segments
