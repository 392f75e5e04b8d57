#include "tuner/domain_index.hpp"

#include <gtest/gtest.h>

namespace bitune {
namespace {

Configuration made(std::string variant, std::int64_t x, std::int64_t y) {
  return {std::move(variant), {{"x", x}, {"y", y}}};
}

TEST(DomainIndex, FindsWhatThereIsAndNothingElse) {
  std::vector<Configuration> domain;
  for (std::int64_t x = 0; x < 30; ++x) {
    for (std::int64_t y = 0; y < 30; ++y) domain.push_back(made(x % 2 == 0 ? "even" : "odd", x, y));
  }
  const DomainIndex index(domain);
  for (std::size_t i = 0; i < domain.size(); ++i) {
    EXPECT_EQ(index.find(domain[i]), i);
    EXPECT_EQ(index.find(domain[i].text()), i);
  }
  EXPECT_FALSE(index.find(made("odd", 2, 3))) << "of another variant";
  EXPECT_FALSE(index.find(made("even", 2, 30)));
  EXPECT_FALSE(index.find("even(x=2)")) << "a parameter is missing";
  EXPECT_FALSE(index.find("no configuration"));
}

TEST(DomainIndex, OfEqualOnesFindsTheFirst) {
  const std::vector<Configuration> domain = {made("a", 1, 2), made("a", 3, 4), made("a", 3, 4)};
  EXPECT_EQ(DomainIndex(domain).find(domain[2]), 1u);
  EXPECT_FALSE(DomainIndex({}).find(domain[0]));
}

}  // namespace
}  // namespace bitune
