#include "tests/unit/measure/host_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "model/key_order.hpp"
#include "model/key_type.hpp"

namespace bitune::test {
namespace {

std::uint64_t get(const std::vector<std::byte>& bytes, std::uint64_t i, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * size, size);
  return bits;
}

void put(std::vector<std::byte>& bytes, std::uint64_t i, std::size_t size, std::uint64_t bits) {
  std::memcpy(bytes.data() + i * size, &bits, size);
}

std::uint64_t infinity_of(KeyType type) {
  switch (type) {
    case KeyType::f16:
      return 0x7C00;
    case KeyType::bf16:
      return 0x7F80;
    case KeyType::f32:
      return 0x7F800000;
    default:
      return 0x7FF0000000000000;
  }
}

}  // namespace

HostCall::HostCall(const Problem& given, const HostLayout& given_layout, Distribution distribution,
                   std::uint64_t seed)
    : problem(given), layout(given_layout), lengths_(layout.lengths) {
  options.threads = 2;
  const std::uint64_t elements_in =
      problem.ragged ? problem.n : problem.rows * problem.n + (problem.rows - 1) * layout.gap_in;
  const bool as_input = problem.ragged && problem.operation != Operation::top_k;
  const std::uint64_t elements_out =
      as_input ? problem.n : problem.rows * width_out() + (problem.rows - 1) * layout.gap_out;
  const std::size_t size = size_of(problem.key);
  keys_in = make_keys(problem.key, elements_in, distribution, seed);
  keys_out.assign(elements_out * size, std::byte{0xA5});
  values_in.resize(elements_in * problem.value_bytes);
  std::mt19937 random(static_cast<unsigned>(seed));
  for (std::byte& byte : values_in) byte = static_cast<std::byte>(random());
  values_out.assign(elements_out * problem.value_bytes, std::byte{0xA5});
  indices_out.assign(elements_out * problem.index_bytes, std::byte{0xA5});
  for (std::uint64_t row = 0; row < problem.rows; ++row) {
    const std::vector<std::uint64_t> by_place = order(row);
    for (std::uint64_t i = 0; i < count(row); ++i) put_item(row, i, by_place[i]);
    if (problem.operation == Operation::top_k) fill(row);
  }
}

std::uint64_t HostCall::width_out() const {
  return problem.operation == Operation::top_k ? std::min(problem.k, problem.n) : problem.n;
}

std::uint64_t HostCall::begin_in(std::uint64_t row) const {
  return problem.ragged ? layout.offsets[row] : row * (problem.n + layout.gap_in);
}

std::uint64_t HostCall::begin_out(std::uint64_t row) const {
  if (problem.ragged && problem.operation != Operation::top_k) return layout.offsets[row];
  return row * (width_out() + layout.gap_out);
}

Operands HostCall::operands() {
  Operands all;
  const auto set = [&](Role role, std::vector<std::byte>& bytes, std::size_t size, std::uint64_t stride) {
    if (size != 0) all[role] = {bytes.data(), bytes.size() / size, stride};
  };
  const std::uint64_t in = problem.n + layout.gap_in;
  const std::uint64_t out = width_out() + layout.gap_out;
  set(Role::keys_in, keys_in, size_of(problem.key), in);
  if (with_keys_out) set(Role::keys_out, keys_out, size_of(problem.key), out);
  set(Role::values_in, values_in, problem.value_bytes, in);
  set(Role::values_out, values_out, problem.value_bytes, out);
  set(Role::indices_out, indices_out, problem.index_bytes, out);
  if (problem.ragged) {
    narrow_offsets_.assign(layout.offsets.begin(), layout.offsets.end());
    narrow_ends_.assign(layout.ends.begin(), layout.ends.end());
    all[Role::offsets] = {narrow_offsets_.data(), narrow_offsets_.size(), 4};
    if (!narrow_ends_.empty()) all[Role::ends] = {narrow_ends_.data(), narrow_ends_.size(), 4};
  }
  if (!lengths_.empty()) all[Role::lengths] = {lengths_.data(), lengths_.size(), sizeof(lengths_[0])};
  return all;
}

std::uint64_t HostCall::length(std::uint64_t row) const {
  std::uint64_t room = problem.n;
  if (problem.ragged) {
    room = (layout.ends.empty() ? layout.offsets[row + 1] : layout.ends[row]) - layout.offsets[row];
  }
  return layout.lengths.empty() ? room : std::min(layout.lengths[row], room);
}

std::uint64_t HostCall::count(std::uint64_t row) const {
  return problem.operation == Operation::top_k ? std::min(problem.k, length(row)) : length(row);
}

std::string HostCall::where(std::uint64_t row, std::uint64_t place) const {
  const char* what = problem.ragged ? "segment" : "row";
  if (problem.kind() == ShapeKind::array) return fmt::format("place {}: ", place);
  return fmt::format("{} {}, place {}: ", what, row, place);
}

std::uint64_t HostCall::key_in(std::uint64_t row, std::uint64_t i) const {
  return get(keys_in, begin_in(row) + i, size_of(problem.key));
}
std::uint64_t HostCall::key_out(std::uint64_t row, std::uint64_t i) const {
  return get(keys_out, begin_out(row) + i, size_of(problem.key));
}
void HostCall::set_key(std::uint64_t row, std::uint64_t i, std::uint64_t bits) {
  put(keys_out, begin_out(row) + i, size_of(problem.key), bits);
}
std::uint64_t HostCall::index(std::uint64_t row, std::uint64_t i) const {
  return get(indices_out, begin_out(row) + i, problem.index_bytes);
}
void HostCall::set_index(std::uint64_t row, std::uint64_t i, std::uint64_t value) {
  put(indices_out, begin_out(row) + i, problem.index_bytes, value);
}

void HostCall::swap_bytes(std::vector<std::byte>& bytes, std::uint64_t size, std::uint64_t row,
                          std::uint64_t a, std::uint64_t b) const {
  std::byte* const begin = bytes.data() + begin_out(row) * size;
  std::swap_ranges(begin + a * size, begin + (a + 1) * size, begin + b * size);
}
void HostCall::swap_keys(std::uint64_t row, std::uint64_t a, std::uint64_t b) {
  swap_bytes(keys_out, size_of(problem.key), row, a, b);
}
void HostCall::swap_values(std::uint64_t row, std::uint64_t a, std::uint64_t b) {
  swap_bytes(values_out, problem.value_bytes, row, a, b);
}
void HostCall::swap_indices(std::uint64_t row, std::uint64_t a, std::uint64_t b) {
  swap_bytes(indices_out, problem.index_bytes, row, a, b);
}
void HostCall::swap_items(std::uint64_t row, std::uint64_t a, std::uint64_t b) {
  swap_keys(row, a, b);
  swap_values(row, a, b);
  swap_indices(row, a, b);
}

bool HostCall::values_differ(std::uint64_t row, std::uint64_t a, std::uint64_t b) const {
  const std::byte* const begin = values_out.data() + begin_out(row) * problem.value_bytes;
  return problem.value_bytes == 0 || std::memcmp(begin + a * problem.value_bytes,
                                                 begin + b * problem.value_bytes, problem.value_bytes) != 0;
}

bool HostCall::keys_tie(std::uint64_t row, std::uint64_t a, std::uint64_t b) const {
  return place_of(key_out(row, a)) == place_of(key_out(row, b));
}

void HostCall::put_item(std::uint64_t row, std::uint64_t place, std::uint64_t from) {
  set_key(row, place, key_in(row, from));
  if (problem.value_bytes != 0) {
    std::memcpy(values_out.data() + (begin_out(row) + place) * problem.value_bytes,
                values_in.data() + (begin_in(row) + from) * problem.value_bytes, problem.value_bytes);
  }
  if (problem.index_bytes != 0) set_index(row, place, from);
}

void HostCall::fill(std::uint64_t row) {
  const std::uint64_t width = width_out();
  const bool ascending = problem.order == Order::ascending;
  std::uint64_t last = ascending ? ~std::uint64_t{0} : 0;
  if (is_signed_integer(problem.key)) last ^= std::uint64_t{1} << (8 * size_of(problem.key) - 1);
  if (is_floating_point(problem.key)) {
    const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(problem.key) - 1);
    last = (sign | infinity_of(problem.key)) + (ascending ? 1 : 0);
  }
  for (std::uint64_t i = count(row); i < width; ++i) {
    set_key(row, i, last);
    if (problem.index_bytes != 0) set_index(row, i, ~std::uint64_t{0});
    std::fill_n(values_out.begin() + static_cast<std::ptrdiff_t>((begin_out(row) + i) * problem.value_bytes),
                problem.value_bytes, std::byte{0});
  }
}

bool HostCall::is_nan(std::uint64_t bits) const {
  return is_floating_point(problem.key) &&
         ordered_bits(problem.key, bits) > ordered_bits(problem.key, infinity_of(problem.key));
}

std::uint64_t HostCall::place_of(std::uint64_t bits) const {
  std::uint64_t place = ordered_bits(problem.key, bits);
  const bool travels = problem.value_bytes != 0 || problem.index_bytes != 0;
  if (travels && is_nan(bits)) place = ordered_bits(problem.key, infinity_of(problem.key)) + 1;
  return problem.order == Order::ascending ? place : ~place;
}

std::vector<std::uint64_t> HostCall::order(std::uint64_t row) const {
  std::vector<std::uint64_t> by_place(length(row));
  std::iota(by_place.begin(), by_place.end(), 0);
  std::vector<std::uint64_t> places(length(row));
  for (std::uint64_t i = 0; i < places.size(); ++i) places[i] = place_of(key_in(row, i));
  std::stable_sort(by_place.begin(), by_place.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return places[a] < places[b]; });
  by_place.resize(count(row));
  return by_place;
}

}  // namespace bitune::test
