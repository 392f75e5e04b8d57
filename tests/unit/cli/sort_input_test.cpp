#include "cli/sort_input.hpp"

#include <gtest/gtest.h>

#include "bitune/error.hpp"

namespace bitune::cli {
namespace {

KeyArray array_of(std::vector<std::uint64_t> shape) {
  KeyArray keys;
  keys.type = KeyType::u16;
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    count *= extent;
  }
  keys.shape = std::move(shape);
  keys.bytes.resize(2 * count);
  return keys;
}

TEST(SortInput, RowsFollowTheShape) {
  EXPECT_EQ(rows_of(array_of({12}), "", "f"), 1U);
  EXPECT_EQ(rows_of(array_of({12}), "auto", "f"), 1U);
  EXPECT_EQ(rows_of(array_of({12}), "3", "f"), 3U);
  EXPECT_EQ(rows_of(array_of({3, 4}), "3", "f"), 3U);
  EXPECT_EQ(rows_of(array_of({2, 3, 4}), "auto", "f"), 6U);
  EXPECT_EQ(rows_of(array_of({0, 4}), "auto", "f"), 0U);
}

TEST(SortInput, RowsThatDoNotFitAreRefused) {
  const auto error_of = [](const KeyArray& keys, const std::string& option) -> std::string {
    try {
      static_cast<void>(rows_of(keys, option, "f.npy"));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(error_of(array_of({3, 4}), "").find("has the shape (3, 4); give --rows 3"), std::string::npos);
  EXPECT_NE(error_of(array_of({3, 4}), "4").find("has 3 rows, not the 4"), std::string::npos);
  EXPECT_NE(error_of(array_of({10}), "3").find("10 keys, which do not make 3 rows"), std::string::npos);
  EXPECT_NE(error_of(array_of({10}), "0").find("1 or more"), std::string::npos);
  EXPECT_NE(error_of(array_of({10}), "many"), "no error");
}

TEST(SortInput, GeneratesTheSameKeysForASeed) {
  const SortInput first = generate_input("random:1000", KeyType::f32, 3);
  EXPECT_EQ(first.keys.count(), 1000U);
  EXPECT_EQ(first.keys.bytes, generate_input("random:1000", KeyType::f32, 3).keys.bytes);
  EXPECT_NE(first.keys.bytes, generate_input("random:1000", KeyType::f32, 4).keys.bytes);
  for (const char* what : {"random", "random:", "strange:10", "random:x", ":5"}) {
    EXPECT_THROW(static_cast<void>(generate_input(what, KeyType::u8, 1)), Error) << what;
  }
}

}  // namespace
}  // namespace bitune::cli
