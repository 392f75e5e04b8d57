#include "measure/oracle_filling.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

namespace bitune::oracle {
namespace {

/// Bits of the key that sorts last.
std::uint64_t last_key(const Rules& rules) {
  return key_orders::with_order(rules.key, [&](auto key_order) {
    using KeyOrder = decltype(key_order);
    constexpr auto last = std::numeric_limits<typename KeyOrder::Bits>::max();
    return static_cast<std::uint64_t>(key_orders::decode<KeyOrder>(last, rules.descending));
  });
}

std::uint64_t key_at(const Rules& rules, const std::byte* keys, std::uint64_t place) {
  return key_orders::with_order(rules.key, [&](auto key_order) {
    return static_cast<std::uint64_t>(key_orders::load<typename decltype(key_order)::Bits>(keys, place));
  });
}

}  // namespace

std::optional<Fault> fault_of_filling(const Rules& rules, const Row& row) {
  if (row.count >= row.room) return std::nullopt;
  const std::uint64_t key = last_key(rules);
  const std::uint64_t no_index = rules.index_bytes == 4 ? std::numeric_limits<std::uint32_t>::max()
                                                        : std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t place = row.count; place < row.room; ++place) {
    if (row.keys_out != nullptr && key_at(rules, row.keys_out, place) != key) {
      return Fault{place, fmt::format("key {:#x}, where the row has none: {:#x}, the last one, belongs there",
                                      key_at(rules, row.keys_out, place), key)};
    }
    if (row.indices_out != nullptr && load_index(row.indices_out, place, rules.index_bytes) != no_index) {
      return Fault{place, fmt::format("index {}, where the row has no key: {} belongs there",
                                      load_index(row.indices_out, place, rules.index_bytes), no_index)};
    }
    if (row.values_out != nullptr) {
      const ValueWords value = load_value(row.values_out, place, rules.value_bytes);
      if (value != ValueWords{}) return Fault{place, "a value, where the row has no key: 0 belongs there"};
    }
  }
  return std::nullopt;
}

}  // namespace bitune::oracle
