#include "runtime/variants/radix_in_pieces.hpp"

#include "kernels/radix/radix_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/radix_passes.hpp"
#include "runtime/variants/registered.hpp"

namespace bitune {
namespace {

const Variant& radix_for(const Problem& problem) {
  return carried_bytes(problem) != 0 ? radix_pairs_variant() : radix_variant();
}

}  // namespace

RadixInPieces::RadixInPieces(const Problem& problem, const Configuration& selected, const DeviceInfo& device)
    : problem_(problem), device_(device) {
  const Variant& variant = radix_for(problem);
  configuration_ =
      selected.variant == variant.name() ? selected : variant.default_configuration(problem, device);
}

bool RadixInPieces::takes(KeyType key, const DeviceInfo& device) {
  // Keys of a byte have one digit, and wide ones are sorted by fewer than they have (leading_digits).
  return device.warp_size == 32 && (size_of(key) == 2 || size_of(key) == 4);
}

std::uint64_t RadixInPieces::digit_bits() const { return as_count(configuration_.at("radix_bits")); }

std::uint64_t RadixInPieces::first_counters() const {
  return as_count(radix_parts::digit_values(configuration_));
}

std::uint64_t RadixInPieces::counters() const {
  return first_counters() * as_count(radix_parts::pass_count(configuration_, problem_));
}

std::uint64_t RadixInPieces::counter_bytes() const {
  return as_count(layout::digit_counter_bytes(problem_.n));
}

Plan RadixInPieces::first_pass(std::uint64_t n) const {
  PlanBuilder builder;
  const RadixPasses passes(problem_, configuration_, device_, false);
  const Address tickets = builder.workspace(counters_at);
  const Address digits = builder.workspace(first_counters() * counter_bytes());
  const Address look_back = builder.workspace(
      2 * counter_bytes() * layout::look_back_counters(passes.tiles_of(n), first_counters()));
  passes.append(builder, 0, n,
                {.keys_out = keys_address(),
                 .keys_in = input_address(),
                 .values_out = address_of(Role::values_out),
                 .values_in = address_of(Role::values_in),
                 .tickets = tickets,
                 .digits = digits,
                 .look_back = look_back});
  Plan plan = builder.take();
  plan.out_of_place = true;
  return plan;
}

std::uint64_t RadixInPieces::first_pass_bytes(std::uint64_t pieces) const {
  const std::uint64_t tiles = problem_.n / as_count(radix_parts::tile_size(configuration_)) + pieces;
  // Of each piece a multiple of 256 bytes.
  return 2 * counter_bytes() * layout::look_back_counters(tiles, first_counters()) +
         pieces * (2 * counters_at + first_counters() * counter_bytes() + 256);
}

struct RadixInPieces::RestParts {
  Address keys;
  Address values;
  Address other_keys;
  Address other_values;
  Address tickets;
  Address digits;
  Address look_back;
};

RadixInPieces::RestParts RadixInPieces::rest_parts(PlanBuilder& builder) const {
  const RadixPasses passes(problem_, configuration_, device_);
  const std::uint64_t key_bytes = problem_.n * size_of(problem_.key);
  const std::uint64_t value_bytes = problem_.n * carried_bytes(problem_);
  // Ramps of fewer keys may have more tiles, but not more than run at once.
  const std::uint64_t tiles =
      passes.tiles_of(problem_.n) + as_count(configuration_.at("min_blocks_per_sm") * device_.sm_count);
  return {.keys = builder.workspace(key_bytes),
          .values = builder.workspace(value_bytes),
          .other_keys = builder.workspace(key_bytes),
          .other_values = builder.workspace(value_bytes),
          .tickets = builder.workspace(4 * passes.passes()),
          .digits = builder.workspace(counters() * counter_bytes()),
          .look_back =
              builder.workspace(2 * counter_bytes() * layout::look_back_counters(tiles, first_counters()))};
}

RadixInPieces::RestMemory RadixInPieces::rest_memory() const {
  PlanBuilder builder;
  const RestParts parts = rest_parts(builder);
  const auto place = [](const Address& address) { return address.argument.value; };
  return {place(parts.keys),    place(parts.values), place(parts.other_keys),       place(parts.other_values),
          place(parts.tickets), place(parts.digits), builder.take().workspace_bytes};
}

Plan RadixInPieces::rest(std::uint64_t n, std::uint64_t skipped, std::uint64_t count) const {
  PlanBuilder builder;
  const RadixPasses passes(problem_, configuration_, device_);
  const RestParts parts = rest_parts(builder);
  for (std::uint64_t pass = 1; pass < passes.passes(); ++pass) {
    const bool is_even = pass % 2 == 0;
    const bool is_last = pass + 1 == passes.passes();
    const PassMemory memory{.keys_out = is_last   ? keys_address()
                                        : is_even ? parts.keys
                                                  : parts.other_keys,
                            .keys_in = is_even ? parts.other_keys : parts.keys,
                            .values_out = is_last   ? address_of(Role::values_out)
                                          : is_even ? parts.values
                                                    : parts.other_values,
                            .values_in = is_even ? parts.other_values : parts.values,
                            .tickets = parts.tickets,
                            .digits = parts.digits,
                            .look_back = parts.look_back};
    if (is_last) {
      passes.append_wanted(builder, n, memory, skipped, count);
    } else {
      passes.append(builder, pass, n, memory);
    }
  }
  return builder.take(configuration_.at("dependent_launch") != 0);
}

std::vector<FirstPlaces> first_places(std::span<const std::vector<std::uint64_t>> counts) {
  const std::size_t values = counts.empty() ? 0 : counts[0].size();
  // Where each digit's next key goes: at first behind all keys with a smaller one.
  std::vector<std::uint64_t> next(values, 0);
  std::uint64_t smaller = 0;
  for (std::size_t digit = 0; digit < values; ++digit) {
    next[digit] = smaller;
    for (const auto& of_piece : counts) smaller += of_piece[digit];
  }
  std::vector<FirstPlaces> places;
  for (const auto& of_piece : counts) {
    FirstPlaces& piece = places.emplace_back();
    piece.first = values == 0 ? 0 : next[0];
    for (std::size_t digit = 0; digit < values; ++digit) {
      piece.steps.push_back((digit + 1 < values ? next[digit + 1] : smaller) - next[digit]);
    }
    for (std::size_t digit = 0; digit < values; ++digit) next[digit] += of_piece[digit];
  }
  return places;
}

}  // namespace bitune
