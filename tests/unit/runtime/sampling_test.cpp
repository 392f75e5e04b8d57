// How far a bound from the minima of groups of samples lets more samples pass than its rank says.

#include "runtime/variants/sampling.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace bitune {
namespace {

/// Samples in the order of their keys, each of a group by chance, until `rank` groups have one.
std::uint64_t drawn(std::uint64_t groups, std::uint64_t rank, std::mt19937_64& random) {
  std::vector<bool> has(groups);
  std::uint64_t samples = 0;
  for (std::uint64_t found = 0; found < rank; ++samples) {
    const std::uint64_t group = random() % groups;
    if (!has[group]) ++found;
    has[group] = true;
  }
  return samples;
}

TEST(Sampling, SaysHowManySamplesAreUpToAMinimum) {
  std::mt19937_64 random(1);
  for (const auto& [groups, rank] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {64, 1}, {64, 9}, {128, 17}, {512, 108}, {512, 400}, {512, 512}}) {
    const std::uint64_t most = sampling::up_to_minimum(groups, rank);
    std::uint64_t sum = 0;
    for (int turn = 0; turn < 500; ++turn) {
      const std::uint64_t samples = drawn(groups, rank, random);
      EXPECT_LE(samples, most) << groups << ", " << rank;
      sum += samples;
    }
    EXPECT_LE(most * 500, 4 * sum) << groups << ", " << rank;
  }
}

}  // namespace
}  // namespace bitune
