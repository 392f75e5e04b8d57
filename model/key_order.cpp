#include "model/key_order.hpp"

#include <cstddef>

#include "model/key_order_of.hpp"

namespace bitune {

using key_orders::encode;
using key_orders::load;
using key_orders::with_order;

std::uint64_t ordered_bits(KeyType type, std::uint64_t bits) noexcept {
  return with_order(type, [bits](auto order) -> std::uint64_t {
    return decltype(order)::encode(static_cast<typename decltype(order)::Bits>(bits));
  });
}

bool is_sorted(const void* keys, std::uint64_t n, KeyType type, Order order,
               std::uint64_t* first_wrong) noexcept {
  return with_order(type, [&](auto key_order) {
    using KeyOrder = decltype(key_order);
    using U = typename KeyOrder::Bits;
    const auto* bytes = static_cast<const std::byte*>(keys);
    const bool descending = order == Order::descending;
    for (std::uint64_t i = 0; i + 1 < n; ++i) {
      if (encode<KeyOrder>(load<U>(bytes, i), descending) >
          encode<KeyOrder>(load<U>(bytes, i + 1), descending)) {
        if (first_wrong != nullptr) *first_wrong = i;
        return false;
      }
    }
    return true;
  });
}

}  // namespace bitune
