#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/problem_cache.hpp"

namespace bitune {
namespace {

using Cache = ProblemCache<int>;

Problem of_size(std::uint64_t n) { return {{}, {.n = n}}; }

Cache::Pointer value(int number) { return std::make_shared<const int>(number); }

TEST(ProblemCache, MakesOnceAndFindsAgain) {
  Cache cache(8);
  EXPECT_EQ(cache.find(of_size(5)), nullptr);
  EXPECT_EQ(*cache.get(of_size(5), [] { return value(1); }), 1);
  EXPECT_EQ(*cache.get(of_size(5), [] { return value(2); }), 1);
  EXPECT_EQ(*cache.find(of_size(5)), 1);
}

TEST(ProblemCache, TellsAllFieldsApart) {
  Cache cache(64);
  const std::vector<Problem> problems = {{{}, {.n = 5}},
                                         {{}, {.n = 6}},
                                         {{}, {.n = 5, .rows = 2}},
                                         {{.key = KeyType::f32}, {.n = 5}},
                                         {{.order = Order::descending}, {.n = 5}},
                                         {{.value_bytes = 4}, {.n = 5}},
                                         {{.operation = Operation::argsort}, {.n = 5}}};
  int next = 0;
  for (const Problem& problem : problems) {
    const int number = next++;
    static_cast<void>(cache.get(problem, [&] { return value(number); }));
  }
  next = 0;
  for (const Problem& problem : problems) EXPECT_EQ(*cache.find(problem), next++);
}

TEST(ProblemCache, DropsTheLeastRecentlyUsed) {
  Cache cache(3);
  for (int n = 0; n < 3; ++n) {
    static_cast<void>(cache.get(of_size(static_cast<std::uint64_t>(n)), [&] { return value(n); }));
  }
  const auto held = cache.find(of_size(1));  // used after 0 and 2
  static_cast<void>(cache.find(of_size(0)));
  static_cast<void>(cache.get(of_size(3), [] { return value(3); }));
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_EQ(cache.find(of_size(2)), nullptr);
  EXPECT_NE(cache.find(of_size(0)), nullptr);
  static_cast<void>(cache.get(of_size(4), [] { return value(4); }));
  EXPECT_EQ(cache.find(of_size(1)), nullptr);
  EXPECT_EQ(*held, 1) << "a value outlives its eviction";
}

TEST(ProblemCache, OneThreadMakesWhileTheOthersWait) {
  Cache cache(8);
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  std::atomic<int> sum{0};
  std::latch begun(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      begun.count_down();
      sum += *cache.get(of_size(7), [&] {
        begun.wait();
        return value(++made);
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(sum, 8);
}

TEST(ProblemCache, ProblemsAreMadeSideBySide) {
  Cache cache(8);
  std::latch first_begun(1);
  std::latch second_made(1);
  std::thread first([&] {
    static_cast<void>(cache.get(of_size(1), [&] {
      first_begun.count_down();
      second_made.wait();
      return value(1);
    }));
  });
  first_begun.wait();
  EXPECT_EQ(*cache.get(of_size(2), [] { return value(2); }), 2) << "it does not wait for the first";
  EXPECT_EQ(cache.find(of_size(1)), nullptr);
  second_made.count_down();
  first.join();
  EXPECT_EQ(*cache.find(of_size(1)), 1);
}

TEST(ProblemCache, ForgetsAFailure) {
  Cache cache(8);
  const auto fail = []() -> Cache::Pointer { throw std::runtime_error("no"); };
  EXPECT_THROW(static_cast<void>(cache.get(of_size(1), fail)), std::runtime_error);
  EXPECT_EQ(*cache.get(of_size(1), [] { return value(1); }), 1);
}

TEST(ProblemCache, GivesAFailureToAllWhoWaited) {
  Cache cache(8);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  std::latch begun(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      begun.count_down();
      try {
        static_cast<void>(cache.get(of_size(1), [&begun]() -> Cache::Pointer {
          begun.wait();
          throw std::runtime_error("no");
        }));
      } catch (const std::runtime_error&) {
        ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 4);
  EXPECT_EQ(cache.size(), 0u);
}

}  // namespace
}  // namespace bitune
