// The variant `radix`: keys are put in the order of one digit after the other, from the lowest on.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "kernels/radix/radix_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/clear_counts.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_radix {
namespace {

constexpr Kernel<Address, Address, U64> count_kernel{"kernels/radix/count_digits.cuh", "count_digits"};
constexpr Kernel<Address, Address, U64, U32, Address, Address, Address, U32> pass_kernel{
    "kernels/radix/radix_pass.cuh", "radix_pass"};

std::int64_t key_bits(const Problem& problem) { return 8 * static_cast<std::int64_t>(size_of(problem.key)); }

/// Keys of a tile.
std::int64_t tile_size(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

std::int64_t digit_values(const Configuration& c) { return layout::digit_values(c.at("radix_bits")); }

std::int64_t pass_count(const Configuration& c, const Problem& problem) {
  return layout::digit_passes(key_bits(problem), c.at("radix_bits"));
}

std::int64_t pass_bytes(const Configuration& c, const Problem& problem) {
  return layout::radix_tile_parts(c.at("block_size_x"), c.at("items_per_thread"), c.at("radix_bits"),
                                  word_bytes(problem.key), layout::digit_counter_bytes(problem.n))
      .bytes;
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

/// The places in the workspace of what the passes count.
struct Counts {
  Address tickets;    ///< a u32 for each pass
  Address digits;     ///< a counter for each digit of each pass
  Address look_back;  ///< counters of each tile's digits, twice
  /// u32 from the tickets on that are 0 when the first pass begins: all of the above, and of the last the
  /// first half.
  std::uint64_t cleared = 0;
};

Counts counts_in(PlanBuilder& builder, const Problem& problem, const Configuration& c) {
  const auto values = as_count(digit_values(c));
  const auto passes = as_count(pass_count(c, problem));
  const auto counter = as_count(layout::digit_counter_bytes(problem.n));
  const std::uint64_t tiles = parts_of(problem.n, as_count(tile_size(c)));
  const std::uint64_t look_back = counter * layout::look_back_counters(tiles, values);
  Counts counts{builder.workspace(4 * passes), builder.workspace(counter * passes * values),
                builder.workspace(2 * look_back)};
  counts.cleared = (counts.look_back.argument.value - counts.tickets.argument.value + look_back) / 4;
  return counts;
}

class RadixVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "radix"; }
  std::string_view description() const noexcept override {
    return "radix sort from the lowest digit on, each key read and written once a digit; one array";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {clear_counts_kernel.header, count_kernel.header, pass_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return sorts_keys_alone(problem) && problem.rows <= 1 && device.warp_size == 32;
  }
  /// Where reading and writing the keys once for each digit costs less than comparing them: that costs each
  /// key the same, however many there are.
  bool suits(const Problem& problem, const DeviceInfo&) const override {
    return problem.n >= std::uint64_t{1} << (size_of(problem.key) == 8 ? 24 : 22);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace RadixVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
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
         return tile_size(c) >= digit_values(c) && tile_size(c) <= layout::most_radix_keys();
       },
       {"block_size_x", "items_per_thread", "radix_bits"}},
      {"the counters of all tiles' digits are fewer than 2^32, which one launch clears",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         PlanBuilder builder;
         return counts_in(builder, p, c).cleared <= std::numeric_limits<std::uint32_t>::max();
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

Configuration RadixVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  const bool wide = size_of(problem.key) == 8;
  Configuration c{std::string(name()),
                  {{"block_size_x", 256},
                   {"items_per_thread", 31},
                   {"radix_bits", size_of(problem.key) == 1 ? 4 : 8},
                   {"imad_votes", 1},
                   {"loop_unroll_factor_look_back", 4},
                   {"min_blocks_per_sm", wide ? 2 : 3},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // A device whose multiprocessors have less.
  const auto is_too_much = [&] { return space(problem, device).violation(c, problem, device).has_value(); };
  while (c.at("min_blocks_per_sm") > 1 && is_too_much()) --c.parameters["min_blocks_per_sm"];
  while (c.at("block_size_x") > 128 && is_too_much()) c.parameters["block_size_x"] /= 2;
  return c;
}

Plan RadixVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const std::string codec = codec_arguments(problem.key, problem.order);
  const auto sms = static_cast<std::uint64_t>(device.sm_count);
  const std::int64_t counter = layout::digit_counter_bytes(problem.n);
  const std::uint64_t tiles = parts_of(problem.n, as_count(tile_size(c)));
  const std::uint64_t key_bytes = problem.n * size_of(problem.key);

  const Counts counts = counts_in(builder, problem, c);
  append_clear_counts(builder, counts.tickets, counts.cleared, 4 * sms);

  const CountShape count = count_shape(c, problem, device);
  const std::uint64_t vector = 16 / size_of(problem.key);
  builder.launch(count_kernel,
                 fmt::format("{}, {}, {}, {}, {}, {}, {}", codec, count.threads, vector, 4,
                             c.at("radix_bits"), count.copies, counter),
                 {.blocks = std::min(sms, parts_of(problem.n, vector * as_count(count.threads))),
                  .threads = static_cast<std::uint32_t>(count.threads),
                  .shared_bytes = as_count(count.bytes)},
                 counts.digits, input_address(), problem.n);

  // Keys go from one array to another and back. The last pass writes to the keys' memory. The first one may
  // not, since it reads there, if the sort is in place: an odd number of passes takes a third array.
  const auto passes = as_count(pass_count(c, problem));
  const Address beside = builder.workspace(key_bytes);
  const Address first = passes % 2 == 0 ? beside : builder.workspace(key_bytes);
  Address from = input_address();
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    const bool to_keys = (passes - pass) % 2 == 1;
    const Address to = pass == 0 ? first : to_keys ? keys_address() : beside;
    builder.launch(pass_kernel,
                   fmt::format("{}, {}, {}, {}, {}, {}, {}, {}", codec, c.at("block_size_x"),
                               c.at("items_per_thread"), c.at("radix_bits"), c.at("imad_votes"),
                               c.at("loop_unroll_factor_look_back"), counter, c.at("min_blocks_per_sm")),
                   {.blocks = tiles,
                    .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                    .shared_bytes = as_count(pass_bytes(c, problem))},
                   to, from, problem.n, pass, counts.tickets, counts.digits, counts.look_back, tiles);
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
  static const of_radix::RadixVariant variant;
  return variant;
}

}  // namespace bitune
