#include "tuner/strategy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bitune/error.hpp"

namespace bitune {
namespace {

SearchDomain domain_of(std::int64_t count) {
  SearchDomain domain;
  for (std::int64_t i = 0; i < count; ++i) domain.configurations.push_back({"fake", {{"x", i}}});
  return domain;
}

/// Two variants, of which restrictions exclude about half.
SearchDomain lattice() {
  SearchDomain domain;
  for (std::int64_t a : {32, 64, 128, 256}) {
    for (std::int64_t b : {1, 2, 4, 8, 16}) {
      if (a * b > 512) continue;
      domain.configurations.push_back({"flat", {{"a", a}, {"b", b}}});
      for (std::int64_t c : {0, 1, 2}) {
        if (b > 2 && c == 1) continue;
        domain.configurations.push_back({"deep", {{"a", a}, {"b", b}, {"c", c}}});
      }
    }
  }
  domain.starts = {5, 1};
  return domain;
}

/// Fastest at deep(a=128,b=4,c=2); nothing for what fails.
std::optional<double> lattice_time(const Configuration& configuration) {
  const double a = std::log2(static_cast<double>(configuration.at("a"))) - 7;
  const double b = std::log2(static_cast<double>(configuration.at("b"))) - 2;
  if (configuration.variant == "flat") return 100 * std::exp(0.1 * (a * a + b * b));
  if (configuration.at("c") == 1) return std::nullopt;
  return (configuration.at("c") == 2 ? 50 : 80) * std::exp(0.2 * (a * a + b * b + a * b));
}

std::vector<Proposal> run(std::string_view name, const SearchDomain& domain, std::uint64_t seed,
                          std::size_t step) {
  const auto searched = strategy(name).make(domain, seed);
  std::vector<Proposal> order;
  while (true) {
    const auto proposed = searched->propose(step);
    EXPECT_LE(proposed.size(), step);
    if (proposed.empty()) return order;
    for (const Proposal& proposal : proposed) {
      order.push_back(proposal);
      const Configuration& configuration = domain.configurations.at(proposal.index);
      searched->report(proposal.index, configuration.variant == "fake" ? 1.0 : lattice_time(configuration));
    }
  }
}

std::vector<std::size_t> indices(const std::vector<Proposal>& proposals) {
  std::vector<std::size_t> order;
  order.reserve(proposals.size());
  for (const Proposal& proposal : proposals) order.push_back(proposal.index);
  return order;
}

TEST(Strategies, EachCoversTheDomainAndRepeatsOnlyForMoreSamples) {
  for (const SearchDomain& domain : {domain_of(101), lattice(), domain_of(1), domain_of(0)}) {
    for (const StrategyEntry& entry : strategies()) {
      std::map<std::size_t, double> fidelity;
      for (const Proposal& proposal : run(entry.name, domain, 3, 7)) {
        EXPECT_GT(proposal.fidelity, fidelity[proposal.index]) << entry.name;
        EXPECT_LE(proposal.fidelity, 1) << entry.name;
        fidelity[proposal.index] = proposal.fidelity;
      }
      EXPECT_EQ(fidelity.size(), domain.configurations.size()) << entry.name;
      EXPECT_FALSE(entry.description.empty());
    }
  }
}

TEST(Strategies, ASeedDecidesAll) {
  const SearchDomain domain = lattice();
  for (const StrategyEntry& entry : strategies()) {
    EXPECT_EQ(run(entry.name, domain, 5, 3), run(entry.name, domain, 5, 3)) << entry.name;
    if (entry.name == "exhaustive") continue;
    EXPECT_NE(run(entry.name, domain, 5, 3), run(entry.name, domain, 6, 3)) << entry.name;
  }
}

TEST(Strategies, ThoseThatLearnTryTheStartsFirst) {
  const SearchDomain domain = lattice();
  for (const std::string_view name : {"annealing", "bayesian", "genetic", "greedy", "halving"}) {
    const auto order = indices(run(name, domain, 2, 1));
    EXPECT_EQ(order.at(0), 5u) << name;
    EXPECT_EQ(order.at(1), 1u) << name;
  }
}

TEST(Strategies, BayesianAlsoLooksNextToTheFastest) {
  SearchDomain domain;
  for (std::int64_t i = 0; i < 1000; ++i) {
    domain.configurations.push_back({"fake", {{"a", i / 100}, {"b", i / 10 % 10}, {"c", i % 10}}});
  }
  const auto differ = [&](std::size_t a, std::size_t b) {
    int count = 0;
    for (const char* name : {"a", "b", "c"}) {
      if (domain.configurations[a].at(name) != domain.configurations[b].at(name)) ++count;
    }
    return count;
  };
  const auto searched = strategy("bayesian").make(domain, 1);
  std::size_t fastest = 0;
  double least = 1e9;
  int nearby = 0;
  constexpr int proposals = 60;
  for (int i = 0; i < proposals; ++i) {
    const std::size_t index = searched->propose(1).at(0).index;
    if (i > 0 && differ(index, fastest) == 1) ++nearby;
    const double time =
        100 + static_cast<double>(index * 7919 % 1000);  // nothing to learn: any model stays unsure
    searched->report(index, time);
    if (time < least) {
      least = time;
      fastest = index;
    }
  }
  EXPECT_GE(nearby, proposals / 4);
}

TEST(Strategies, EachTakesReportsInAnyOrderAndLate) {
  const SearchDomain domain = lattice();
  for (const StrategyEntry& entry : strategies()) {
    const auto searched = entry.make(domain, 4);
    std::set<std::size_t> seen;
    std::vector<std::size_t> under_way;
    while (true) {
      for (const Proposal& proposal : searched->propose(5)) {
        seen.insert(proposal.index);
        under_way.push_back(proposal.index);
      }
      if (under_way.empty()) break;
      const std::size_t late = under_way.back();  // the newest first
      under_way.pop_back();
      searched->report(late, lattice_time(domain.configurations[late]));
    }
    EXPECT_EQ(seen.size(), domain.configurations.size()) << entry.name;
  }
}

TEST(Strategies, EachEndsWhereEverythingFails) {
  const SearchDomain domain = lattice();
  for (const StrategyEntry& entry : strategies()) {
    const auto searched = entry.make(domain, 4);
    std::size_t count = 0;
    for (auto proposed = searched->propose(4); !proposed.empty(); proposed = searched->propose(4)) {
      for (const Proposal& proposal : proposed) searched->report(proposal.index, std::nullopt);
      count += proposed.size();
    }
    EXPECT_EQ(count, domain.configurations.size()) << entry.name;
  }
}

TEST(Strategies, ExhaustiveKeepsTheOrder) {
  const auto order = indices(run("exhaustive", domain_of(20), 9, 3));
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
  for (const std::size_t i : indices(run("random", small, 4, 8))) of_small.push_back(small.configurations[i]);
  std::vector<Configuration> of_large;
  for (const std::size_t i : indices(run("random", large, 4, 8))) {
    if (large.configurations[i].at("x") < 30) of_large.push_back(large.configurations[i]);
  }
  EXPECT_EQ(of_small, of_large);
}

TEST(Strategies, RandomOrderIsTheSameOnEveryPlatform) {
  EXPECT_EQ(indices(run("random", domain_of(8), 1, 8)), (std::vector<std::size_t>{5, 2, 4, 0, 7, 1, 6, 3}));
}

TEST(Strategies, HalvingMeasuresAThirdOfEachRungLonger) {
  std::map<double, std::size_t> counts;
  for (const Proposal& proposal : run("halving", domain_of(27), 1, 4)) ++counts[proposal.fidelity];
  EXPECT_EQ(counts, (std::map<double, std::size_t>{{1.0 / 9, 27}, {3.0 / 9, 9}, {1, 3}}));
}

TEST(Strategies, UnknownNamesListTheKnown) {
  try {
    (void)strategy("genius");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find("exhaustive, genetic, greedy, halving, random"),
              std::string::npos);
  }
  EXPECT_EQ(strategy(default_strategy).name, default_strategy);
}

}  // namespace
}  // namespace bitune
