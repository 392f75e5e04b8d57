#include "cli/formats/half.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace bitune::cli {
namespace {

TEST(Half, EveryNumberSurvives) {
  for (const KeyType type : {KeyType::f16, KeyType::bf16}) {
    for (int bits = 0; bits < 0x10000; ++bits) {
      const double value = from_half(type, static_cast<std::uint16_t>(bits));
      if (!std::isnan(value)) {
        ASSERT_EQ(to_half(type, value), bits);
      }
    }
  }
}

TEST(Half, Bf16IsTheUpperHalfOfF32) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const double expected = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    const double value = from_half(KeyType::bf16, static_cast<std::uint16_t>(bits));
    ASSERT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected))) << bits;
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(to_half(KeyType::f16, 1 + std::ldexp(1, -11)), 0x3c00);      // half way: down to even
  EXPECT_EQ(to_half(KeyType::f16, 1 + 3 * std::ldexp(1, -11)), 0x3c02);  // half way: up to even
  EXPECT_EQ(to_half(KeyType::f16, 65519.99), 0x7bff);
  EXPECT_EQ(to_half(KeyType::f16, 65520), 0x7c00);
  EXPECT_EQ(to_half(KeyType::f16, std::ldexp(1, -25)), 0);
  EXPECT_EQ(to_half(KeyType::f16, std::ldexp(1.0001, -25)), 1);
  EXPECT_EQ(to_half(KeyType::f16, -1e-300), 0x8000);
  EXPECT_EQ(to_half(KeyType::bf16, std::numeric_limits<double>::max()), 0x7f80);
}

TEST(Half, KeepsNaNAndItsSign) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(to_half(KeyType::f16, nan), 0x7e00);
  EXPECT_EQ(to_half(KeyType::bf16, std::copysign(nan, -1.0)), 0xffc0);
  EXPECT_TRUE(std::isnan(from_half(KeyType::f16, 0xfc01)));
}

}  // namespace
}  // namespace bitune::cli
