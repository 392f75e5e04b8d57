#include "bench/any_order.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "measure/guarded_image.hpp"
#include "model/key_type.hpp"

namespace bitune {
namespace {

/// Elements of a row of an array in an image.
std::vector<std::uint64_t> row_of(std::span<const std::byte> image, const CallLayout::Part& part,
                                  std::uint64_t row) {
  const std::size_t bytes = part.array.element_bytes;
  std::vector<std::uint64_t> elements(part.array.row_length);
  const std::byte* from = image.data() + part.begin + GuardedLayout::guard_bytes +
                          row * part.layout.operand(nullptr).stride * bytes;
  for (std::uint64_t& element : elements) {
    std::memcpy(&element, from, bytes);
    from += bytes;
  }
  return elements;
}

const CallLayout::Part* part_of(const CallLayout& layout, Role role) {
  for (const CallLayout::Part& part : layout.parts()) {
    if (part.array.in == role || part.array.out == role) return &part;
  }
  return nullptr;
}

}  // namespace

bool has_first_keys_in_any_order(const Problem& problem, const CallLayout& layout,
                                 std::span<const std::byte> input, std::span<const std::byte> right,
                                 std::span<const std::byte> result) {
  const CallLayout::Part& given = *part_of(layout, Role::keys_in);
  const CallLayout::Part& keys = *part_of(layout, Role::keys_out);
  const CallLayout::Part* const indices = part_of(layout, Role::indices_out);
  for (const CallLayout::Part& part : layout.parts()) {
    if (part.array.out && find_stray_write(result.subspan(part.begin, part.layout.bytes()), part.layout))
      return false;
  }
  for (std::uint64_t row = 0; row < problem.rows; ++row) {
    std::vector<std::uint64_t> found = row_of(result, keys, row);
    if (indices != nullptr) {
      const std::vector<std::uint64_t> all = row_of(input, given, row);
      std::vector<std::uint64_t> places = row_of(result, *indices, row);
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] >= all.size() || all[places[i]] != found[i]) return false;
      }
      std::sort(places.begin(), places.end());
      if (std::adjacent_find(places.begin(), places.end()) != places.end()) return false;
    }
    std::vector<std::uint64_t> expected = row_of(right, keys, row);
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    if (found != expected) return false;
  }
  return true;
}

}  // namespace bitune
