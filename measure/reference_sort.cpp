#include "measure/reference_sort.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "measure/in_parts.hpp"
#include "measure/radix_passes.hpp"
#include "model/key_order_of.hpp"
#include "model/key_type.hpp"

namespace bitune {
namespace {

using key_orders::decode;
using key_orders::encode;
using key_orders::load;
using key_orders::store;
using key_orders::with_order;

// 8 and 16 bits: counts every key and writes them out.
template <class KeyOrder>
void counting_sort(std::byte* keys, std::uint64_t n, bool descending) {
  using U = typename KeyOrder::Bits;
  std::vector<std::uint64_t> counts(std::size_t{std::numeric_limits<U>::max()} + 1);
  for (std::uint64_t i = 0; i < n; ++i) ++counts[encode<KeyOrder>(load<U>(keys, i), descending)];
  std::uint64_t i = 0;
  for (std::size_t place = 0; place < counts.size(); ++place) {
    const U key = decode<KeyOrder>(static_cast<U>(place), descending);
    for (std::uint64_t count = counts[place]; count > 0; --count) store(keys, i++, key);
  }
}

// 32 and 64 bits: places are sorted by their digits.
template <class KeyOrder>
void radix_sort(std::byte* keys, std::uint64_t n, bool descending, unsigned threads) {
  using U = typename KeyOrder::Bits;
  const unsigned parts = parts_of(n, least_items_to_sort, threads);
  const auto other = std::make_unique_for_overwrite<std::byte[]>(n * sizeof(U));
  in_parts(n, parts, [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i)
      store(keys, i, encode<KeyOrder>(load<U>(keys, i), descending));
  });
  const std::byte* sorted = radix_passes<U>(keys, other.get(), n, parts, [](U place) { return place; });
  in_parts(n, parts, [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i)
      store(keys, i, decode<KeyOrder>(load<U>(sorted, i), descending));
  });
}

// Short arrays, for which the counts of the others are more work than the keys.
template <class KeyOrder>
constexpr std::size_t short_array = sizeof(typename KeyOrder::Bits) == 2 ? 2048 : 256;

template <class KeyOrder>
void short_sort(std::byte* keys, std::uint64_t n, bool descending) {
  using U = typename KeyOrder::Bits;
  std::array<U, short_array<KeyOrder>> places;
  for (std::uint64_t i = 0; i < n; ++i) places[i] = encode<KeyOrder>(load<U>(keys, i), descending);
  std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::uint64_t i = 0; i < n; ++i) store(keys, i, decode<KeyOrder>(places[i], descending));
}

}  // namespace

void reference_sort(void* keys, std::uint64_t n, KeyType type, Order order, unsigned threads) {
  if (n < 2) return;
  with_order(type, [&](auto key_order) {
    using KeyOrder = decltype(key_order);
    if (n <= short_array<KeyOrder>) {
      short_sort<KeyOrder>(static_cast<std::byte*>(keys), n, order == Order::descending);
    } else if constexpr (sizeof(typename KeyOrder::Bits) <= 2) {
      counting_sort<KeyOrder>(static_cast<std::byte*>(keys), n, order == Order::descending);
    } else {
      radix_sort<KeyOrder>(static_cast<std::byte*>(keys), n, order == Order::descending,
                           std::max(threads, 1u));
    }
  });
}

void reference_sort_rows(std::span<std::byte> keys, const Problem& problem) {
  const std::uint64_t row_bytes = problem.n * size_of(problem.key);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned most = static_cast<unsigned>(std::clamp<std::uint64_t>(problem.rows, 1, cores));
  const unsigned parts = parts_of(problem.n * problem.rows, least_items_to_sort, most);
  in_parts(problem.rows, parts, [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t row = begin; row < end; ++row) {
      reference_sort(keys.data() + row * row_bytes, problem.n, problem.key, problem.order, cores / parts);
    }
  });
}

}  // namespace bitune
