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
  EXPECT_EQ(parse_text("9223372036854775808\n1", std::nullopt, "f").type, KeyType::u64);
  EXPECT_EQ(parse_text(" \n", std::nullopt, "f").type, KeyType::i64);
  EXPECT_EQ(parse_text("", KeyType::u8, "f").type, KeyType::u8);
  EXPECT_EQ(parse_text("\n\n", std::nullopt, "f").count(), 0U);
}

TEST(Text, NothingIsLostWithoutAWord) {
  // f64 holds these integers, or they are fractions, which are rounded everywhere.
  const std::string held = "9007199254740992\n-18446744073709551616\n1e-320\n0e-999\n0.12345678901234567891";
  EXPECT_EQ(parse_text(held, std::nullopt, "f").type, KeyType::f64);
  for (const auto& [text, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"1.5\n9007199254740993", "line 2: 9007199254740993 would become 9007199254740992"},
           {"18446744073709551615\n-1", "line 1: 18446744073709551615 would become"},
           {"-9223372036854775809", "line 1: -9223372036854775809 would become"},
           {"1\n-1e-400", "line 2: -1e-400 would become -0"},
           {"1e400", "no key type holds it"}}) {
    EXPECT_NE(text_error_of(text, std::nullopt).find(sentence), std::string::npos)
        << text << ": " << text_error_of(text, std::nullopt);
  }
  EXPECT_EQ((parse<double>("1.5\n9007199254740993\n1e-400", KeyType::f64)),
            (std::vector<double>{1.5, 9007199254740992, 0}))
      << "who asks for f64 gets the nearest";
}

TEST(Text, ReadsSeveralNumbersALine) {
  const auto shape_of = [](std::string_view text) { return parse_text(text, std::nullopt, "f").shape; };
  EXPECT_EQ(shape_of("1,2,3\n4,5,6\n"), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(shape_of("1  2\t 3 \r\n4 5 6"), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(shape_of("1 2 3"), (std::vector<std::uint64_t>{3})) << "one line is a list";
  EXPECT_EQ(shape_of("1\n2\n3"), (std::vector<std::uint64_t>{3}));
  EXPECT_EQ((values_of<std::int64_t>(parse_text("\xef\xbb\xbf\"7\" ; 8\n9;-1", std::nullopt, "f"))),
            (std::vector<std::int64_t>{7, 8, 9, -1}));
  const KeyArray ragged = parse_text("1,2,3\n4", std::nullopt, "f");
  EXPECT_TRUE(ragged.ragged);
  EXPECT_EQ(ragged.shape, (std::vector<std::uint64_t>{4}));
  EXPECT_FALSE(parse_text("1,2\n3,4", std::nullopt, "f").ragged);
  EXPECT_NE(text_error_of("1,2\n3,,4", std::nullopt).find("line 2: '' is not a number"), std::string::npos);
  EXPECT_NE(text_error_of("1,2,", std::nullopt).find("'' is not a number"), std::string::npos);
  EXPECT_NE(text_error_of("1,5;2,5", KeyType::f64).find("'5;2' is not a number"), std::string::npos);
}

TEST(Text, HintsAtWhatItMayBe) {
  EXPECT_NE(text_error_of("price\n1", std::nullopt).find("with --key"), std::string::npos);
  EXPECT_EQ(text_error_of("1\nprice", std::nullopt).find("with --key"), std::string::npos);
  EXPECT_NE(text_error_of(std::string("a\0b", 3), std::nullopt).find("--format raw and --type"),
            std::string::npos);
  EXPECT_NE(text_error_of(std::string("a\0b", 3), KeyType::u8).find("give --format raw"), std::string::npos);
  EXPECT_FALSE(looks_like_text(std::string_view("\0", 1)));
  EXPECT_TRUE(looks_like_text("1\t2\r\n\xc3\xa4"));
}

TEST(Text, KeysCountAgainstTheLimit) {
  try {
    static_cast<void>(parse_text("1\n2\n3\n", std::nullopt, "f.txt", {.bytes = 29, .reason = "a test"}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              std::string("f.txt takes 30 bytes of memory, and an input may take 29 bytes (a test); "
                          "--max-bytes sets another limit"));
  }
  EXPECT_EQ(parse_text("1\n2\n3\n", std::nullopt, "f.txt", {.bytes = 30, .reason = ""}).count(), 3U);
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
  for (const char* text : {"0x10", "1.5.2", "--1", "+-1", "1e", "\x01\x02", "nanx"}) {
    EXPECT_NE(text_error_of(text, KeyType::f64).find("is not a number"), std::string::npos) << text;
  }
  EXPECT_NE(text_error_of("1.5", KeyType::i32).find("is not a number of type i32"), std::string::npos);
  EXPECT_LT(text_error_of(std::string(10000, 'x'), KeyType::f32).size(), 200U);
  EXPECT_EQ(text_error_of(std::string("1\0", 2), KeyType::i32),
            "f.txt, line 1: '1?' is not a number of type i32; if these are raw keys, give --format raw");
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
