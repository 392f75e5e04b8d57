#include "measure/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/timed_device.hpp"

namespace bitune {
namespace {

class SamplerTest : public testing::Test {
 protected:
  Contestant contestant(double us, std::size_t launches = 1, bool in_place = true) {
    return {"one", in_place,
            [this, us](const Operands& operands, Stream) {
              void* const keys = operands.input().data;
              void* const out = operands[Role::keys_out].data;
              sorted.insert(keys);
              outs.insert(out);
              device->work(us);
            },
            launches};
  }
  /// Keys behind a guard, and what `more` bytes hold that are only written.
  SampledCall keys(std::size_t more = 0) {
    SampledCall call{.arrays = {{{Role::keys_in, Role::keys_out, 4}, {}, 256}},
                     .images = {image.data()},
                     .input_bytes = image.size(),
                     .bytes = image.size() + more};
    if (more != 0) call.arrays.push_back({{std::nullopt, Role::indices_out, 4}, {}, image.size() + 256});
    return call;
  }

  std::vector<double> sample(const Contestant& one, std::size_t count, bool cold = false) {
    Sampler::Setup setup = sampler.prepare(one, keys(), cold, nullptr);
    group = setup.group;
    held = setup.hold_steps > 0;
    device->log.clear();
    device->restored.clear();
    sorted.clear();
    std::vector<double> samples;
    sampler.take(setup, count, samples, clock);
    return samples;
  }

  std::shared_ptr<fake::TimedDevice> device = std::make_shared<fake::TimedDevice>();
  KernelStore kernels{device, nullptr};
  Sampler sampler{*device, kernels};
  std::vector<std::byte> image = std::vector<std::byte>(1 << 20);
  std::set<void*> sorted;
  std::set<void*> outs;
  ClockSummary clock;
  std::uint32_t group = 0;
  bool held = false;
};

using Log = std::vector<std::string>;

TEST_F(SamplerTest, AShortSortIsTimedInGroupsBehindAHeldStream) {
  const Contestant one = contestant(70);
  for (const double us : sample(one, 1)) EXPECT_NEAR(us, 70, 1e-9) << "nothing but the sorts is timed";
  EXPECT_EQ(group, 3u) << "3 x 70 us make 200 us";
  EXPECT_FALSE(held) << "launches of 70 us are queued faster than they run";
  const Contestant many_launches = contestant(70, 10);
  (void)sample(many_launches, 1);
  EXPECT_EQ(device->log, (Log{"hold", "restore", "restore", "restore", "event", "sort", "sort", "sort",
                              "event", "synchronize"}));
  EXPECT_EQ(std::set<void*>(device->restored.begin(), device->restored.end()).size(), 3u);
  EXPECT_EQ(sorted.size(), 3u) << "each sort has a buffer of its own";
}

TEST_F(SamplerTest, GroupsAreLimitedByNumberLaunchesAndL2) {
  const Contestant tiny = contestant(1);
  (void)sample(tiny, 1);
  EXPECT_EQ(group, 16u);
  const Contestant long_plan = contestant(1, 100);
  (void)sample(long_plan, 1);
  EXPECT_EQ(group, 5u) << "512 launches at the most";
  image.resize(std::size_t{10} << 20);
  (void)sample(tiny, 1);
  EXPECT_EQ(group, 2u) << "half of 50 MiB of L2 holds two of 10 MiB";
  (void)sample(tiny, 1, true);
  EXPECT_EQ(group, 16u) << "what is flushed need not fit";
}

TEST_F(SamplerTest, SortsTakeTurnsWithTheImages) {
  const Contestant one = contestant(70);
  SampledCall several = keys();
  several.images = {image.data(), image.data() + 1};  // which are not looked at
  Sampler::Setup setup = sampler.prepare(one, several, false, nullptr);
  ASSERT_EQ(setup.group, 3u);
  const std::size_t first = setup.next_image;
  device->restored_from.clear();
  std::vector<double> samples;
  sampler.take(setup, 3, samples, clock);
  ASSERT_EQ(device->restored_from.size(), 9u);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(device->restored_from[i], several.images[(first + i) % 2]);
}

TEST_F(SamplerTest, AQuarterOfTheL2HoldsTheImages) {
  EXPECT_EQ(images_in_turn(*device, 1000, 8), 8) << "no more than are wanted";
  EXPECT_EQ(images_in_turn(*device, std::uint64_t{4} << 20, 8), 3) << "of 12.5 MiB";
  EXPECT_EQ(images_in_turn(*device, std::uint64_t{1} << 30, 8), 1);
  EXPECT_EQ(images_in_turn(*device, 0, 8), 1);
}

TEST_F(SamplerTest, ColdSamplesFindAnOverwrittenL2) {
  const Contestant one = contestant(300);
  (void)sample(one, 2, true);
  EXPECT_EQ(device->log, (Log{"restore", "flush", "event", "sort", "event", "restore", "flush", "event",
                              "sort", "event", "synchronize"}));
  EXPECT_EQ(device->flushed_bytes, std::size_t{100} << 20) << "twice the L2";
  (void)sample(one, 1, false);
  EXPECT_EQ(std::count(device->log.begin(), device->log.end(), "flush"), 0);
}

TEST_F(SamplerTest, WarmsUpBeforeTheStreamIsHeld) {
  const Contestant one = contestant(30, 8);
  (void)sampler.prepare(one, keys(), false, nullptr);
  const Log begin(device->log.begin(), device->log.begin() + 10);
  EXPECT_EQ(begin, (Log{"restore", "event", "sort", "event", "synchronize", "restore", "event", "sort",
                        "event", "synchronize"}));
  EXPECT_EQ(device->log[10], "hold") << "and only then is the kernel that holds it calibrated";
}

TEST_F(SamplerTest, WhatBeganBeforeItWasQueuedDoesNotCountAndTheStreamIsHeldForLonger) {
  const Contestant one = contestant(20, 2);
  Sampler::Setup setup = sampler.prepare(one, keys(), false, nullptr);
  const std::uint64_t hold_steps = setup.hold_steps;
  ASSERT_GT(hold_steps, 0u);
  int looks = 0;
  device->is_late = [&looks] { return ++looks == 2; };
  device->log.clear();
  std::vector<double> samples;
  sampler.take(setup, 5, samples, clock);
  EXPECT_EQ(samples.size(), 5u);
  EXPECT_EQ(std::count(device->log.begin(), device->log.end(), "hold"), 6) << "one is taken again";
  EXPECT_EQ(setup.hold_steps, 2 * hold_steps);
}

TEST_F(SamplerTest, AHostThatIsSlowNowAndThenKeepsTheStreamHeldForLonger) {
  const Contestant one = contestant(20, 2);
  Sampler::Setup setup = sampler.prepare(one, keys(), false, nullptr);
  const std::uint64_t hold_steps = setup.hold_steps;
  int looks = 0;
  device->is_late = [&looks] { return ++looks % 8 == 1; };  // the first of each batch
  std::vector<double> samples;
  device->log.clear();
  sampler.take(setup, 40, samples, clock);
  EXPECT_EQ(samples.size(), 40u);
  EXPECT_EQ(setup.late, 6u);
  EXPECT_EQ(std::count(device->log.begin(), device->log.end(), "hold"), 46) << "what was late is taken again";
  EXPECT_EQ(setup.hold_steps, 8 * hold_steps) << "longer does not help";
}

TEST_F(SamplerTest, AHostThatStaysSlowIsTakenAsItIsInTheEnd) {
  const Contestant one = contestant(20, 2);
  Sampler::Setup setup = sampler.prepare(one, keys(), false, nullptr);
  int looks = 0;
  device->is_late = [&looks] { return ++looks > 8; };
  std::vector<double> samples;
  sampler.take(setup, 40, samples, clock);
  EXPECT_EQ(samples.size(), 40u);
  EXPECT_EQ(setup.late, 256u);
  EXPECT_EQ(looks, 8 + 256) << "nobody looks any more";
}

TEST_F(SamplerTest, ASortThatIsAlwaysLateIsTimedAllTheSame) {
  const Contestant one = contestant(20, 2);
  Sampler::Setup setup = sampler.prepare(one, keys(), false, nullptr);
  const std::uint64_t hold_steps = setup.hold_steps;
  device->is_late = [] { return true; };
  std::vector<double> samples;
  sampler.take(setup, 3, samples, clock);
  EXPECT_EQ(samples.size(), 3u);
  EXPECT_EQ(setup.hold_steps, hold_steps);
}

TEST_F(SamplerTest, OutOfPlaceSortsGetMemoryOfTheirOwn) {
  const Contestant one = contestant(10, 1, false);
  (void)sample(one, 1);
  EXPECT_EQ(outs.size(), 1u);
  EXPECT_FALSE(outs.contains(nullptr));
}

TEST_F(SamplerTest, WhatIsOnlyWrittenHasMemoryOfItsOwnAndIsNotRestored) {
  for (const bool in_place : {true, false}) {
    for (const bool has_work : {true, false}) {
      std::vector<std::byte> work(image.size() + 4096);
      std::set<void*> indices;
      Contestant one = contestant(70, 1, in_place);
      one.sort = [&](const Operands& operands, Stream) {
        sorted.insert(operands.input().data);
        indices.insert(operands[Role::indices_out].data);
        EXPECT_EQ(operands.in_place(), in_place);
        EXPECT_NE(operands[Role::indices_out].data, operands[Role::keys_out].data);
        device->work(70);
      };
      SampledCall call = keys(4096);
      if (has_work) call.work = work.data();
      Sampler::Setup setup = sampler.prepare(one, call, false, nullptr);
      ASSERT_EQ(setup.group, 3u);
      device->restored.clear();
      sorted.clear();
      indices.clear();
      std::vector<double> samples;
      sampler.take(setup, 2, samples, clock);
      EXPECT_EQ(device->restored.size(), 6u) << "a buffer of keys for each sort";
      EXPECT_EQ(sorted.size(), 3u);
      EXPECT_EQ(indices.size(), 1u);
      EXPECT_FALSE(indices.contains(nullptr));
      if (has_work) EXPECT_EQ(*indices.begin(), work.data() + image.size() + 256);
    }
  }
}

TEST_F(SamplerTest, BindsEachBufferBeforeTheStreamIsHeld) {
  Contestant one = contestant(20, 2, false);
  std::set<void*> bound;
  one.bind = [&](const Operands& operands) {
    bound.insert(operands.input().data);
    EXPECT_FALSE(operands.in_place());
    device->log.push_back("bind");
  };
  (void)sample(one, 9);
  ASSERT_TRUE(held);
  EXPECT_EQ(std::count(device->log.begin(), device->log.end(), "bind"), group);
  EXPECT_EQ(std::find(device->log.begin(), device->log.end(), "hold") - device->log.begin(), group)
      << "all of them before the first sample";
  EXPECT_TRUE(std::includes(bound.begin(), bound.end(), sorted.begin(), sorted.end()));
}

TEST_F(SamplerTest, LooksAtTheClockOnceABatch) {
  int looks = 0;
  device->clock = [&looks] { return ClockReading{1980 - 15 * looks++, 0}; };
  const Contestant one = contestant(300);
  EXPECT_EQ(sample(one, 17).size(), 17u);
  EXPECT_EQ(looks, 3) << "8 + 8 + 1";
  EXPECT_EQ(clock, (ClockSummary{1950, 1980, 0}));
}

}  // namespace
}  // namespace bitune
