// The variant `radix`: keys are put in the order of one digit after the other, from the lowest on.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/definition.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/network_plan.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_radix {
namespace {

/// Keys of a tile.
std::int64_t tile_size(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

std::int64_t digit_values(const Configuration& c) { return std::int64_t{1} << c.at("radix_bits"); }

std::int64_t pass_count(const Configuration& c, const Problem& problem) {
  return (8 * static_cast<std::int64_t>(size_of(problem.key)) + c.at("radix_bits") - 1) / c.at("radix_bits");
}

/// Of a counter of keys, two bits of which are taken (look_back.cuh).
std::int64_t counter_bytes(const Problem& problem) { return problem.n < std::uint64_t{1} << 30 ? 4 : 8; }

/// See RadixTile (radix_pass.cuh).
std::int64_t pass_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t warps = c.at("block_size_x") / 32;
  return tile_size(c) * word_bytes(problem.key) + digit_values(c) * (counter_bytes(problem) + 2 * warps) +
         4 * (2 * warps + 1);
}

/// How digits are counted: with as many copies of the counters as a block's shared memory has room for, so
/// that lanes do not wait for each other; by one block a multiprocessor.
struct CountShape {
  std::int64_t threads = 0;
  std::int64_t copies = 32;
  std::int64_t bytes = 0;
};

CountShape count_shape(const Configuration& c, const Problem& problem, const DeviceInfo& device) {
  CountShape shape;
  shape.threads =
      std::min<std::int64_t>(1024, std::bit_floor(static_cast<unsigned>(device.max_threads_per_block)));
  const std::int64_t one = 4 * pass_count(c, problem) * digit_values(c);
  while (shape.copies > 1 && one * shape.copies > device.shared_bytes_per_block_optin) shape.copies /= 2;
  shape.bytes = one * shape.copies;
  return shape;
}

bool can_sort(const Problem& problem, const DeviceInfo& device) {
  return sorts_keys_alone(problem) && problem.rows <= 1 && device.warp_size == 32;
}

/// Where reading and writing the keys once for each digit costs less than to sort them by comparisons: each
/// key costs the same then, however many there are.
bool is_best(const Problem& problem, const DeviceInfo&) {
  return problem.n >= std::uint64_t{1} << (size_of(problem.key) == 8 ? 24 : 22);
}

SearchSpace make_space(const Problem&, const DeviceInfo&) {
  SearchSpace space;
  space.parameters = {
      {"block_size_x", {128, 256, 512, 1024}, "threads of a block that sorts a tile by a digit"},
      // Odd ones: evenly spaced keys, as places in an array are, would go to one bank of a tile of 2^k keys.
      {"items_per_thread", {5, 7, 11, 15, 19, 23, 27, 31}, "keys of a tile that a thread holds in registers"},
      {"radix_bits",
       {4, 5, 6, 7, 8, 9, 10, 11},
       "bits of a digit; there is a pass over all keys for each digit"},
      {"imad_votes",
       {0, 1},
       "where the votes that find lanes with equal digits are inverted: by the ALU, or on the multiplier's "
       "pipe"},
      {"loop_unroll_factor_look_back",
       {1, 2, 4, 8},
       "tiles before its own whose counts a thread asks for at once"},
      {"min_blocks_per_sm",
       {1, 2, 3, 4, 6, 8},
       "blocks a multiprocessor that the compiler must leave registers for"},
      {"dependent_launch", {0, 1}, "1: each launch begins while the one before it ends (sm_90 on)"},
  };
  space.restrictions = {
      block_fits_device(),
      {"a key has at least two digits",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) { return pass_count(c, p) >= 2; },
       {"radix_bits"}},
      {"a tile has at least as many keys as a digit has values, and at most 65536",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return tile_size(c) >= digit_values(c) && tile_size(c) <= 65536;
       },
       {"block_size_x", "items_per_thread", "radix_bits"}},
      {"a thread's keys, their ranks and the digits that it counts fit the registers that it has",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t threads = c.at("block_size_x");
         const std::int64_t digits = digit_values(c) / threads;
         const std::int64_t registers =
             c.at("items_per_thread") * (word_bytes(p.key) / 4 + 1) + 20 + (digits > 1 ? 9 * digits : 0);
         return registers <= 255 && threads * registers <= d.registers_per_block &&
                threads * registers * c.at("min_blocks_per_sm") <= d.registers_per_sm;
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

Configuration make_default(const Problem& problem, const DeviceInfo& device) {
  const bool wide = size_of(problem.key) == 8;
  Configuration c{{},
                  {{"block_size_x", 256},
                   {"items_per_thread", 31},
                   {"radix_bits", size_of(problem.key) == 1 ? 4 : 8},
                   {"imad_votes", 1},
                   {"loop_unroll_factor_look_back", 4},
                   {"min_blocks_per_sm", wide ? 2 : 3},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // A device whose multiprocessors have less.
  const auto is_too_much = [&] {
    return make_space(problem, device).violation(c, problem, device).has_value();
  };
  while (c.at("min_blocks_per_sm") > 1 && is_too_much()) --c.parameters["min_blocks_per_sm"];
  while (c.at("block_size_x") > 128 && is_too_much()) c.parameters["block_size_x"] /= 2;
  return c;
}

Plan make_plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) {
  PlanBuilder builder;
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const std::string codec = codec_arguments(problem.key, problem.order);
  const auto values = static_cast<std::uint64_t>(digit_values(c));
  const auto passes = static_cast<std::uint64_t>(pass_count(c, problem));
  const auto counter = static_cast<std::uint64_t>(counter_bytes(problem));
  const std::uint64_t tiles = parts_of(problem.n, static_cast<std::uint64_t>(tile_size(c)));
  const std::uint64_t key_bytes = problem.n * size_of(problem.key);

  // One behind the other, in whole lines: what is cleared is what is in front.
  const Argument tickets = builder.workspace(4 * passes);
  const Argument counts = builder.workspace(counter * passes * values);
  const Argument said = builder.workspace(counter * tiles * values * 2);
  const std::uint64_t cleared = (said.value - tickets.value + counter * tiles * values) / 4;
  const auto sms = static_cast<std::uint64_t>(device.sm_count);
  constexpr std::uint32_t clear_threads = 256;
  builder.launch(
      {"kernels/counting/count_values.cuh", fmt::format("bitune::clear_counts<{}>", clear_threads)},
      std::min(4 * sms, parts_of(cleared, clear_threads)), clear_threads, 0,
      {tickets, u32_argument(cleared)});

  const CountShape count = count_shape(c, problem, device);
  const auto threads = static_cast<std::uint32_t>(count.threads);
  const std::uint64_t vector = 16 / size_of(problem.key);
  builder.launch({"kernels/radix/count_digits.cuh",
                  fmt::format("bitune::count_digits<{}, {}, {}, {}, {}, {}, {}>", codec, threads, vector, 4,
                              c.at("radix_bits"), count.copies, counter)},
                 std::min(sms, parts_of(problem.n, vector * threads)), threads,
                 static_cast<std::uint64_t>(count.bytes),
                 {counts, input_argument(), u64_argument(problem.n)});

  // The last pass writes the keys' memory, and the others turns with what is beside; the first one may not
  // write what it reads.
  const Argument beside = builder.workspace(key_bytes);
  const Argument first = passes % 2 == 0 ? beside : builder.workspace(key_bytes);
  const KernelSource pass_kernel{
      "kernels/radix/radix_pass.cuh",
      fmt::format("bitune::radix_pass<{}, {}, {}, {}, {}, {}, {}, {}>", codec, c.at("block_size_x"),
                  c.at("items_per_thread"), c.at("radix_bits"), c.at("imad_votes"),
                  c.at("loop_unroll_factor_look_back"), counter, c.at("min_blocks_per_sm"))};
  Argument from = input_argument();
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    const bool to_keys = (passes - pass) % 2 == 1;
    const Argument to = pass == 0 ? first : to_keys ? keys_argument() : beside;
    builder.launch(
        pass_kernel, tiles, static_cast<std::uint32_t>(c.at("block_size_x")),
        static_cast<std::uint64_t>(pass_bytes(c, problem)),
        {to, from, u64_argument(problem.n), u32_argument(pass), tickets, counts, said, u32_argument(tiles)});
    from = to;
  }

  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_radix

/// No sort by comparisons, but the right answer for very long arrays: each pass reads and writes every key
/// once, however many there are (kernels/radix/radix_pass.cuh).
const Variant& radix_variant() {
  static const DefinedVariant variant(
      {.name = "radix",
       .description =
           "radix sort from the lowest digit on, each key read and written once a digit; one array",
       .kernel_headers = {"kernels/counting/count_values.cuh", "kernels/radix/count_digits.cuh",
                          "kernels/radix/radix_pass.cuh"},
       .supports = of_radix::can_sort,
       .suits = of_radix::is_best,
       .space = of_radix::make_space,
       .default_configuration = of_radix::make_default,
       .plan = of_radix::make_plan});
  return variant;
}

}  // namespace bitune
