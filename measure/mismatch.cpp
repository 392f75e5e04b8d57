#include "measure/mismatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace bitune {

std::string describe_mismatch(std::span<const std::byte> actual, std::span<const std::byte> expected,
                              const ImageLayout& layout) {
  const auto keys = actual.begin() + ImageLayout::guard_bytes;
  const auto keys_end = keys + static_cast<std::ptrdiff_t>(layout.key_bytes);
  const bool front = std::equal(actual.begin(), keys, expected.begin());
  const bool back = std::equal(keys_end, actual.end(), expected.end() - ImageLayout::guard_bytes);
  if (!front || !back) return fmt::format("wrote outside the array, {} it", front ? "behind" : "before");

  std::uint64_t wrong = 0;
  std::uint64_t count = 0;
  std::optional<std::uint64_t> first;
  for (std::uint64_t i = 0; i < layout.key_bytes / layout.key_size; ++i) {
    const bool is_key = i % layout.row_stride < layout.row_length;
    count += is_key ? 1 : 0;
    const std::size_t at = ImageLayout::guard_bytes + i * layout.key_size;
    if (std::memcmp(&actual[at], &expected[at], layout.key_size) == 0) continue;
    if (!is_key) return fmt::format("wrote between rows, behind row {}", i / layout.row_stride);
    ++wrong;
    if (!first) first = i;
  }
  if (!first) return "the result is wrong, but not each time: a race";
  const std::string place =
      count > layout.row_length
          ? fmt::format("in row {} at {}", *first / layout.row_stride, *first % layout.row_stride)
          : fmt::format("at index {}", *first);
  return fmt::format("{} of {} keys differ from the reference, the first {}", wrong, count, place);
}

}  // namespace bitune
