#include "runtime/variants/long_segments.hpp"

#include <fmt/format.h>

#include <algorithm>
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

constexpr Kernel<Address, Address, Address, Address, Address, Address, Address, Address, Address, Address,
                 Address, U32>
    keys_kernel{"kernels/segments/long_sort.cuh", "sort_long_keys"};
constexpr Kernel<Address, Address, Address, Address, Address, Address, Address, Address, Address, Address,
                 Address, Address, Address, Address, Address, U32>
    pairs_kernel{"kernels/segments/long_pairs_sort.cuh", "sort_long_pairs"};

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

/// How many tiles a look-back asks for at once. It made no difference, so no search varies it: what fits four
/// registers.
std::int64_t look_back_loads(const Problem& problem) { return 16 / counter_bytes(problem); }

layout::RadixTileParts tile_parts(const Configuration& c, const Problem& problem) {
  return layout::radix_tile_parts(c.at("long_block_size"), c.at("long_items"), c.at("long_radix_bits"),
                                  slot_bytes(problem), counter_bytes(problem));
}

/// Of counters of one copy, of the digits of so many passes.
std::int64_t counters_bytes(std::int64_t turns, const Configuration& c) {
  return 4 * turns * digit_values(c);
}

/// Copies of each counter: more than long_count_copies where the tile's memory has room for them.
std::int64_t copies_of_each(std::int64_t turns, const Configuration& c, const Problem& problem) {
  const std::int64_t tile = tile_parts(c, problem).bytes;
  std::int64_t copies = c.at("long_count_copies");
  while (copies < 32 && 2 * copies * counters_bytes(turns, c) <= tile) copies *= 2;
  return copies;
}

/// Shared memory of a block that counts the digits of so many passes at once, and sorts by them.
layout::LongBlockParts block_parts(std::int64_t turns, const Configuration& c, const Problem& problem) {
  return layout::long_block_parts(tile_parts(c, problem),
                                  copies_of_each(turns, c, problem) * counters_bytes(turns, c));
}

/// Where all digits are.
layout::LongBlockParts all_parts(const Configuration& c, const Problem& problem) {
  return block_parts(pass_count(c, problem), c, problem);
}

/// Registers of a thread: in a pass its items, or what travels with them, and their ranks; and what it
/// counts, two times 64 bytes.
std::int64_t thread_registers(const Configuration& c, const Problem& problem) {
  constexpr std::int64_t counting = 48;
  const std::int64_t item =
      std::max<std::int64_t>({word_bytes(problem.key), carried_bytes(problem), 4}) / 4 + 1;
  const std::int64_t digits = digit_values(c) / c.at("long_block_size");
  return std::max(counting, c.at("long_items") * item + 24 + (digits > 1 ? 9 * digits : 0));
}

/// What blocks tell each other: with tables for all tiles that there may be.
struct Tables {
  std::uint64_t tiles = 0;
  std::uint64_t tile_bytes = 0;
  std::uint64_t digit_bytes = 0;  ///< counters of all digits of each turn, of each segment
  std::uint64_t state_bytes = 0;  ///< what tiles tell each other, twice

  [[nodiscard]] std::uint64_t bytes() const { return tile_bytes + digit_bytes + state_bytes; }
};

Tables tables(std::uint64_t most_segments, std::uint64_t turns, const Configuration& c,
              const Problem& problem) {
  const auto counters = as_count(digit_values(c) * counter_bytes(problem));
  Tables all;
  all.tiles = layout::most_tiles(most_segments, problem.n, as_count(tile_keys(c)));
  all.tile_bytes = all.tiles * as_count(layout::long_tile_bytes());
  all.digit_bytes = most_segments * turns * counters;
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

}  // namespace

std::vector<std::string_view> kernel_headers() { return {keys_kernel.header, pairs_kernel.header}; }

std::int64_t tile_keys(const Configuration& c) { return c.at("long_block_size") * c.at("long_items"); }

std::uint64_t buckets_of_each(const Configuration& c) { return as_count(digit_values(c)); }

List List::make(PlanBuilder& builder, Address counters, const Problem& problem, std::uint64_t least) {
  const std::uint64_t most = most_listed(least, problem);
  return {counters, builder.workspace(most * as_count(layout::long_segment_bytes())), most};
}

namespace {

/// What the one launch over a list of segments does: turn i sorts by the digit of pass first_pass + i, from
/// the arrays at i to those at i + 1.
struct Turns {
  std::uint64_t first_pass = 0;
  radix_parts::PassArrays arrays;
  const Buckets* buckets = nullptr;  ///< whose bounds are written
  bool allows_next_early = true;
};

void append_turns(PlanBuilder& builder, const List& list, const Turns& turns, const Problem& problem,
                  const Configuration& c, const DeviceInfo& device) {
  const radix_parts::PassArrays& arrays = turns.arrays;
  const std::uint64_t count = arrays.passes();
  const Tables sizes = tables(list.most_segments, count, c, problem);
  const Address tiles = builder.workspace(sizes.tile_bytes);
  const Address digits = builder.workspace(sizes.digit_bytes);
  const Address states = builder.workspace(sizes.state_bytes);
  const auto most_blocks = static_cast<std::uint64_t>(device.sm_count) * as_count(c.at("long_min_blocks"));
  const LaunchShape launch{
      .blocks = std::min(most_blocks, sizes.tiles),
      .threads = static_cast<std::uint32_t>(c.at("long_block_size")),
      .shared_bytes = as_count(block_parts(static_cast<std::int64_t>(count), c, problem).bytes),
      .allows_next_early = turns.allows_next_early};
  const std::string codec = codec_arguments(problem.key, problem.order);
  const std::string shape = fmt::format(
      "{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}", turns.buckets != nullptr, c.at("long_block_size"),
      c.at("long_items"), c.at("long_radix_bits"), look_back_loads(problem), turns.first_pass, count,
      copies_of_each(static_cast<std::int64_t>(count), c, problem), counter_bytes(problem),
      c.at("long_min_blocks"), turns.allows_next_early);
  // Where nobody makes buckets, their bounds are not looked at.
  const Address begins = turns.buckets != nullptr ? turns.buckets->begins : input_address();
  const Address ends = turns.buckets != nullptr ? turns.buckets->ends : input_address();
  // From the third turn on each writes what the one before the last wrote.
  const auto written = [&](const std::vector<Address>& all, std::uint64_t turn) {
    return all[std::min(turn + 1, count)];
  };
  if (carries(problem)) {
    builder.launch(pairs_kernel,
                   fmt::format("{}, {}, bitune::ValueSource::{}, {}, {}", codec, carried_bytes(problem),
                               arrays.value_source(0), arrays.writes_keys(count - 1), shape),
                   launch, written(arrays.keys, 0), written(arrays.keys, 1), written(arrays.keys, 2),
                   arrays.keys[0], written(arrays.values, 0), written(arrays.values, 1),
                   written(arrays.values, 2), arrays.values[0], begins, ends, tiles, list.listed,
                   list.counters, digits, states, sizes.tiles);
  } else {
    builder.launch(keys_kernel, fmt::format("{}, {}", codec, shape), launch, written(arrays.keys, 0),
                   written(arrays.keys, 1), written(arrays.keys, 2), arrays.keys[0], begins, ends, tiles,
                   list.listed, list.counters, digits, states, sizes.tiles);
  }
}

}  // namespace

Buckets append_buckets(PlanBuilder& builder, const List& list, const Problem& problem, const Configuration& c,
                       const DeviceInfo& device) {
  Buckets buckets;
  const std::uint64_t count = list.most_segments * buckets_of_each(c);
  buckets.begins = builder.workspace(8 * count);
  buckets.ends = builder.workspace(8 * count);
  buckets.items.keys = builder.workspace(problem.n * size_of(problem.key));
  buckets.items.values = builder.workspace(problem.n * carried_bytes(problem));
  append_turns(builder, list,
               {.first_pass = as_count(pass_count(c, problem)) - 1,
                .arrays = {.keys = {input_address(), buckets.items.keys},
                           .values = {address_of(Role::values_in), buckets.items.values}},
                .buckets = &buckets},
               problem, c, device);
  return buckets;
}

void append_in_bucket(PlanBuilder& builder, const List& list, const Items& buckets, const Problem& problem,
                      const Configuration& c, const DeviceInfo& device) {
  Turns turns;
  // An odd number: the last one writes the output.
  for (std::int64_t i = 0; i < pass_count(c, problem); ++i) {
    turns.arrays.keys.push_back(i % 2 == 0 ? buckets.keys : keys_address());
    turns.arrays.values.push_back(i % 2 == 0 ? buckets.values : address_of(Role::values_out));
  }
  append_turns(builder, list, turns, problem, c, device);
}

bool can_make_buckets(const Problem& problem, const Configuration& c, LeastOf least) {
  return problem.index_bytes == 0 && writes_keys(problem) && pass_count(c, problem) % 2 == 0 &&
         as_count(tile_keys(c)) < least(c, problem);
}

void append(PlanBuilder& builder, const List& list, const Problem& problem, const Configuration& c,
            const DeviceInfo& device, bool ends_plan) {
  append_turns(builder, list,
               {.arrays = radix_parts::pass_arrays(builder, problem, as_count(pass_count(c, problem))),
                .allows_next_early = !ends_plan},
               problem, c, device);
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
  restrict("a block that sorts a tile has at most the threads that the device allows",
           [](const Configuration& c, const Problem&, const DeviceInfo& d) {
             return c.at("long_block_size") <= d.max_threads_per_block;
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
        return registers_fit(c.at("long_block_size"), thread_registers(c, p), c.at("long_min_blocks"), d);
      },
      {});
  restrict(
      "a tile of a long segment, and the counters of all digits, fit the shared memory that the device "
      "allows a block",
      [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
        return all_parts(c, p).bytes <= d.shared_bytes_per_block_optin;
      },
      {});
  restrict("long_min_blocks blocks fit a multiprocessor's threads and shared memory",
           [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
             return fit_multiprocessor(c.at("long_min_blocks"), c.at("long_block_size"),
                                       all_parts(c, p).bytes, d);
           },
           {});
  restrict("the tables of long segments take at most 64 MB, or eight times the memory of what is sorted",
           [least](const Configuration& c, const Problem& p, const DeviceInfo&) {
             const std::uint64_t item = size_of(p.key) + carried_bytes(p);
             return tables(most_listed(least(c, p), p), as_count(pass_count(c, p)), c, p).bytes() <=
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
  // Not more copies than a tile's memory has room for, rather than fewer blocks.
  const auto counters = [&] { return c.at("long_count_copies") * counters_bytes(pass_count(c, problem), c); };
  while (c.at("long_count_copies") > 4 && counters() > tile_parts(c, problem).bytes && is_too_much()) {
    c.parameters["long_count_copies"] /= 2;
  }
  while (c.at("long_min_blocks") > 1 && is_too_much()) --c.parameters["long_min_blocks"];
  while (c.at("long_count_copies") > 4 && is_too_much()) c.parameters["long_count_copies"] /= 2;
  while (c.at("long_block_size") > 128 && is_too_much()) c.parameters["long_block_size"] /= 2;
  if (is_too_much()) c.parameters["long_radix_bits"] = 4;
}

}  // namespace bitune::long_segments
