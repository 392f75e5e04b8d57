#include "bench/host_sorts.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "measure/oracle.hpp"

namespace bitune {
namespace {

/// Sorts a copy; returns the time that the sort took.
template <class Key, class Sort>
double time_us(std::span<const std::byte> keys, KeyType key, bool& verified, Sort sort) {
  std::vector<Key> copy(keys.size() / sizeof(Key));
  std::memcpy(copy.data(), keys.data(), keys.size());
  const auto begin = std::chrono::steady_clock::now();
  sort(copy);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  const auto fault =
      find_fault_of_keys({{.key = key}, {.n = copy.size()}}, keys, std::as_bytes(std::span(copy)));
  verified = verified && !fault;
  return took.count();
}

template <class Key>
HostSorts time_both(std::span<const std::byte> keys, KeyType key) {
  HostSorts times{.verified = true};
  times.qsort_us = time_us<Key>(keys, key, times.verified, [](std::vector<Key>& copy) {
    std::qsort(copy.data(), copy.size(), sizeof(Key), [](const void* a, const void* b) {
      const Key left = *static_cast<const Key*>(a);
      const Key right = *static_cast<const Key*>(b);
      return static_cast<int>(left > right) - static_cast<int>(left < right);
    });
  });
  times.std_sort_us = time_us<Key>(keys, key, times.verified,
                                   [](std::vector<Key>& copy) { std::sort(copy.begin(), copy.end()); });
  return times;
}

}  // namespace

bool has_host_sorts(KeyType key) noexcept { return key == KeyType::u32 || key == KeyType::i32; }

HostSorts time_host_sorts(std::span<const std::byte> keys, KeyType key) {
  return key == KeyType::i32 ? time_both<std::int32_t>(keys, key) : time_both<std::uint32_t>(keys, key);
}

}  // namespace bitune
