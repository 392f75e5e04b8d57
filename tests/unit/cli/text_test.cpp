#include "cli/formats/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "bitune/error.hpp"

namespace bitune::cli {
namespace {

template <class T>
std::vector<T> values_of(const KeyArray& keys) {
  std::vector<T> values(keys.count());
  std::memcpy(values.data(), keys.bytes.data(), keys.bytes.size());
  return values;
}

template <class T>
std::vector<T> parse(std::string_view text, KeyType type) {
  return values_of<T>(parse_text(text, type, "f"));
}

std::string text_error_of(std::string_view text, std::optional<KeyType> type) {
  try {
    static_cast<void>(parse_text(text, type, "f.txt"));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    return error.what();
  }
  return "no error";
}

TEST(Text, ReadsIntegers) {
  EXPECT_EQ((parse<std::uint8_t>("0\n255\n", KeyType::u8)), (std::vector<std::uint8_t>{0, 255}));
  EXPECT_EQ((parse<std::int8_t>("-128\n127", KeyType::i8)), (std::vector<std::int8_t>{-128, 127}));
  EXPECT_EQ((parse<std::int64_t>(" +5 \r\n\t-6\r\n\n\n", KeyType::i64)), (std::vector<std::int64_t>{5, -6}));
  EXPECT_EQ((parse<std::uint64_t>("18446744073709551615", KeyType::u64)),
            (std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max()}));
}

TEST(Text, ReadsFloats) {
  const auto values = parse<float>("1.5\n-0.0\ninf\n-inf\nnan\n1e-50\n+2", KeyType::f32);
  ASSERT_EQ(values.size(), 7U);
  EXPECT_EQ(values[0], 1.5F);
  EXPECT_TRUE(std::signbit(values[1]));
  EXPECT_EQ(values[2], std::numeric_limits<float>::infinity());
  EXPECT_EQ(values[3], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(values[4]));
  EXPECT_EQ(values[5], 0.0F);
  EXPECT_EQ(values[6], 2.0F);
}

TEST(Text, ReadsSixteenBitFloats) {
  EXPECT_EQ((parse<std::uint16_t>("1\n65504\n-2\ninf", KeyType::f16)),
            (std::vector<std::uint16_t>{0x3c00, 0x7bff, 0xc000, 0x7c00}));
  EXPECT_EQ((parse<std::uint16_t>("1\n3e38", KeyType::bf16)), (std::vector<std::uint16_t>{0x3f80, 0x7f62}));
}

TEST(Text, ChoosesATypeByItself) {
  EXPECT_EQ(parse_text("3\n-1\n2\n", std::nullopt, "f").type, KeyType::i64);
  const KeyArray mixed = parse_text("3\n1.5\n2\n", std::nullopt, "f");
  EXPECT_EQ(mixed.type, KeyType::f64);
  EXPECT_EQ((values_of<double>(mixed)), (std::vector<double>{3, 1.5, 2}));
  // Rounding it to f64 would be silent.
  EXPECT_NE(text_error_of("9223372036854775808", std::nullopt).find("out of the range of i64"),
            std::string::npos);
}

TEST(Text, ErrorsNameFileAndLine) {
  EXPECT_EQ(text_error_of("1\n2\nx\n", KeyType::u32), "f.txt, line 3: 'x' is not a number of type u32");
  EXPECT_EQ(text_error_of("1\nnan\n", KeyType::i32), "f.txt, line 2: 'nan' is not a number of type i32");
  EXPECT_EQ(text_error_of("1\n\n3\n", KeyType::i32), "f.txt, line 2: '' is not a number of type i32");
  EXPECT_EQ(text_error_of("256", KeyType::u8),
            "f.txt, line 1: 256 is out of the range of u8; give another --type");
  EXPECT_EQ(text_error_of("-1", KeyType::u64),
            "f.txt, line 1: -1 is out of the range of u64; give another --type");
  for (const auto& [text, type] : std::vector<std::pair<std::string, KeyType>>{{"1e39", KeyType::f32},
                                                                               {"1e400", KeyType::f64},
                                                                               {"65520", KeyType::f16},
                                                                               {"3.4e38", KeyType::bf16},
                                                                               {"-129", KeyType::i8}}) {
    EXPECT_NE(text_error_of(text, type).find("out of the range"), std::string::npos) << text;
  }
  for (const char* text : {"1 2", "1,2", "0x10", "1.5.2", "--1", "+-1", "1e", "\x01\x02", "nanx"}) {
    EXPECT_NE(text_error_of(text, KeyType::f64).find("is not a number"), std::string::npos) << text;
  }
  EXPECT_NE(text_error_of("1.5", KeyType::i32).find("is not a number of type i32"), std::string::npos);
  EXPECT_NE(text_error_of("", std::nullopt).find("is empty"), std::string::npos);
  EXPECT_NE(text_error_of(" \n\n", KeyType::f32).find("is empty"), std::string::npos);
  EXPECT_LT(text_error_of(std::string(10000, 'x'), KeyType::f32).size(), 120U);
  EXPECT_EQ(text_error_of(std::string("1\0", 2), KeyType::i32),
            "f.txt, line 1: '1?' is not a number of type i32");
}

TEST(Text, WritesWhatReadsBackTheSame) {
  const auto round_trip = [](KeyType type, const auto& values) {
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
    std::string text;
    append_text(text, type, bytes, values.size());
    const KeyArray back = parse_text(text, type, "f");
    EXPECT_EQ(back.bytes, (std::vector<std::byte>(bytes, bytes + values.size() * size_of(type)))) << text;
  };
  round_trip(KeyType::f32, std::vector<float>{0.1F, -0.0F, 1e-45F, 3.4028235e38F, 16777217.0F});
  round_trip(KeyType::f64, std::vector<double>{0.1, 5e-324, 1.7976931348623157e308, -1.0 / 3});
  round_trip(KeyType::i64, std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), -1, 7});
  for (const KeyType type : {KeyType::f16, KeyType::bf16}) {
    std::vector<std::uint16_t> all;
    const int infinity = type == KeyType::f16 ? 0x7c00 : 0x7f80;
    for (int bits = 0; bits < 0x10000; ++bits) {
      if ((bits & 0x7fff) <= infinity) {
        all.push_back(static_cast<std::uint16_t>(bits));
      }
    }
    round_trip(type, all);
  }
}

TEST(Text, WritesTheShortestDigits) {
  const std::vector<std::uint16_t> halves = {0x2e66, 0x3c00, 0x7bff, 0x7e00, 0xfc00};
  std::string text;
  append_text(text, KeyType::f16, reinterpret_cast<const std::byte*>(halves.data()), halves.size());
  EXPECT_EQ(text, "0.1\n1\n65500\nnan\n-inf\n");
}

}  // namespace
}  // namespace bitune::cli
