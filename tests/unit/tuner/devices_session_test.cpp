#include "tuner/devices_session.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <set>
#include <thread>
#include <utility>

#include "bitune/error.hpp"
#include "tests/unit/tuner/fake_session.hpp"

namespace bitune {
namespace {

TEST(ProblemQueue, SharesProblemsAndEvaluationsOut) {
  ProblemQueue queue({{{}, {.n = 1}}, {{}, {.n = 2}}, {{}, {.n = 3}}}, 2, 10);
  const auto never = [] { return false; };
  EXPECT_EQ(queue.left_for_each(), 2u);
  const auto first = queue.take(never);
  const auto second = queue.take(never);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->index, 0u);
  EXPECT_EQ(first->evaluations, 4u);
  EXPECT_EQ(second->evaluations, 3u);
  queue.finish(*first, 1);
  EXPECT_EQ(queue.done(), 1u);
  EXPECT_EQ(queue.left_for_each(), 1u);
  const auto third = queue.take(never);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->evaluations, 6u) << "what the first one left";
  EXPECT_FALSE(queue.take([] { return true; })) << "two are under way, but the caller gives up";
}

TEST(ProblemQueue, BeginsWithWhatIsKnownLeast) {
  ProblemQueue queue({{{}, {.n = 7}}, {{}, {.n = 3}}, {{}, {.n = 5}}, {{}, {.n = 3}}}, 1);
  queue.begin_with_least_known([](const Problem& problem) { return problem.n; });
  queue.begin_with_least_known([](const Problem&) -> std::size_t { throw 1; });  // another device
  EXPECT_EQ(queue.upcoming(3), (std::vector<std::size_t>{1, 3, 2}));
  const auto share = queue.take([] { return false; });
  ASSERT_TRUE(share);
  EXPECT_EQ(share->index, 1u);
  EXPECT_EQ(queue.upcoming(9), (std::vector<std::size_t>{3, 2, 0}));
}

TEST(ProblemQueue, GivesLongProblemsMoreOfTheTime) {
  // 512 MB of keys count as one problem more: 1, 1, 3 and 1 of 6.
  constexpr std::uint64_t long_n = std::uint64_t{1} << 28;
  ProblemQueue queue({{{.key = KeyType::u32}, {.n = 1}},
                      {{.key = KeyType::u8}, {.n = 1}},
                      {{.key = KeyType::u32}, {.n = long_n}},
                      {{}, {.n = 1}}},
                     1);
  const auto go_on = [] { return false; };
  for (const double part : {1.0 / 6, 1.0 / 5, 3.0 / 4, 1.0}) {
    const auto share = queue.take(go_on);
    ASSERT_TRUE(share.has_value());
    EXPECT_NEAR(queue.part_of_time(*share), part, 1e-5) << share->index;
    queue.finish(*share, 0);
  }
}

TEST(ProblemQueue, WhatAFailedDeviceHadWaitsForAnother) {
  ProblemQueue queue({{{}, {.n = 1}}}, 2, 10);
  const auto never = [] { return false; };
  const auto share = queue.take(never);
  ASSERT_TRUE(share);
  std::optional<ProblemQueue::Share> taken_over;
  std::latch waiting(1);
  std::jthread other([&] {
    bool asked = false;
    taken_over = queue.take([&] {  // asked while it waits
      if (!std::exchange(asked, true)) waiting.count_down();
      return false;
    });
  });
  waiting.wait();
  queue.give_back(*share, 4);
  other.join();
  ASSERT_TRUE(taken_over);
  EXPECT_EQ(taken_over->index, 0u);
  EXPECT_EQ(taken_over->evaluations, 6u);
  queue.finish(*taken_over, 6);
  EXPECT_FALSE(queue.take(never));
  EXPECT_EQ(queue.done(), 1u);
}

/// Several fake devices on one database file.
class Devices : public testing::Test, protected testing_support::SessionFixture {
 protected:
  Devices() {
    request.problems = {
        {{}, {.n = 1024}}, {{}, {.n = 2048}}, {{}, {.n = 4096}}, {{}, {.n = 8192}}, {{}, {.n = 16384}}};
    request.budget_evaluations = 25;
    evaluators.resize(3);
  }

  DeviceJob job(std::size_t i, const std::string& facts) {
    DeviceInfo info;
    info.name = facts;
    return {"device " + std::to_string(i), info.digest(),
            [this, i, info](ProblemQueue& problems, const SessionReports& reports) {
              TuningDatabase own(path, DatabaseMode::read_write);
              tune_share(request, problems, source, info, {"uuid " + std::to_string(i), "driver", "compiler"},
                         evaluators[i], own, reports, stop);
            }};
  }

  static std::vector<std::size_t> indices(const std::vector<DeviceResult>& results) {
    std::vector<std::size_t> found;
    for (const DeviceResult& result : results) {
      for (const TuneOutcome& outcome : result.outcomes) found.push_back(outcome.index);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  std::vector<testing_support::FakeEvaluator> evaluators;
};

TEST_F(Devices, EqualOnesShareTheProblemsOut) {
  std::latch both(2);
  for (std::size_t i : {0U, 1U}) {
    evaluators[i].on_call = [this, &both, i](const EvaluationRequest&) {
      if (evaluators[i].requests.size() == 1) both.arrive_and_wait();
    };
  }
  std::set<std::size_t> shown_devices;
  std::size_t count = 0;
  const auto results = tune_devices(request, {job(0, "GPU"), job(1, "GPU")}, [&](const DevicesProgress& now) {
    shown_devices.insert(now.device);
    count = now.problems_count;
  });
  EXPECT_EQ(indices(results), (std::vector<std::size_t>{0, 1, 2, 3, 4})) << "each of them once";
  EXPECT_FALSE(results[0].outcomes.empty());
  EXPECT_FALSE(results[1].outcomes.empty());
  EXPECT_EQ(results[0].error + results[1].error, "");
  EXPECT_EQ(stored(false).size(), 25u) << "the budget is for both together";
  EXPECT_EQ(database.devices().size(), 1u) << "equal facts are one device";
  EXPECT_EQ(shown_devices.size(), 2u);
  EXPECT_EQ(count, 5u);
}

TEST_F(Devices, UnequalOnesEachTuneAllProblems) {
  const auto results = tune_devices(request, {job(0, "GPU"), job(1, "other GPU")}, {});
  EXPECT_EQ(results[0].outcomes.size(), 5u);
  EXPECT_EQ(results[1].outcomes.size(), 5u);
  EXPECT_EQ(database.devices().size(), 2u);
}

TEST_F(Devices, OneThatFailsDoesNotStopTheOthers) {
  std::latch fell(1);
  evaluators[1].on_call = [this, &fell](const EvaluationRequest&) {
    if (evaluators[1].requests.size() < 3) return;
    fell.count_down();
    throw Error(ErrorCode::device, "GPU 1 fell off the bus");
  };
  for (std::size_t i : {0U, 2U}) {
    evaluators[i].on_call = [&fell](const EvaluationRequest&) { fell.wait(); };
  }
  const auto results = tune_devices(request, {job(0, "GPU"), job(1, "GPU"), job(2, "GPU")}, {});
  EXPECT_EQ(results[1].error, "GPU 1 fell off the bus");
  EXPECT_EQ(results[1].device, "device 1");
  EXPECT_EQ(results[0].error + results[2].error, "");
  EXPECT_EQ(indices(results), (std::vector<std::size_t>{0, 1, 2, 3, 4}))
      << "the others took its problem over";
  EXPECT_EQ(stored(false).size(), 25u) << "what it had measured is kept, and not measured again";
}

TEST_F(Devices, AllThatFailSayWhy) {
  for (std::size_t i : {0U, 1U}) {
    evaluators[i].on_call = [i](const EvaluationRequest&) {
      throw Error(ErrorCode::device, "GPU " + std::to_string(i) + " is gone");
    };
  }
  const auto results = tune_devices(request, {job(0, "GPU"), job(1, "GPU")}, {});
  EXPECT_EQ(results[0].error, "GPU 0 is gone");
  EXPECT_EQ(results[1].error, "GPU 1 is gone");
  EXPECT_TRUE(indices(results).empty());
}

TEST_F(Devices, StopEndsAllOfThem) {
  for (auto& one : evaluators) {
    one.on_call = [this](const EvaluationRequest&) { stop = true; };
  }
  const auto results = tune_devices(request, {job(0, "GPU"), job(1, "GPU")}, {});
  EXPECT_EQ(results[0].error + results[1].error, "");
  EXPECT_LE(stored(false).size(), 2u);
}

}  // namespace
}  // namespace bitune
