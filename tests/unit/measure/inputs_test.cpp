#include "measure/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "bitune/error.hpp"
#include "model/key_order.hpp"
#include "model/key_type.hpp"

namespace bitune {
namespace {

std::uint64_t key_at(const std::vector<std::byte>& keys, KeyType type, std::uint64_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, keys.data() + i * size_of(type), size_of(type));
  return bits;
}

std::set<std::uint64_t> distinct(const std::vector<std::byte>& keys, KeyType type) {
  std::set<std::uint64_t> values;
  for (std::uint64_t i = 0; i < keys.size() / size_of(type); ++i) values.insert(key_at(keys, type, i));
  return values;
}

/// Ranks of the finite floats lie between those of -infinity and +infinity.
bool is_finite(KeyType type, std::uint64_t bits) {
  if (!is_floating_point(type)) return true;
  const std::uint64_t infinity = type == KeyType::f16    ? 0x7C00
                                 : type == KeyType::bf16 ? 0x7F80
                                 : type == KeyType::f32  ? 0x7F800000
                                                         : 0x7FF0000000000000;
  const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(type) - 1);
  return (bits & ~sign) < infinity;
}

class Inputs : public testing::TestWithParam<KeyType> {};

TEST_P(Inputs, SortedAndReversedAreInOrderAndSpanTheType) {
  // More keys than an 8-bit type has values, and fewer than a 16-bit type has.
  for (const std::uint64_t n : {1ull, 2ull, 1000ull, 70001ull}) {
    const auto up = make_keys(GetParam(), n, Distribution::sorted, 1);
    const auto down = make_keys(GetParam(), n, Distribution::reversed, 1);
    EXPECT_TRUE(is_sorted(up.data(), n, GetParam(), Order::ascending)) << n;
    EXPECT_TRUE(is_sorted(down.data(), n, GetParam(), Order::descending)) << n;
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_TRUE(is_finite(GetParam(), key_at(up, GetParam(), i))) << i;
    if (n == 1000) {
      EXPECT_GE(distinct(up, GetParam()).size(), size_of(GetParam()) == 1 ? 256u : 1000u);
    }
  }
}

TEST_P(Inputs, PlacesAreThoseOfTheOrderOfKeys) {
  const made::KeyRanks ranks = key_facts_of(GetParam()).ranks();
  const auto in = [&](std::uint64_t bits) {
    return ranks.place(bits, false) == ordered_bits(GetParam(), bits);
  };
  for (const Distribution distribution : {Distribution::random, Distribution::special}) {
    const auto keys = make_keys(GetParam(), 70001, distribution, 3);
    for (std::uint64_t i = 0; i < 70001; ++i) {
      const std::uint64_t bits = key_at(keys, GetParam(), i);
      ASSERT_TRUE(in(bits)) << std::hex << bits;
      const bool is_nan = is_floating_point(GetParam()) &&
                          (bits & (ranks.all_bits() >> 1)) > key_facts_of(GetParam()).infinity;
      const std::uint64_t first_nan = 2 * (key_facts_of(GetParam()).infinity + 1);
      ASSERT_EQ(ranks.place(bits, true), is_nan ? first_nan : ranks.place(bits, false)) << std::hex << bits;
    }
  }
}

TEST_P(Inputs, RandomKeysAreFiniteSeededAndVaried) {
  const auto keys = make_keys(GetParam(), 4096, Distribution::random, 7);
  EXPECT_EQ(keys, make_keys(GetParam(), 4096, Distribution::random, 7));
  EXPECT_NE(keys, make_keys(GetParam(), 4096, Distribution::random, 8));
  EXPECT_FALSE(is_sorted(keys.data(), 4096, GetParam(), Order::ascending));
  for (std::uint64_t i = 0; i < 4096; ++i)
    ASSERT_TRUE(is_finite(GetParam(), key_at(keys, GetParam(), i))) << i;
  EXPECT_GE(distinct(keys, GetParam()).size(), size_of(GetParam()) == 1 ? 250u : 3500u);
}

TEST_P(Inputs, FewDistinctAllEqualAndSawtoothAreWhatTheySay) {
  const auto type = GetParam();
  EXPECT_EQ(distinct(make_keys(type, 1000, Distribution::all_equal, 3), type).size(), 1u);
  const auto few = distinct(make_keys(type, 5000, Distribution::few_distinct, 3), type).size();
  EXPECT_GE(few, 10u);
  EXPECT_LE(few, 16u);
  const auto teeth = make_keys(type, 3000, Distribution::sawtooth, 3);
  EXPECT_TRUE(is_sorted(teeth.data(), 1021, type, Order::ascending));
  EXPECT_TRUE(is_sorted(teeth.data() + 1021 * size_of(type), 1021, type, Order::ascending));
  EXPECT_FALSE(is_sorted(teeth.data(), 1022, type, Order::ascending));
}

TEST_P(Inputs, SpecialKeysHoldTheEdges) {
  const auto type = GetParam();
  const auto values = distinct(make_keys(type, 20000, Distribution::special, 3), type);
  const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(type) - 1);
  const std::uint64_t all = sign | (sign - 1);
  for (const std::uint64_t edge : {std::uint64_t{0}, sign, all, sign - 1, std::uint64_t{1}}) {
    EXPECT_TRUE(values.contains(edge)) << edge;
  }
  if (!is_floating_point(type)) return;
  std::uint64_t positive_nans = 0;
  std::uint64_t negative_nans = 0;
  bool infinite = false;
  for (const std::uint64_t bits : values) {
    if (is_finite(type, bits)) continue;
    infinite = infinite || (is_finite(type, bits - 1));
    (bits & sign ? negative_nans : positive_nans) += is_finite(type, bits - 1) ? 0 : 1;
  }
  EXPECT_TRUE(infinite);
  EXPECT_GE(positive_nans, 4u);
  EXPECT_GE(negative_nans, 4u);
}

TEST_P(Inputs, OneKeyInTenIsNan) {
  const auto type = GetParam();
  const auto keys = make_keys(type, 20000, Distribution::some_nan, 3);
  const made::KeyRanks ranks = key_facts_of(type).ranks();
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t bits = key_at(keys, type, i);
    last += bits == ranks.last_key() ? 1 : 0;
    if (is_floating_point(type)) ASSERT_EQ(is_finite(type, bits), bits != ranks.last_key()) << i;
  }
  EXPECT_GE(last, 1800u);
  EXPECT_LE(last, 2300u);
}

TEST_P(Inputs, KeysNearOneDifferInTheLowerHalfOfTheirBits) {
  const auto type = GetParam();
  const auto values = distinct(make_keys(type, 20000, Distribution::near_one, 3), type);
  const std::uint64_t lower = (std::uint64_t{1} << (4 * size_of(type))) - 1;
  EXPECT_EQ(key_facts_of(type).ranks().lower_half(), lower);
  EXPECT_GE(values.size(), std::min<std::uint64_t>(lower + 1, 15000) * 9 / 10);
  for (const std::uint64_t bits : values) {
    ASSERT_TRUE(is_finite(type, bits));
    ASSERT_EQ(bits & ~lower, key_facts_of(type).ranks().one() & ~lower);
  }
}

TEST_P(Inputs, KeysByZipfAreAsManyBetweenAnyTwoPowersOfTwo) {
  const auto type = GetParam();
  const made::KeyRanks ranks = key_facts_of(type).ranks();
  const auto keys = make_keys(type, 20000, Distribution::zipf, 3);
  std::map<std::uint64_t, std::uint64_t> counts;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    ASSERT_TRUE(is_finite(type, key_at(keys, type, i)));
    ++counts[key_at(keys, type, i)];
  }
  const double expected = 20000.0 / static_cast<double>(ranks.powers());
  EXPECT_NEAR(static_cast<double>(counts[ranks.key(1)]), expected, expected / 4);
  EXPECT_NEAR(static_cast<double>(counts[ranks.key(2)] + counts[ranks.key(3)]), expected, expected / 4);
}

TEST(NormalKeys, AreOfTheStandardNormalDistribution) {
  const auto keys = make_keys(KeyType::f64, 20000, Distribution::normal, 3);
  double sum = 0;
  double squares = 0;
  int near = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto x = std::bit_cast<double>(key_at(keys, KeyType::f64, i));
    ASSERT_LT(std::abs(x), 6);
    sum += x;
    squares += x * x;
    near += std::abs(x) < 1 ? 1 : 0;
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.05);
  EXPECT_NEAR(near / 20000.0, 0.683, 0.02);
}

TEST(NormalKeys, AreTheSameNumbersInEveryType) {
  const auto wide = make_keys(KeyType::f64, 5000, Distribution::normal, 3);
  const auto single = make_keys(KeyType::f32, 5000, Distribution::normal, 3);
  const auto signed_integers = make_keys(KeyType::i32, 5000, Distribution::normal, 3);
  const auto unsigned_integers = make_keys(KeyType::u16, 5000, Distribution::normal, 3);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const auto x = std::bit_cast<double>(key_at(wide, KeyType::f64, i));
    const auto f32 = std::bit_cast<float>(static_cast<std::uint32_t>(key_at(single, KeyType::f32, i)));
    ASSERT_NEAR(f32, x, std::abs(x) * 1.2e-7);
    const auto i32 = static_cast<std::int32_t>(key_at(signed_integers, KeyType::i32, i));
    ASSERT_NEAR(i32, x * (1 << 28), 1);
    ASSERT_NEAR(static_cast<double>(key_at(unsigned_integers, KeyType::u16, i)), 32768 + x * 4096, 1);
  }
}

TEST(NormalKeys, SmallNumbersHaveAFractionAlone) {
  const made::KeyRanks half = key_facts_of(KeyType::f16).ranks();
  const made::Bits middle = made::Bits{6} << 58;
  EXPECT_EQ(half.normal_key(middle), 0u);                          // 0
  EXPECT_EQ(half.normal_key(middle + (made::Bits{1} << 34)), 1u);  // 2^-24
  EXPECT_EQ(half.normal_key(middle - (made::Bits{1023} << 34)), 0x8000u + 1023);
  EXPECT_EQ(half.normal_key(middle + (made::Bits{1024} << 34)), 1024u);  // 2^-14
  EXPECT_EQ(half.normal_key(middle + (made::Bits{3} << 57)), 0x3E00u);   // 1.5
  EXPECT_EQ(half.normal_key(0), 0xC600u);                                // -6
}

TEST_P(Inputs, NormalKeysAreFiniteAndOnBothSidesOfTheMiddle) {
  const auto type = GetParam();
  const auto keys = make_keys(type, 20000, Distribution::normal, 3);
  const made::KeyRanks ranks = key_facts_of(type).ranks();
  const made::Bits middle = ranks.place(ranks.normal_key(made::Bits{6} << 58), false);
  std::uint64_t below = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    ASSERT_TRUE(is_finite(type, key_at(keys, type, i)));
    below += ranks.place(key_at(keys, type, i), false) < middle ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(below), 10000, 500);
}

TEST_P(Inputs, PartsMadeByThreadsJoinWithoutASeam) {
  // Large enough for several threads; the beginning is the same as of a small array, which one thread makes.
  const std::uint64_t n = (std::uint64_t{1} << 21) + 12345;
  const auto many = make_keys(GetParam(), n, Distribution::random, 5);
  const auto few = make_keys(GetParam(), 1000, Distribution::random, 5);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  const auto sorted = make_keys(GetParam(), n, Distribution::sorted, 5);
  EXPECT_TRUE(is_sorted(sorted.data(), n, GetParam(), Order::ascending));
  const auto zero = [](std::byte byte) { return byte == std::byte{}; };
  EXPECT_FALSE(std::all_of(many.end() - 64, many.end(), zero));
}

INSTANTIATE_TEST_SUITE_P(AllTypes, Inputs, testing::ValuesIn(all_key_types),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

TEST(InputNames, RoundTripAndRefuse) {
  for (const Distribution distribution : named_distributions) {
    EXPECT_EQ(parse_distribution(name_of(distribution)), distribution);
  }
  try {
    (void)parse_distribution("gaussian");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find("few_distinct"), std::string::npos);
  }
}

TEST(InputSpans, AnyAlignmentAndARemainder) {
  std::vector<std::byte> bytes(1 + 10 * 4 + 3, std::byte{0xEE});
  fill_keys(std::span(bytes).subspan(1), KeyType::u32, Distribution::random, 1);
  const auto keys = make_keys(KeyType::u32, 10, Distribution::random, 1);
  EXPECT_TRUE(std::equal(keys.begin(), keys.end(), bytes.begin() + 1));
  EXPECT_EQ(bytes.front(), std::byte{0xEE});
  EXPECT_EQ(bytes.back(), std::byte{0xEE});
}

}  // namespace
}  // namespace bitune
