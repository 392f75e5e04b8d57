#include "model/problem.hpp"

#include <gtest/gtest.h>

#include "bitune/error.hpp"

namespace bitune {
namespace {

TEST(Problem, TextNamesOnlyWhatIsNotUsual) {
  Problem problem;
  problem.n = 1048576;
  EXPECT_EQ(text_of(problem), "sort u32 ascending n=1048576");
  problem = {
      {.operation = Operation::sort_pairs, .key = KeyType::f64, .value_bytes = 4, .order = Order::descending},
      {.n = 100, .rows = 7}};
  EXPECT_EQ(text_of(problem), "sort_pairs f64 descending n=100 rows=7 value_bytes=4");
}

TEST(Problem, KeyBytesStopAt2ToThe63) {
  Problem problem;
  problem.n = 3;
  problem.rows = 5;
  EXPECT_EQ(key_bytes(problem), 60u);
  problem.rows = 1;
  problem.n = std::uint64_t{1} << 61;
  EXPECT_EQ(key_bytes(problem), std::uint64_t{1} << 63);
  problem.n += 1;
  EXPECT_THROW(static_cast<void>(key_bytes(problem)), Error);
  problem.rows = std::uint64_t{1} << 40;
  problem.n = std::uint64_t{1} << 40;
  EXPECT_THROW(static_cast<void>(key_bytes(problem)), Error);
  problem.n = 0;
  EXPECT_EQ(key_bytes(problem), 0u);
}

TEST(Sizes, EveryFormIsRead) {
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("2^20"), std::uint64_t{1} << 20);
  EXPECT_EQ(parse_size("2^63"), std::uint64_t{1} << 63);
  EXPECT_EQ(parse_size("10^3"), 1000u);
  EXPECT_EQ(parse_size("1e6"), 1000000u);
  EXPECT_EQ(parse_size("64K"), 65536u);
  EXPECT_EQ(parse_size("16M"), std::uint64_t{16} << 20);
  EXPECT_EQ(parse_size("2g"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_size(" 12 "), 12u);
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("18446744073709551615"), ~std::uint64_t{0});
}

TEST(Sizes, WhatIsNoSizeIsRefused) {
  for (const char* text :
       {"", " ", "-1", "+5", "1.5", "2^", "^2", "2^64", "1e20", "K", "1KK", "0x10", "12 34",
        "18446744073709551616", "17179869184G", "2^-1", "1e", "e6", "2^99999999999999999999"}) {
    try {
      ADD_FAILURE() << "'" << text << "' was read as " << parse_size(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_NE(std::string(error.what()).find("2^20"), std::string::npos) << "no example: " << error.what();
    }
  }
}

TEST(Sizes, DegeneratePowersEndAtOnce) {
  EXPECT_EQ(parse_size("1^18446744073709551615"), 1u);
  EXPECT_EQ(parse_size("0^18446744073709551615"), 0u);
  EXPECT_EQ(parse_size("0^0"), 1u);
}

TEST(Sizes, RangesAndListsAreSortedWithoutDuplicates) {
  using Sizes = std::vector<std::uint64_t>;
  EXPECT_EQ(parse_sizes("2^10..2^13"), (Sizes{1024, 2048, 4096, 8192}));
  EXPECT_EQ(parse_sizes("2^10..2^14:2"), (Sizes{1024, 4096, 16384}));
  EXPECT_EQ(parse_sizes("2^10..2^13:5"), (Sizes{1024}));
  EXPECT_EQ(parse_sizes("1000..5000"), (Sizes{1024, 2048, 4096}));
  EXPECT_EQ(parse_sizes("5, 2^2..2^3 ,4,1"), (Sizes{1, 4, 5, 8}));
  EXPECT_EQ(parse_sizes("2^63..18446744073709551615"), (Sizes{std::uint64_t{1} << 63}));
  EXPECT_EQ(parse_sizes("0..2"), (Sizes{1, 2}));
}

TEST(Sizes, WrongRangesAreRefused) {
  for (const char* text : {"", ",", "1,", "2^13..2^10", "5..7", "2^10..", "..2^10", "2^10..2^12:0",
                           "2^10..2^12:x", "2^10..2^12:64", "1..2..3", "1;2"}) {
    EXPECT_THROW(static_cast<void>(parse_sizes(text)), Error) << text;
  }
}

TEST(Sizes, RowsThatMakeATotal) {
  EXPECT_EQ(rows_in_total(std::uint64_t{1} << 26, 128), std::uint64_t{1} << 19);
  EXPECT_EQ(rows_in_total(1000, 300), 3u);
  EXPECT_EQ(rows_in_total(7, 7), 1u);
  EXPECT_THROW(static_cast<void>(rows_in_total(7, 8)), Error);
  EXPECT_THROW(static_cast<void>(rows_in_total(7, 0)), Error);
}

TEST(Sizes, OneLengthIsThatOfAllSegments) {
  const auto length = [](std::uint64_t keys, std::uint64_t segments) {
    return equal_length({.n = keys, .rows = segments, .ragged = true});
  };
  EXPECT_EQ(length(300, 3), 100u);
  EXPECT_EQ(length(301, 3), 0u);
  EXPECT_EQ(length(0, 3), 0u);
  EXPECT_EQ(length(7, 0), 0u);
  EXPECT_EQ(length((std::uint64_t{1} << 32) - 1, 1), 0xffffffffu);
  EXPECT_EQ(length(std::uint64_t{1} << 32, 1), 0u) << "32 bits do not hold it";
}

TEST(Sizes, TextIsShortForPowersOfTwo) {
  EXPECT_EQ(size_text(1024), "2^10");
  EXPECT_EQ(size_text(std::uint64_t{1} << 31), "2^31");
  EXPECT_EQ(size_text(512), "512");
  EXPECT_EQ(size_text(1025), "1025");
  EXPECT_EQ(size_text(0), "0");
}

}  // namespace
}  // namespace bitune
