#include "measure/segments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "runtime/segment_bounds.hpp"

namespace bitune {
namespace {

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MakeLengths, GiveTheKeysAndTheDistributionThatWereAskedFor) {
  for (const Lengths lengths : all_lengths) {
    for (const auto& [n, rows] : {std::pair<std::uint64_t, std::uint64_t>{100000, 1000},
                                  {100000, 1},
                                  {0, 7},
                                  {3, 100},
                                  {1 << 20, 1 << 16}}) {
      const Shape shape{.n = n, .rows = rows, .ragged = true};
      const auto made = make_lengths(shape, std::string(name_of(lengths)), 5);
      EXPECT_EQ(shape_of_lengths(made), shape) << name_of(lengths);
      EXPECT_EQ(made, make_lengths(shape, std::string(name_of(lengths)), 5));
      if (lengths != Lengths::equal && n > 1000 && rows > 1) {
        EXPECT_NE(made, make_lengths(shape, std::string(name_of(lengths)), 6)) << name_of(lengths);
      }
    }
  }
  EXPECT_TRUE(make_lengths({.n = 0, .rows = 0, .ragged = true}, "zipf", 1).empty());

  const Shape shape{.n = 100 * 10000, .rows = 10000, .ragged = true};
  const auto sorted = [&](const char* source) {
    auto made = make_lengths(shape, source, 1);
    std::sort(made.begin(), made.end());
    return made;
  };
  const auto equal = sorted("equal");
  EXPECT_EQ(equal.front(), 100u);
  EXPECT_EQ(equal.back(), 100u);
  const auto uniform = sorted("uniform");
  EXPECT_LT(uniform.front(), 3u);
  EXPECT_NEAR(static_cast<double>(uniform.back()), 200, 6);
  const auto few = sorted("few_long");
  EXPECT_NEAR(static_cast<double>(few[9800]), 25, 3);
  EXPECT_NEAR(static_cast<double>(few.back()), 7500, 700);
  const auto zipf = sorted("zipf");
  EXPECT_NEAR(static_cast<double>(zipf[5000]) / static_cast<double>(zipf[0]), std::pow(2, 1 / 1.2), 0.2);
  EXPECT_GT(zipf.back(), 10000u);
  const auto mixed = sorted("mixed");
  const auto longer =
      std::count_if(mixed.begin(), mixed.end(), [](std::uint64_t length) { return length > 5000; });
  EXPECT_NEAR(static_cast<double>(longer), 37, 15);  // a third of those of few_long, and of zipf
  EXPECT_GT(mixed.back(), 10000u);
}

TEST(MakeLengths, ReadAFileOfTheUsersOwn) {
  const auto path = std::filesystem::temp_directory_path() / "bitune_lengths_test.txt";
  const auto write = [&](const char* text) { std::ofstream(path) << text; };
  write("3\n0\r\n  12 5\n");
  EXPECT_TRUE(is_file_of_lengths(path.string()));
  EXPECT_EQ(read_lengths(path.string()), (std::vector<std::uint64_t>{3, 0, 12, 5}));
  EXPECT_EQ(make_lengths({.n = 20, .rows = 4, .ragged = true}, path.string(), 1),
            read_lengths(path.string()));
  EXPECT_NE(refusal([&] {
              static_cast<void>(make_lengths({.n = 21, .rows = 4, .ragged = true}, path.string(), 1));
            }).find("4 lengths of 20 keys in all, and not 4 of 21"),
            std::string::npos);
  write("3\n-1\n");
  EXPECT_NE(refusal([&] { static_cast<void>(read_lengths(path.string())); }).find("segment 1"),
            std::string::npos);
  write("\n");
  EXPECT_NE(refusal([&] { static_cast<void>(read_lengths(path.string())); }).find("no lengths"),
            std::string::npos);
  std::filesystem::remove(path);
  EXPECT_NE(refusal([&] {
              static_cast<void>(is_file_of_lengths(path.string()));
            }).find("uniform, zipf, few_long, equal, mixed"),
            std::string::npos);
}

TEST(SegmentPlaces, TellACallWhereTheyLie) {
  const Problem problem{{}, {.n = 20, .rows = 4, .ragged = true}};
  const Segments packed = packed_segments({3, 0, 12, 5});
  const Segments gaps = segments_with_gaps(packed);
  EXPECT_EQ(packed.number_bytes, 4u);
  EXPECT_EQ(gaps.number_bytes, 8u);
  EXPECT_EQ(*gaps.lengths, (std::vector<std::uint64_t>{2, 0, 11, 4}));
  EXPECT_EQ(*gaps.begins, *packed.begins);
  for (const Segments& segments : {packed, gaps}) {
    auto offsets = segments.offsets();
    auto ends = segments.ends();
    Operands operands;
    operands[Role::offsets] = {offsets.data(), offsets.size() / segments.number_bytes, segments.number_bytes};
    if (!ends.empty()) {
      operands[Role::ends] = {ends.data(), ends.size() / segments.number_bytes, segments.number_bytes};
    }
    ASSERT_EQ(missing_bounds(problem, operands), std::nullopt);
    EXPECT_EQ(find_wrong_segment(problem, operands), std::nullopt);
    const SegmentBounds bounds(operands);
    for (std::uint64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(bounds.begin(i), (*segments.begins)[i]);
      EXPECT_EQ(bounds.end(i), (*segments.begins)[i] + (*segments.lengths)[i]);
    }
  }
  EXPECT_EQ(packed_segments({}).offsets().size(), 4u) << "no segment has an offset, too";
  EXPECT_EQ(packed_segments({std::uint64_t{1} << 31}).number_bytes, 8u);
}

TEST(WrongSegments, AreNamed) {
  const Problem problem{{}, {.n = 20, .rows = 3, .ragged = true}};
  const auto wrong = [&](std::vector<std::int32_t> numbers) {
    Operands operands;
    operands[Role::offsets] = {numbers.data(), numbers.size(), 4};
    EXPECT_EQ(missing_bounds(problem, operands), std::nullopt);
    return find_wrong_segment(problem, operands).value_or("");
  };
  EXPECT_EQ(wrong({0, 0, 20, 20}), "");
  EXPECT_EQ(wrong({3, 7, 6, 20}), "segment 1 is of the keys 7 to 6: it ends before it begins");
  EXPECT_EQ(wrong({0, 5, 6, 21}), "segment 2 is of the keys 6 to 21, and there are 20 keys");
  EXPECT_EQ(wrong({-1, 5, 6, 20}),
            "segment 0 is of the keys 4294967295 (or -1, if it has a sign) to 5, and there are 20 keys");
  std::vector<std::int64_t> wide = {0, -2, 6, 20};
  Operands operands;
  operands[Role::offsets] = {wide.data(), 4, 8};
  EXPECT_EQ(find_wrong_segment(problem, operands), "segment 0 is of the keys 0 to -2, and there are 20 keys");
  operands[Role::offsets].elements = 3;
  EXPECT_EQ(missing_bounds(problem, operands), "3 segments need 4 offsets, and 3 were given");
  std::vector<std::int32_t> ends = {1, 2, 3};
  operands[Role::ends] = {ends.data(), 3, 4};
  EXPECT_EQ(missing_bounds(problem, operands), "offsets of 8 bytes and ends of 4: both are of one width");
}

}  // namespace
}  // namespace bitune
