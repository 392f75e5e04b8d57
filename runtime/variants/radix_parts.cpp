#include "runtime/variants/radix_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "kernels/radix/radix_layout.hpp"
#include "kernels/radix/schedule_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/clear_counts.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune::radix_parts {
namespace {

/// Of any variant: those of leading_digits.
constexpr std::uint64_t most_tickets = layout::schedule_counters();

std::int64_t key_bits(const Problem& problem) { return 8 * static_cast<std::int64_t>(size_of(problem.key)); }

/// Of an item of a tile in a thread's registers: for the key, or its value once the key is in shared memory.
std::int64_t item_bytes(const Problem& problem) {
  return std::max<std::int64_t>({word_bytes(problem.key), carried_bytes(problem), 4});
}

/// How digits are counted: by one block a multiprocessor, with as many copies of the counters as its shared
/// memory has room for. So lanes do not wait for each other.
struct CountShape {
  std::int64_t threads = 0;
  std::int64_t copies = 32;
  std::int64_t bytes = 0;
};

CountShape count_shape(const Configuration& c, const Problem& problem, const DeviceInfo& device) {
  CountShape shape;
  shape.threads =
      std::min<std::int64_t>(1024, std::bit_floor(static_cast<unsigned>(device.max_threads_per_block)));
  const auto bytes = [&] {
    return 4 * layout::count_digits_words(key_bits(problem), c.at("radix_bits"), shape.copies);
  };
  while (shape.copies > 1 && bytes() > device.shared_bytes_per_block_optin) shape.copies /= 2;
  shape.bytes = bytes();
  return shape;
}

Counts counts_in(PlanBuilder& builder, std::uint64_t tickets, std::uint64_t tiles, const Problem& problem,
                 const Configuration& c) {
  const auto values = as_count(digit_values(c));
  const auto passes = as_count(pass_count(c, problem));
  const auto counter = as_count(layout::digit_counter_bytes(problem.n));
  const std::uint64_t look_back = counter * layout::look_back_counters(tiles, values);
  Counts counts{builder.workspace(4 * tickets), builder.workspace(counter * passes * values),
                builder.workspace(2 * look_back)};
  counts.cleared = (counts.look_back.argument.value - counts.tickets.argument.value + look_back) / 4;
  return counts;
}

/// The array that each of some passes reads, and behind these the one that the last pass writes: the output.
///
/// is_written: whether the input may be the memory of the output.
std::vector<Address> arrays_in_turn(PlanBuilder& builder, std::uint64_t passes, std::uint64_t bytes,
                                    Address input, Address output, bool is_written) {
  std::vector<Address> arrays(passes + 1, output);
  arrays[0] = input;
  if (passes < 2) return arrays;
  const Address beside = builder.workspace(bytes);
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    if ((passes - pass) % 2 == 0) arrays[pass + 1] = beside;
  }
  // With an odd number the first pass would write to the output.
  if (passes % 2 == 1 && is_written) arrays[1] = builder.workspace(bytes);
  return arrays;
}

}  // namespace

PassArrays pass_arrays(PlanBuilder& builder, const Problem& problem, std::uint64_t passes) {
  PassArrays arrays;
  if (passes == 1 && writes_keys(problem)) {
    builder.read_while_written(Role::keys_in, problem.n * size_of(problem.key));
    builder.read_while_written(Role::values_in, problem.n * problem.value_bytes);
  }
  arrays.keeps_keys = !writes_keys(problem);
  arrays.values.assign(passes + 1, address_of(Role::values_out));
  if (const std::uint64_t carried = carried_bytes(problem); carried != 0) {
    arrays.makes_indices = problem.value_bytes == 0;
    const Address in = address_of(arrays.makes_indices ? Role::indices_out : Role::values_in);
    const Address out = address_of(arrays.makes_indices ? Role::indices_out : Role::values_out);
    arrays.values = arrays_in_turn(builder, passes, problem.n * carried, in, out, !arrays.makes_indices);
  }
  const std::uint64_t bytes = problem.n * size_of(problem.key);
  if (!arrays.keeps_keys) {
    arrays.keys = arrays_in_turn(builder, passes, bytes, input_address(), keys_address(), true);
  } else {
    // The last pass only reads keys. What it is given to write them to, it leaves as it is.
    arrays.keys = {input_address()};
    if (passes > 1) {
      arrays.keys =
          arrays_in_turn(builder, passes - 1, bytes, input_address(), builder.workspace(bytes), false);
    }
    arrays.keys.push_back(input_address());
  }
  return arrays;
}

std::int64_t tile_size(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

std::int64_t digit_values(const Configuration& c) { return layout::digit_values(c.at("radix_bits")); }

std::int64_t pass_count(const Configuration& c, const Problem& problem) {
  return layout::digit_passes(key_bits(problem), c.at("radix_bits"));
}

std::int64_t pass_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t carried = carried_bytes(problem);
  const bool beside = carried != 0 && c.at("values_beside_keys") != 0;
  return layout::radix_tile_parts(c.at("block_size_x"), c.at("items_per_thread"), c.at("radix_bits"),
                                  layout::pair_slot_bytes(word_bytes(problem.key), carried, beside),
                                  layout::digit_counter_bytes(problem.n))
      .bytes;
}

std::uint64_t tile_count(const Configuration& c, const Problem& problem) {
  return parts_of(problem.n, as_count(tile_size(c)));
}

Counts append_counting(PlanBuilder& builder, const CountKernel& kernel, std::string_view codec,
                       std::uint64_t tickets, std::uint64_t tiles, const Problem& problem,
                       const Configuration& c, const DeviceInfo& device) {
  const auto sms = static_cast<std::uint64_t>(device.sm_count);
  const Counts counts = counts_in(builder, tickets, tiles, problem, c);
  append_clear_counts(builder, clear_digits_kernel, counts.tickets, counts.cleared, 4 * sms);

  const CountShape count = count_shape(c, problem, device);
  const std::uint64_t vector = 16 / size_of(problem.key);
  builder.launch(kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}, {}", codec, count.threads, vector, 4,
                             c.at("radix_bits"), count.copies, layout::digit_counter_bytes(problem.n)),
                 {.blocks = std::min(sms, parts_of(problem.n, vector * as_count(count.threads))),
                  .threads = static_cast<std::uint32_t>(count.threads),
                  .shared_bytes = as_count(count.bytes)},
                 counts.digits, input_address(), problem.n);
  return counts;
}

Parameter values_beside_keys() {
  return {
      "values_beside_keys",
      {0, 1},
      "values of a tile wait in shared memory: where its keys were, once these are written; or beside them, "
      "and both are written at once"};
}

const SearchedValues& values_that_won() {
  static const SearchedValues values{
      .block_size_x = {256, 512}, .radix_bits = {4, 8}, .look_back = {4, 8}, .min_blocks_per_sm = {1, 2, 3}};
  return values;
}

SearchSpace space(std::string_view name, const SearchedValues& values) {
  SearchSpace space;
  space.variant = name;
  space.parameters = {
      {"block_size_x", values.block_size_x, "threads of a block that sorts a tile by a digit"},
      // Odd ones: evenly spaced keys, as places in an array are, would go to one bank of a tile of 2^k keys.
      {"items_per_thread",
       {5, 7, 11, 15, 19, 21, 23, 25, 27, 29, 31},
       "keys of a tile that a thread holds in registers"},
      {"radix_bits", values.radix_bits, "bits of a digit; there is a pass over all keys for each digit"},
      {"loop_unroll_factor_look_back", values.look_back,
       "tiles before its own whose counts a thread asks for at once"},
      {"min_blocks_per_sm", values.min_blocks_per_sm,
       "blocks a multiprocessor that the compiler must leave registers for"},
      {"dependent_launch", {0, 1}, "1: each launch begins while the one before it ends (sm_90 on)"},
  };
  space.restrictions = {
      block_fits_device(),
      {"a tile has at least as many keys as a digit has values, and at most 65536",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return tile_size(c) >= digit_values(c) && tile_size(c) <= layout::most_radix_keys();
       },
       {"block_size_x", "items_per_thread", "radix_bits"}},
      {"the counters of all tiles' digits are fewer than 2^32, which one launch clears",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         PlanBuilder builder;
         return counts_in(builder, most_tickets, tile_count(c, p), p, c).cleared <=
                std::numeric_limits<std::uint32_t>::max();
       },
       {"block_size_x", "items_per_thread", "radix_bits"}},
      {"a thread's items, their ranks and the digits that it counts fit the registers that it has",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t threads = c.at("block_size_x");
         const std::int64_t items = c.at("items_per_thread");
         const bool packed = layout::packs_radix_places(threads, items, c.at("min_blocks_per_sm"),
                                                        c.at("radix_bits"), item_bytes(p));
         const std::int64_t registers =
             layout::radix_registers(threads, items, c.at("radix_bits"), item_bytes(p), packed);
         return registers_fit(c, registers, c.at("min_blocks_per_sm"), d);
       },
       {"block_size_x", "items_per_thread", "min_blocks_per_sm", "radix_bits"}},
      shared_memory_fits_block(pass_bytes),
      {"a block's shared memory holds a counter of each digit",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return count_shape(c, p, d).bytes <= d.shared_bytes_per_block_optin;
       },
       {"radix_bits"}},
      blocks_fit_multiprocessor(pass_bytes),
      dependent_launch_fits_device(),
  };
  return space;
}

void lower_to_device(Configuration& c, const SearchSpace& space, const Problem& problem,
                     const DeviceInfo& device) {
  const auto is_too_much = [&] { return space.violation(c, problem, device).has_value(); };
  while (c.at("min_blocks_per_sm") > 1 && is_too_much()) --c.parameters["min_blocks_per_sm"];
  for (const char* name : {"block_size_x", "items_per_thread"}) {
    const auto parameter = std::find_if(space.parameters.begin(), space.parameters.end(),
                                        [&](const Parameter& other) { return other.name == name; });
    for (auto less = parameter->values.rbegin(); less != parameter->values.rend() && is_too_much(); ++less) {
      c.parameters[name] = std::min(*less, c.at(name));
    }
  }
}

}  // namespace bitune::radix_parts
