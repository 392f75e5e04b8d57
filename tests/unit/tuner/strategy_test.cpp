#include "tuner/strategy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bitune/error.hpp"

namespace bitune {
namespace {

SearchDomain domain_of(std::int64_t count) {
  SearchDomain domain;
  for (std::int64_t i = 0; i < count; ++i) domain.configurations.push_back({"fake", {{"x", i}}});
  return domain;
}

std::vector<std::size_t> run(std::string_view name, const SearchDomain& domain, std::uint64_t seed,
                             std::size_t step) {
  const auto searched = strategy(name).make(domain, seed);
  std::vector<std::size_t> order;
  while (true) {
    const auto proposed = searched->propose(step);
    EXPECT_LE(proposed.size(), step);
    if (proposed.empty()) return order;
    for (const std::size_t index : proposed) {
      order.push_back(index);
      searched->report(index, 1.0);
    }
  }
}

TEST(Strategies, EachCoversTheDomainOnce) {
  const SearchDomain domain = domain_of(101);
  for (const StrategyEntry& entry : strategies()) {
    const auto order = run(entry.name, domain, 3, 7);
    EXPECT_EQ(order.size(), 101u) << entry.name;
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 101u) << entry.name;
    EXPECT_FALSE(entry.description.empty());
  }
}

TEST(Strategies, ExhaustiveKeepsTheOrder) {
  const auto order = run("exhaustive", domain_of(20), 9, 3);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Strategies, RandomDependsOnTheSeedOnly) {
  const SearchDomain domain = domain_of(50);
  EXPECT_EQ(run("random", domain, 1, 7), run("random", domain, 1, 50));
  EXPECT_NE(run("random", domain, 1, 7), run("random", domain, 2, 7));
}

TEST(Strategies, RandomTriesTheSameFirstInALargerDomain) {
  const SearchDomain small = domain_of(30);
  SearchDomain large = domain_of(60);
  std::reverse(large.configurations.begin(), large.configurations.end());
  std::vector<Configuration> of_small;
  for (const std::size_t i : run("random", small, 4, 8)) of_small.push_back(small.configurations[i]);
  std::vector<Configuration> of_large;
  for (const std::size_t i : run("random", large, 4, 8)) {
    if (large.configurations[i].at("x") < 30) of_large.push_back(large.configurations[i]);
  }
  EXPECT_EQ(of_small, of_large);
}

TEST(Strategies, RandomOrderIsTheSameOnEveryPlatform) {
  EXPECT_EQ(run("random", domain_of(8), 1, 8), (std::vector<std::size_t>{5, 2, 4, 0, 7, 1, 6, 3}));
}

TEST(Strategies, UnknownNamesListTheKnown) {
  try {
    (void)strategy("genius");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find("exhaustive, greedy, random"), std::string::npos);
  }
}

}  // namespace
}  // namespace bitune
