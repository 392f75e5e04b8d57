#include "tests/tools/soak/soak_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::soak {
namespace {

/// Numbers that follow from a seed and a number.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t number) : seed_(made::random_bits(seed, number)) {}

  /// One of [0, count).
  std::uint64_t below(std::uint64_t count) { return made::scale(made::random_bits(seed_, drawn_++), count); }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  template <class Type, std::size_t count>
  Type one_of(const std::array<Type, count>& choices) {
    return choices[below(count)];
  }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

/// Twice those that have more to go wrong.
constexpr std::array<Operation, 8> operations = {
    Operation::sort,       Operation::sort,    Operation::sort_pairs, Operation::sort_pairs,
    Operation::sort_pairs, Operation::argsort, Operation::argsort,    Operation::top_k};
constexpr std::array<std::uint32_t, 5> value_widths = {1, 2, 4, 8, 16};
constexpr std::array<std::uint32_t, 2> index_widths = {4, 8};

SortSpec draw_spec(Dice& dice) {
  SortSpec spec;
  spec.operation = dice.one_of(operations);
  spec.key = dice.one_of(all_key_types);
  spec.order = dice.one_in(2) ? Order::descending : Order::ascending;
  spec.stable = dice.one_in(2);
  if (spec.operation == Operation::sort_pairs) spec.value_bytes = dice.one_of(value_widths);
  const bool may_have_indices = spec.operation == Operation::sort || spec.operation == Operation::top_k;
  if (spec.operation == Operation::argsort || (may_have_indices && dice.one_in(2))) {
    spec.index_bytes = dice.one_of(index_widths);
  } else if (spec.operation == Operation::top_k && dice.one_in(2)) {
    spec.value_bytes = dice.one_of(value_widths);
  }
  return spec;
}

/// Lengths that share kernels, or nearly: at most `scale`, and more than half of it, or just beside it.
std::uint64_t draw_length(Dice& dice, std::uint64_t scale, std::uint64_t most) {
  std::uint64_t length = scale;
  switch (dice.below(6)) {
    case 0:
      break;
    case 1:
      length = scale - 1;
      break;
    case 2:
      length = scale + 1;
      break;
    case 3:
      length = scale / 2 + 1;
      break;
    case 4:
      length = (scale - scale / 4) | 1;
      break;
    default:
      length = scale / 2 + dice.below(scale / 2 + 1);
  }
  return dice.one_in(64) ? dice.below(2) : std::min(length, most);
}

/// As many segments of a mean length, nearly, as make some keys in all.
Shape draw_segments(Dice& dice, std::uint64_t mean, std::uint64_t octaves, const Limits& limits) {
  const std::uint64_t keys = std::uint64_t{1} << dice.below(octaves);
  Shape shape{.n = std::min(keys + dice.below(keys), limits.keys), .rows = 1, .ragged = true};
  shape.rows = shape.n / std::max<std::uint64_t>(mean, 1) + 1 + dice.below(3);
  if (dice.one_in(64)) shape.n = dice.below(2);
  return shape;
}

bool is_rows(const Case& one) { return one.problem.kind() == ShapeKind::rows; }

}  // namespace

Case draw_case(std::uint64_t seed, std::uint64_t number, const Limits& limits) {
  Dice of_group(seed, number / limits.group);
  Dice dice(~seed, number);

  Case one;
  static_cast<SortSpec&>(one.problem) = draw_spec(of_group);
  const std::uint64_t kind = limits.segments ? 0 : of_group.below(4);
  const bool has_rows = kind == 1;
  const bool has_segments = kind == 0;
  const std::uint64_t octaves = std::bit_width(limits.keys);
  const std::uint64_t scale = std::uint64_t{1} << of_group.below(octaves);
  one.problem.n = draw_length(dice, scale, limits.keys);
  if (has_segments) {
    static_cast<Shape&>(one.problem) = draw_segments(dice, one.problem.n, octaves, limits);
    one.lengths = dice.one_of(all_lengths);
    one.segment_gaps = dice.one_in(2);
  }
  if (has_rows) {
    // Some keys in all, as many rows as that makes.
    const std::uint64_t keys = std::uint64_t{1} << dice.below(octaves);
    one.problem.rows = keys / std::max<std::uint64_t>(one.problem.n, 1) + dice.below(4);
    one.problem.rows = std::min(one.problem.rows, limits.keys / std::max<std::uint64_t>(one.problem.n, 1));
  }
  if (one.problem.operation == Operation::top_k) {
    if (!has_segments) one.problem.n = std::max<std::uint64_t>(one.problem.n, 1);  // k is from 1 to n
    const std::uint64_t length = has_segments ? 4 * mean_length(one.problem) : one.problem.n;
    one.problem.k = 1 + dice.below(std::uint64_t{1} << dice.below(std::bit_width(length | 1)));
  }

  one.distribution = dice.one_of(named_distributions);
  one.data_seed = dice.below(std::uint64_t{1} << 62);
  one.memory = dice.one_in(8) ? Memory::host : Memory::device;
  const bool has_output =
      one.problem.operation == Operation::sort || one.problem.operation == Operation::sort_pairs;
  one.keys_in_place = has_output && dice.one_in(2);
  one.values_in_place = has_output && dice.one_in(2);
  one.leaves_keys_out =
      one.problem.operation == Operation::top_k && one.problem.index_bytes != 0 && dice.one_in(2);
  one.names_input = dice.one_in(2);
  one.gives_workspace = dice.one_in(2);
  const bool gaps = is_rows(one) && dice.one_in(2);
  const bool offsets = dice.one_in(2);
  for (std::size_t role = 0; role < role_count; ++role) {
    if (gaps) one.gaps[role] = dice.below(9);
    if (offsets) one.offsets[role] = dice.below(17);
  }
  return one;
}

Segments segments_of(const Case& one) {
  const Segments packed =
      packed_segments(make_lengths(one.problem, std::string(name_of(one.lengths)), one.data_seed));
  return one.segment_gaps ? segments_with_gaps(packed) : packed;
}

std::string text_of(const Case& one) {
  std::string text = fmt::format("{} on {} keys (data seed {})", bitune::text_of(one.problem),
                                 name_of(one.distribution), one.data_seed);
  const auto add = [&](bool is_so, std::string_view what) {
    if (is_so) text += fmt::format(", {}", what);
  };
  add(one.problem.ragged, fmt::format("lengths {}", name_of(one.lengths)));
  add(one.problem.ragged && one.segment_gaps, "gaps between segments");
  add(one.memory == Memory::host, "in the host's memory");
  add(one.keys_in_place, one.names_input ? "keys in place (input named)" : "keys in place");
  add(one.leaves_keys_out, "indices alone");
  add(one.problem.value_bytes != 0 && one.values_in_place, "values in place");
  add(one.gives_workspace && one.memory == Memory::device, "with a workspace");
  const auto any = [](const auto& numbers) {
    return std::any_of(numbers.begin(), numbers.end(), [](std::uint64_t number) { return number != 0; });
  };
  if (any(one.gaps)) text += fmt::format(", gaps {}", fmt::join(one.gaps, " "));
  if (any(one.offsets)) text += fmt::format(", offsets {}", fmt::join(one.offsets, " "));
  return text;
}

}  // namespace bitune::soak
