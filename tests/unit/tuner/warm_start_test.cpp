#include "tuner/warm_start.hpp"

#include <gtest/gtest.h>

namespace bitune {
namespace {

DeviceInfo gpu(int major, int minor, int sms) {
  DeviceInfo device;
  device.kind = "cuda";
  device.name = "GPU";
  device.compute_major = major;
  device.compute_minor = minor;
  device.sm_count = sms;
  return device;
}

Candidate candidate(const DeviceInfo& device, const Problem& problem, std::string variant, std::int64_t x,
                    double median_us) {
  Candidate made;
  made.device = device;
  made.device_digest = device.digest();
  made.problem = problem;
  made.configuration = {std::move(variant), {{"x", x}}};
  made.kernel_digest = "today";
  made.median_us = median_us;
  return made;
}

std::vector<std::int64_t> started(const Problem& problem, const DeviceInfo& device, const CandidateSet& set) {
  std::vector<std::int64_t> values;
  for (const Configuration& configuration :
       warm_starts(problem, device, set, [](std::string_view) { return std::string("today"); },
                   {[](std::string_view variant) { return variant != "not searched"; },
                    [](const Configuration& c) { return c.at("x") < 100; }})) {
    values.push_back(configuration.at("x"));
  }
  return values;
}

const DeviceInfo here = gpu(9, 0, 132);

TEST(WarmStarts, ThisShapeFirstThenTheNearestSizesOfThisDevice) {
  CandidateSet set;
  set.user = {candidate(here, {{}, {.n = 1 << 10}}, "a", 1, 10),
              candidate(here, {{}, {.n = 1 << 14}}, "a", 2, 10),
              candidate(here, {{}, {.n = 1 << 12}}, "a", 3, 10),
              candidate(gpu(9, 0, 100), {{}, {.n = 1 << 13}}, "a", 4, 10),
              candidate(gpu(9, 0, 100), {{}, {.n = 1 << 12}}, "a", 5, 10)};
  EXPECT_EQ(started({{}, {.n = 1 << 13}}, here, set), (std::vector<std::int64_t>{4, 2, 3, 1, 5}));
}

TEST(WarmStarts, NearerDevicesFirst) {
  CandidateSet set;
  set.shipped = {candidate(gpu(8, 9, 132), {{}, {.n = 1024}}, "a", 1, 10),
                 candidate(gpu(9, 1, 132), {{}, {.n = 1024}}, "a", 2, 10),
                 candidate(gpu(9, 0, 114), {{}, {.n = 1024}}, "a", 3, 10),
                 candidate(gpu(9, 0, 114), {{}, {.n = 2048}}, "a", 4, 10)};
  EXPECT_EQ(started({{}, {.n = 1024}}, here, set), (std::vector<std::int64_t>{3, 2, 1, 4}));
}

TEST(WarmStarts, TheWinnerOfEachProblemBeforeTheSecondBestOfAny) {
  CandidateSet set;
  set.user = {candidate(here, {{}, {.n = 1024}}, "a", 1, 10), candidate(here, {{}, {.n = 1024}}, "b", 2, 12),
              candidate(here, {{}, {.n = 1024}}, "c", 3, 16), candidate(here, {{}, {.n = 2048}}, "a", 4, 20),
              candidate(here, {{}, {.n = 2048}}, "b", 5, 21)};
  EXPECT_EQ(started({{}, {.n = 1024}}, here, set), (std::vector<std::int64_t>{1, 4, 2, 5}))
      << "3 is too far behind";
}

TEST(WarmStarts, WhatWonForOtherOperationsOfThisShapeBeforeOtherLengths) {
  const auto pairs = [](std::uint64_t n, std::uint32_t value_bytes) {
    return Problem{{.operation = Operation::sort_pairs, .value_bytes = value_bytes, .stable = true},
                   {.n = n}};
  };
  const auto argsort = [](std::uint64_t n) {
    return Problem{{.operation = Operation::argsort, .index_bytes = 4, .stable = true}, {.n = n}};
  };
  CandidateSet set;
  for (std::int64_t x = 1; x <= 6; ++x) {  // as a session that has come to this length: nearer ones first
    set.user.push_back(candidate(here, pairs(std::uint64_t{1} << (12 - (x + 1) / 2), 4), "a", x, 10));
  }
  set.shipped = {candidate(gpu(9, 0, 114), argsort(4096), "b", 7, 6),
                 candidate(gpu(9, 0, 114), pairs(4096, 8), "b", 8, 8),
                 candidate(gpu(9, 0, 114), pairs(4096, 4), "a", 9, 10)};
  EXPECT_EQ(started(pairs(4096, 4), here, set), (std::vector<std::int64_t>{9, 8, 7, 1, 3}));
  EXPECT_EQ(started(argsort(4096), here, set), (std::vector<std::int64_t>{7, 9, 8, 1, 3}));
  EXPECT_EQ(started(pairs(4096, 8), here, set), (std::vector<std::int64_t>{8, 9, 7, 1, 3}));
  Problem unstable = pairs(4096, 4);
  unstable.stable = false;
  EXPECT_EQ(started(unstable, here, set), (std::vector<std::int64_t>{9, 8, 7, 1, 3}));
}

TEST(WarmStarts, TheSameKeyTypeAndOrderBeforeOthers) {
  CandidateSet set;
  set.user = {candidate(here, {{.key = KeyType::f32}, {.n = 1024}}, "a", 1, 10),
              candidate(here, {{.key = KeyType::u32, .order = Order::descending}, {.n = 1024}}, "a", 2, 10),
              candidate(here, {{.key = KeyType::u32}, {.n = 1024}}, "a", 3, 10)};
  EXPECT_EQ(started({{.key = KeyType::u32}, {.n = 1024}}, here, set), (std::vector<std::int64_t>{3, 2, 1}));
}

TEST(WarmStarts, ThisTypeBeforeAnotherAndBothBeforeOtherLengths) {
  CandidateSet set;
  set.user = {candidate(here, {{.key = KeyType::f32}, {.n = 1024}}, "a", 1, 10),
              candidate(here, {{.key = KeyType::u32}, {.n = 1024}}, "a", 2, 10),
              candidate(here, {{.key = KeyType::u32}, {.n = 1024}}, "b", 3, 11),
              candidate(here, {{.key = KeyType::u32}, {.n = 2048}}, "a", 4, 20)};
  EXPECT_EQ(started({{.key = KeyType::u32}, {.n = 1024}}, here, set),
            (std::vector<std::int64_t>{2, 1, 4, 3}));
  EXPECT_EQ(started({{.key = KeyType::u32}, {.n = 2048}}, here, set),
            (std::vector<std::int64_t>{4, 2, 1, 3}));
}

/// Another bitune has other kernels. What won with the earlier ones is where the search begins.
TEST(WarmStarts, WhatWonForThisProblemWithEarlierKernelsFirst) {
  CandidateSet set;
  set.user = {candidate(here, {{}, {.n = 1024}}, "a", 1, 10), candidate(here, {{}, {.n = 1024}}, "a", 2, 11),
              candidate(here, {{}, {.n = 2048}}, "a", 3, 20), candidate(here, {{}, {.n = 512}}, "a", 4, 8),
              candidate(here, {{}, {.n = 2048}}, "a", 5, 22)};
  for (const std::size_t earlier : {0, 1}) set.user[earlier].kernel_digest = "yesterday";
  EXPECT_EQ(started({{}, {.n = 1024}}, here, set), (std::vector<std::int64_t>{1, 3, 4, 2, 5}));

  set.shipped = {set.user[0]};
  set.user.erase(set.user.begin());
  set.user[0] = candidate(here, {{}, {.n = 1024}}, "b", 6, 12);
  EXPECT_EQ(started({{}, {.n = 1024}}, here, set), (std::vector<std::int64_t>{6, 1, 3, 4, 5}))
      << "behind what was found with today's, and before other lengths";
}

TEST(WarmStarts, WhatIsNotSearchedLeavesNobodyBehind) {
  CandidateSet set;
  set.user = {candidate(here, {{}, {.n = 1024}}, "not searched", 1, 10),
              candidate(here, {{}, {.n = 1024}}, "b", 2, 30)};
  EXPECT_EQ(started({{}, {.n = 1024}}, here, set), (std::vector<std::int64_t>{2}));
}

TEST(WarmStarts, WhatDoesNotFitThisLengthStillLeavesOthersBehind) {
  CandidateSet set;
  set.user = {candidate(here, {{}, {.n = 1024}}, "a", 100, 10),
              candidate(here, {{}, {.n = 1024}}, "b", 2, 30)};
  EXPECT_TRUE(started({{}, {.n = 2048}}, here, set).empty());
}

TEST(WarmStarts, NothingInvalidTwiceOrEmulatedAndFiveAtMost) {
  DeviceInfo emulated = here;
  emulated.kind = "emulated";
  CandidateSet set;
  set.user = {candidate(here, {{}, {.n = 1024}}, "a", 100, 10),
              candidate(emulated, {{}, {.n = 1024}}, "a", 1, 10)};
  for (std::int64_t x : {2, 2, 3, 4, 5, 6, 7}) {
    set.user.push_back(candidate(here, {{}, {.n = std::uint64_t{1024} >> x}}, "a", x, 10));
  }
  EXPECT_EQ(started({{}, {.n = 1024}}, here, set), (std::vector<std::int64_t>{2, 3, 4, 5, 6}));
  EXPECT_TRUE(started({{}, {.n = 1024}}, here, {}).empty());
}

}  // namespace
}  // namespace bitune
