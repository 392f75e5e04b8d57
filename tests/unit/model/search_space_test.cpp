#include "model/search_space.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bitune {
namespace {

SearchSpace small_space() {
  SearchSpace space;
  space.variant = "warp";
  space.parameters = {{"nt", {32, 64}, "threads a block"}, {"vt", {1, 2, 4}, "values a thread"}};
  space.restrictions = {
      {"a tile holds at most 128 keys", [](const Configuration& c, const Problem&,
                                           const DeviceInfo&) { return c.at("nt") * c.at("vt") <= 128; }},
      {"a block fits the device", [](const Configuration& c, const Problem&, const DeviceInfo& device) {
         return c.at("nt") <= device.max_threads_per_block;
       }}};
  return space;
}

TEST(SearchSpace, PointsRunWithTheLastParameterFastest) {
  const SearchSpace space = small_space();
  ASSERT_EQ(space.cartesian_size(), 6u);
  const char* expected[] = {"warp(nt=32,vt=1)", "warp(nt=32,vt=2)", "warp(nt=32,vt=4)",
                            "warp(nt=64,vt=1)", "warp(nt=64,vt=2)", "warp(nt=64,vt=4)"};
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(space.point(i).text(), expected[i]);
}

TEST(SearchSpace, ValidIsTheProductLessTheRestricted) {
  const SearchSpace space = small_space();
  const auto valid = space.valid(Problem{}, DeviceInfo{});
  ASSERT_EQ(valid.size(), 5u);
  for (const Configuration& configuration : valid) {
    EXPECT_EQ(space.violation(configuration, Problem{}, DeviceInfo{}), std::nullopt) << configuration.text();
  }
  DeviceInfo small;
  small.max_threads_per_block = 32;
  EXPECT_EQ(space.valid(Problem{}, small).size(), 3u);
}

TEST(SearchSpace, ViolationSaysWhatIsWrong) {
  const SearchSpace space = small_space();
  const auto violation = [&space](const char* text) {
    return space.violation(Configuration::parse(text), Problem{}, DeviceInfo{}).value_or("nothing");
  };
  EXPECT_EQ(violation("warp(nt=64,vt=4)"), "a tile holds at most 128 keys");
  EXPECT_EQ(violation("shared(nt=64,vt=4)"), "the variant is 'shared', not 'warp'");
  EXPECT_EQ(violation("warp(nt=64)"), "parameter 'vt' is missing");
  EXPECT_EQ(violation("warp(nt=48,vt=1)"), "nt=48 is not one of 32, 64");
  EXPECT_EQ(violation("warp(nt=32,vt=1,q=3)"), "variant 'warp' has no parameter 'q'");
  EXPECT_EQ(violation("warp(nt=32,vt=1)"), "nothing");
}

TEST(SearchSpace, SizesOfDegenerateAndHugeSpaces) {
  SearchSpace space;
  space.variant = "bare";
  EXPECT_EQ(space.cartesian_size(), 1u);
  EXPECT_EQ(space.point(0).text(), "bare()");
  space.parameters.push_back({"none", {}, ""});
  EXPECT_EQ(space.cartesian_size(), 0u);
  EXPECT_TRUE(space.valid(Problem{}, DeviceInfo{}).empty());

  space.parameters.clear();
  for (int i = 0; i < 40; ++i) space.parameters.push_back({"p" + std::to_string(i), {1, 2, 3, 4}, ""});
  EXPECT_EQ(space.cartesian_size(), std::numeric_limits<std::uint64_t>::max()) << "it must not wrap around";
}

}  // namespace
}  // namespace bitune
