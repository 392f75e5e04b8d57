// What the strategies are made of: neighbours, the Gaussian process, and what asks it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "tuner/strategies/domain_view.hpp"
#include "tuner/strategies/gaussian_process.hpp"
#include "tuner/strategy.hpp"

namespace bitune {
namespace {

/// Even sums of two numbers up to 4, and a single configuration of another variant.
SearchDomain chequered() {
  SearchDomain domain;
  for (std::int64_t a = 0; a <= 4; ++a) {
    for (std::int64_t b = 0; b <= 4; ++b) {
      if ((a + b) % 2 == 0) domain.configurations.push_back({"board", {{"a", 10 * a}, {"b", b}}});
    }
  }
  domain.configurations.push_back({"alone", {{"x", 1}}});
  return domain;
}

std::size_t index_of(const SearchDomain& domain, std::int64_t a, std::int64_t b) {
  const Configuration wanted{"board", {{"a", a}, {"b", b}}};
  const auto found = std::find(domain.configurations.begin(), domain.configurations.end(), wanted);
  return static_cast<std::size_t>(found - domain.configurations.begin());
}

TEST(DomainView, NeighboursAreValidAndDifferInOneParameter) {
  const SearchDomain domain = chequered();
  const DomainView view(domain);
  const auto neighbours = view.neighbours(index_of(domain, 20, 2));
  EXPECT_EQ(neighbours.size(), 4u);
  for (const std::size_t neighbour : neighbours) {
    const Configuration& configuration = domain.configurations.at(neighbour);
    EXPECT_EQ(configuration.variant, "board");
    EXPECT_NE(configuration.at("a") == 20, configuration.at("b") == 2) << configuration.text();
  }
}

TEST(DomainView, WhereThereAreTooFewThoseFurtherAwayCount) {
  const SearchDomain domain = chequered();
  const DomainView view(domain);
  EXPECT_EQ(view.neighbours(index_of(domain, 20, 2), 5).size(), 12u) << "all of the variant";
  EXPECT_TRUE(view.neighbours(domain.configurations.size() - 1, 5).empty()) << "it is alone";
}

TEST(DomainView, TheNearestDiffersInTheFewestParametersThenByTheFewestPlaces) {
  const SearchDomain domain = chequered();
  const DomainView view(domain);
  EXPECT_EQ(view.nearest({0, 1}, {index_of(domain, 10, 3), index_of(domain, 0, 4), index_of(domain, 0, 2)}),
            index_of(domain, 0, 2));
  EXPECT_EQ(view.nearest({0, 1}, {index_of(domain, 10, 3), index_of(domain, 0, 4)}), index_of(domain, 0, 4));
  EXPECT_EQ(view.nearest({0, 1}, {}), std::nullopt);
}

/// Points on a grid; the second coordinate has no effect on `wave`.
std::vector<GaussianProcess::Point> grid() {
  std::vector<GaussianProcess::Point> points;
  for (int x = 0; x <= 10; ++x) {
    for (int y = 0; y <= 3; ++y) {
      points.push_back({static_cast<float>(x) / 10, static_cast<float>(y) / 3});
    }
  }
  return points;
}

double wave(const GaussianProcess::Point& point) { return 5 + std::sin(4 * static_cast<double>(point[0])); }

TEST(GaussianProcess, MeetsWhatItSawAndIsSureOfIt) {
  const auto points = grid();
  GaussianProcess process(points);
  for (const std::size_t seen : {0UL, 13UL, 26UL, 43UL}) {
    process.observe(seen);
    process.set_value(seen, wave(points[seen]));
  }
  process.update();
  EXPECT_NEAR(process.mean(13), wave(points[13]), 0.05);
  EXPECT_LT(process.deviation(13), 0.1);
  EXPECT_GT(process.deviation(35), 2 * process.deviation(13));
}

TEST(GaussianProcess, WhatHasNoValueYetIsTakenAsExpected) {
  const auto points = grid();
  GaussianProcess process(points);
  process.observe(0);
  process.set_value(0, 1);
  process.observe(43);
  process.set_value(43, 2);
  process.update();
  const double mean = process.mean(20);
  const double deviation = process.deviation(20);
  process.observe(21);
  process.update();
  EXPECT_NEAR(process.mean(20), mean, 1e-5);
  EXPECT_LT(process.deviation(20), 0.7 * deviation);
}

TEST(GaussianProcess, PointsThatCameLaterArePredictedAlike) {
  const auto points = grid();
  GaussianProcess whole(points);
  GaussianProcess grown({points.begin(), points.begin() + 30});
  for (GaussianProcess* process : {&whole, &grown}) {
    for (const std::size_t seen : {0UL, 13UL, 26UL}) {
      process->observe(seen);
      process->set_value(seen, wave(points[seen]));
    }
    process->update();
  }
  for (std::size_t i = 30; i < points.size(); ++i) grown.add_point(points[i]);
  const auto expect_alike = [&] {
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_NEAR(grown.mean(i), whole.mean(i), 1e-5) << i;
      EXPECT_NEAR(grown.deviation(i), whole.deviation(i), 1e-5) << i;
    }
  };
  expect_alike();
  for (GaussianProcess* process : {&whole, &grown}) {
    process->observe(43);
    process->set_value(43, wave(points[43]));
    process->learn_scales(100);
  }
  expect_alike();
}

TEST(GaussianProcess, LearnsWhichDimensionMatters) {
  const auto points = grid();
  GaussianProcess process(points);
  for (std::size_t i = 0; i < points.size(); i += 3) {
    process.observe(i);
    process.set_value(i, wave(points[i]));
  }
  process.learn_scales(100);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(process.mean(i), wave(points[i]), 0.05) << i;
}

TEST(Bayesian, SearchesADomainOfWhichItModelsAPart) {
  SearchDomain domain;
  std::vector<double> times;
  for (std::int64_t i = 0; i < 12 * 12 * 12 * 12; ++i) {
    const std::int64_t a = i % 12, b = i / 12 % 12, c = i / 144 % 12, d = i / 1728;
    domain.configurations.push_back({"v", {{"a", a}, {"b", b}, {"c", c}, {"d", d}}});
    times.push_back(
        static_cast<double>(100 + (a - 7) * (a - 7) + (b - 2) * (b - 2) + 3 * std::abs(c - 9) + d));
  }
  const auto search = strategy("bayesian").make(domain, 3);
  double best = times[0];
  std::set<std::size_t> proposed;
  for (int turn = 0; turn < 120; ++turn) {
    for (const Proposal& proposal : search->propose(1)) {
      EXPECT_TRUE(proposed.insert(proposal.index).second);
      best = std::min(best, times[proposal.index]);
      search->report(proposal.index, times[proposal.index]);
    }
  }
  EXPECT_EQ(proposed.size(), 120u);
  EXPECT_LE(best, 101) << "the best of 20736 takes 100, half of them more than 140";
}

}  // namespace
}  // namespace bitune
