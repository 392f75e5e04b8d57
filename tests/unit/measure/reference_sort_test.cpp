#include "measure/reference_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "model/key_order.hpp"
#include "model/key_type.hpp"
#include "tests/support/awkward_keys.hpp"

namespace bitune {
namespace {

template <class Key>
std::vector<Key> random_keys(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<Key> keys(n);
  std::generate(keys.begin(), keys.end(), [&] { return static_cast<Key>(random()); });
  return keys;
}

template <class Key>
void expect_sorted_rows(KeyType type, std::uint64_t rows, std::uint64_t n, Order order) {
  auto keys = random_keys<Key>(rows * n);
  auto expected = keys;
  for (std::uint64_t row = 0; row < rows; ++row) {
    const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(row * n);
    const auto end = begin + static_cast<std::ptrdiff_t>(n);
    if (order == Order::ascending) {
      std::sort(begin, end);
    } else {
      std::sort(begin, end, std::greater<>());
    }
  }
  reference_sort_rows(std::as_writable_bytes(std::span(keys)),
                      {{.key = type, .order = order}, {.n = n, .rows = rows}});
  EXPECT_EQ(keys, expected) << name_of(type) << " rows=" << rows << " n=" << n;
}

TEST(ReferenceRows, SortsEachRowOnItsOwn) {
  for (const Order order : {Order::ascending, Order::descending}) {
    for (const std::uint64_t n : {0, 1, 2, 7, 256, 257, 2048, 2049}) {
      for (const std::uint64_t rows : {0, 1, 3}) {
        expect_sorted_rows<std::uint8_t>(KeyType::u8, rows, n, order);
        expect_sorted_rows<std::int16_t>(KeyType::i16, rows, n, order);
        expect_sorted_rows<std::uint32_t>(KeyType::u32, rows, n, order);
        expect_sorted_rows<std::int64_t>(KeyType::i64, rows, n, order);
      }
    }
  }
}

TEST(ReferenceRows, SharesManyRowsAmongThreadsWithoutRest) {
  expect_sorted_rows<std::uint32_t>(KeyType::u32, 100003, 5, Order::ascending);
  expect_sorted_rows<std::uint32_t>(KeyType::u32, 3, 100003, Order::descending);
}

// One row is cut into parts, one of them shorter; so are rows that are fewer than the cores.
TEST(ReferenceRows, SharesAFewLongRowsAmongThreads) {
  expect_sorted_rows<std::uint32_t>(KeyType::u32, 1, 300007, Order::ascending);
  expect_sorted_rows<std::int64_t>(KeyType::i64, 1, 200003, Order::descending);
  for (const unsigned threads : {0u, 1u, 3u, 7u}) {
    auto keys = random_keys<std::uint32_t>(65536 * threads + 40009);   // 65536 are the fewest of a thread
    for (std::size_t i = 0; i < keys.size(); i += 3) keys[i] %= 1000;  // digits that many keys share
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    reference_sort(keys.data(), keys.size(), KeyType::u32, Order::ascending, threads);
    EXPECT_EQ(keys, expected) << threads;
  }
}

// The sort of short arrays and that of long ones must agree on what compares as equal to a person: zeros and
// NaNs.
TEST(ReferenceRows, ShortAndLongArraysOrderFloatsAlike) {
  std::vector<std::uint32_t> longer(300);
  std::vector<std::uint32_t> pool = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                                     0x7f800001, 0xffffffff, 1,          0x80000001, 0x3f800000};
  for (std::size_t i = 0; i < longer.size(); ++i) longer[i] = pool[i % pool.size()];
  std::vector<std::uint32_t> shorter = pool;
  reference_sort(longer.data(), longer.size(), KeyType::f32, Order::ascending);
  reference_sort(shorter.data(), shorter.size(), KeyType::f32, Order::ascending);
  longer.erase(std::unique(longer.begin(), longer.end()), longer.end());
  EXPECT_EQ(shorter, longer);
}

using testing_support::awkward_bits;
using testing_support::bits_at;
using testing_support::mask_of;
using testing_support::packed;

class ReferenceSort : public testing::TestWithParam<KeyType> {};

TEST_P(ReferenceSort, AgreesWithTheStandardSort) {
  const KeyType type = GetParam();
  for (const std::size_t n : {0u, 1u, 2u, 3u, 255u, 1000u, 70000u}) {
    for (const Order order : {Order::ascending, Order::descending}) {
      std::vector<std::uint64_t> bits = awkward_bits(type, n, static_cast<unsigned>(n));
      std::vector<std::byte> keys = packed(bits, type);
      std::sort(bits.begin(), bits.end(), [&](std::uint64_t a, std::uint64_t b) {
        return order == Order::ascending ? ordered_bits(type, a) < ordered_bits(type, b)
                                         : ordered_bits(type, a) > ordered_bits(type, b);
      });
      reference_sort(keys.data(), n, type, order);
      EXPECT_EQ(keys, packed(bits, type)) << n << " " << name_of(order);
      EXPECT_TRUE(is_sorted(keys.data(), n, type, order));
    }
  }
}

TEST_P(ReferenceSort, TakesKeysThatShareDigitsAndUnalignedArrays) {
  const KeyType type = GetParam();
  const std::size_t n = 5000;
  std::vector<std::uint64_t> bits;
  for (std::size_t i = 0; i < n; ++i)
    bits.push_back(((i * 7919) % 13) << (i % 2 ? 0 : 8 * (size_of(type) - 1)));
  for (std::uint64_t& key : bits) key &= mask_of(type);
  std::vector<std::byte> keys = packed(bits, type);
  keys.insert(keys.begin(), std::byte{0xaa});
  reference_sort(keys.data() + 1, n, type, Order::ascending);
  EXPECT_EQ(keys.front(), std::byte{0xaa});
  EXPECT_TRUE(is_sorted(keys.data() + 1, n, type, Order::ascending));

  keys.erase(keys.begin());
  std::sort(bits.begin(), bits.end());
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i < n; ++i) found.push_back(bits_at(keys, i, type));
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, bits) << "the result is not a permutation of its input";
}

INSTANTIATE_TEST_SUITE_P(AllKeyTypes, ReferenceSort, testing::ValuesIn(all_key_types),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace bitune
