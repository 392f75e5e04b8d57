#include "model/key_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "model/key_type.hpp"
#include "tests/support/awkward_keys.hpp"

namespace bitune {
namespace {

using testing_support::mask_of;

TEST(OrderedBits, IsABijectionOfEveryNarrowType) {
  for (const KeyType type : all_key_types) {
    if (size_of(type) > 2) continue;
    const std::uint64_t count = mask_of(type) + 1;
    std::vector<bool> seen(count);
    for (std::uint64_t bits = 0; bits < count; ++bits) {
      const std::uint64_t place = ordered_bits(type, bits);
      ASSERT_LT(place, count) << name_of(type);
      ASSERT_FALSE(seen[place]) << name_of(type) << " " << bits;
      seen[place] = true;
    }
  }
}

TEST(OrderedBits, IntegersOrderByValue) {
  EXPECT_LT(ordered_bits(KeyType::i8, 0x80), ordered_bits(KeyType::i8, 0xff));
  EXPECT_LT(ordered_bits(KeyType::i8, 0xff), ordered_bits(KeyType::i8, 0x00));
  EXPECT_LT(ordered_bits(KeyType::i32, 0x80000000), ordered_bits(KeyType::i32, 0x7fffffff));
  EXPECT_EQ(ordered_bits(KeyType::i64, std::uint64_t{1} << 63), 0u);
  EXPECT_EQ(ordered_bits(KeyType::i64, ~std::uint64_t{0} >> 1), ~std::uint64_t{0});
  EXPECT_LT(ordered_bits(KeyType::u8, 0x7f), ordered_bits(KeyType::u8, 0x80));
}

template <class Float, class Bits>
void expect_float_order(KeyType type, Bits quiet, Bits sign) {
  using Limits = std::numeric_limits<Float>;
  const Float ascending[] = {
      -Limits::infinity(), Limits::lowest(),     -1, -Limits::denorm_min(), Float(-0.0),
      Float(0.0),          Limits::denorm_min(), 1,  Limits::max(),         Limits::infinity()};
  std::vector<Bits> bits;
  for (const Float value : ascending) bits.push_back(std::bit_cast<Bits>(value));
  // Positive NaN by rising payload, then negative NaN by falling payload.
  for (const Bits nan :
       {quiet, static_cast<Bits>(quiet + 1), static_cast<Bits>(sign - 1), static_cast<Bits>(~Bits{0}),
        static_cast<Bits>(quiet + sign + 1), static_cast<Bits>(quiet + sign)}) {
    bits.push_back(nan);
  }
  for (std::size_t i = 0; i + 1 < bits.size(); ++i) {
    EXPECT_LT(ordered_bits(type, bits[i]), ordered_bits(type, bits[i + 1]))
        << name_of(type) << " place " << i;
  }
}

TEST(OrderedBits, FloatsOrderAsNumPyDoesAndNaNComesLast) {
  expect_float_order<float, std::uint32_t>(KeyType::f32, 0x7fc00000, 0x80000000);
  expect_float_order<double, std::uint64_t>(KeyType::f64, 0x7ff8000000000000, 0x8000000000000000);
}

TEST(OrderedBits, SixteenBitFloatsOrderByTheirValues) {
  // A bfloat16 is the upper half of a float; a half is converted by its definition.
  const auto value_of = [](KeyType type, std::uint32_t bits) -> double {
    if (type == KeyType::bf16) return std::bit_cast<float>(bits << 16);
    const int exponent = static_cast<int>(bits >> 10 & 0x1f);
    const double mantissa = bits & 0x3ff;
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) {
      return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                           : std::numeric_limits<double>::quiet_NaN();
    }
    return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
  };
  for (const KeyType type : {KeyType::f16, KeyType::bf16}) {
    std::vector<std::uint32_t> by_place(65536);
    for (std::uint32_t bits = 0; bits < 65536; ++bits) by_place[ordered_bits(type, bits)] = bits;
    for (std::size_t i = 0; i + 1 < by_place.size(); ++i) {
      const double a = value_of(type, by_place[i]);
      const double b = value_of(type, by_place[i + 1]);
      ASSERT_TRUE(std::isnan(b) || a < b || (a == 0 && b == 0 && std::signbit(a) && !std::signbit(b)))
          << name_of(type) << " " << by_place[i] << " before " << by_place[i + 1];
    }
  }
}

TEST(IsSorted, NamesTheFirstWrongPlace) {
  const std::uint32_t keys[] = {1, 2, 2, 5, 4, 3};
  std::uint64_t at = 99;
  EXPECT_FALSE(is_sorted(keys, 6, KeyType::u32, Order::ascending, &at));
  EXPECT_EQ(at, 3u);
  EXPECT_FALSE(is_sorted(keys, 6, KeyType::u32, Order::descending, &at));
  EXPECT_EQ(at, 0u);
  EXPECT_TRUE(is_sorted(keys, 4, KeyType::u32, Order::ascending));
  EXPECT_TRUE(is_sorted(keys + 3, 3, KeyType::u32, Order::descending));
  EXPECT_TRUE(is_sorted(nullptr, 0, KeyType::u32, Order::ascending));
}

TEST(IsSorted, TellsTheZerosApart) {
  const float keys[] = {0.0f, -0.0f};
  EXPECT_FALSE(is_sorted(keys, 2, KeyType::f32, Order::ascending));
  EXPECT_TRUE(is_sorted(keys, 2, KeyType::f32, Order::descending));
}

}  // namespace
}  // namespace bitune
