// Compile workers: what is discarded takes no thread from what is wanted.

#include "tuner/compile_pool.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <map>
#include <memory>
#include <stdexcept>

#include "tests/unit/tuner/fake_session.hpp"

namespace bitune {
namespace {

/// For what must come, however slow the machine is: CTest ends a test that hangs.
constexpr std::chrono::hours for_ever{24};

/// A source whose compilations begin to be seen, and end when they may.
struct SlowSource {
  explicit SlowSource(std::int64_t count) : source(count) {
    for (std::int64_t x = 0; x < count; ++x) {
      begun.push_back(std::make_unique<std::latch>(1));
      may_end.push_back(std::make_unique<std::latch>(1));
    }
    source.on_compile = [this](std::int64_t x, const std::stop_token&) {
      begun[static_cast<std::size_t>(x)]->count_down();
      may_end[static_cast<std::size_t>(x)]->wait();
      return Compilation{};
    };
  }
  void finish(std::size_t x) { may_end[x]->count_down(); }
  void submit(CompilePool& pool, std::size_t x) const {
    const Configuration configuration{"fake", {{"x", static_cast<std::int64_t>(x)}}};
    pool.submit(x, Problem{{}, {.n = 10}}, configuration);
  }

  std::vector<std::unique_ptr<std::latch>> begun;
  std::vector<std::unique_ptr<std::latch>> may_end;
  testing_support::FakeSource source;
};

TEST(CompilePool, WhatIsDiscardedKeepsNobodyWaiting) {
  SlowSource slow(3);
  CompilePool pool(slow.source, 1);
  slow.submit(pool, 0);
  slow.begun[0]->wait();
  pool.discard();
  EXPECT_EQ(pool.outstanding(), 0u);

  slow.finish(1);
  slow.submit(pool, 1);
  const auto second = pool.wait_for(for_ever);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->index, 1u);

  slow.finish(0);
  slow.finish(2);
  slow.submit(pool, 2);
  const auto third = pool.wait_for(for_ever);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->index, 2u) << "the discarded one is no result";
  EXPECT_EQ(pool.outstanding(), 0u);
}

TEST(CompilePool, CompilesAheadBeforeWhatIsSubmittedButNotOnAllThreads) {
  SlowSource slow(2);
  CompilePool pool(slow.source, 2);
  std::latch first_begun(1);
  std::latch may_end(1);
  std::latch second_done(1);
  pool.ahead([&](const std::stop_token&) {
    first_begun.count_down();
    may_end.wait();
    throw std::runtime_error("nobody hears of it");
  });
  pool.ahead([&](const std::stop_token&) { second_done.count_down(); });
  first_begun.wait();
  slow.finish(0);
  slow.submit(pool, 0);
  EXPECT_TRUE(pool.wait_for(for_ever)) << "one thread of two works ahead";
  pool.discard();
  EXPECT_FALSE(second_done.try_wait()) << "one at a time";
  may_end.count_down();
  second_done.wait();
  EXPECT_EQ(pool.outstanding(), 0u);
}

/// Waits until it is asked to stop.
void wait_for(const std::stop_token& stop) {
  std::latch asked(1);
  const std::stop_callback when_asked(stop, [&asked] { asked.count_down(); });
  asked.wait();
}

TEST(CompilePool, AsksToStopWhatIsDiscardedAndAtItsEndAllThatIsLeft) {
  testing_support::FakeSource source(2);
  std::latch discarded_begun(1);
  std::latch discarded_ended(1);
  std::latch last_begun(1);
  source.on_compile = [&](std::int64_t x, const std::stop_token& stop) {
    (x == 0 ? discarded_begun : last_begun).count_down();
    wait_for(stop);
    if (x == 0) discarded_ended.count_down();
    return Compilation{};
  };
  CompilePool pool(source, 2);
  std::latch ahead_begun(1);
  pool.ahead([&](const std::stop_token& stop) {
    ahead_begun.count_down();
    wait_for(stop);
  });
  ahead_begun.wait();
  const auto submit = [&pool](std::int64_t x) {
    pool.submit(static_cast<std::size_t>(x), Problem{{}, {.n = 10}}, {"fake", {{"x", x}}});
  };
  submit(0);
  discarded_begun.wait();
  pool.discard();
  discarded_ended.wait();
  submit(1);
  last_begun.wait();
  EXPECT_EQ(pool.outstanding(), 1u) << "its end waits for this one, and for what is compiled ahead";
}

TEST(CompilePool, HasNoMoreSubstitutesThanThreads) {
  SlowSource slow(4);
  CompilePool pool(slow.source, 1);
  for (const std::size_t x : {0u, 1u}) {
    slow.submit(pool, x);
    slow.begun[x]->wait();
    pool.discard();
  }
  slow.finish(2);
  slow.submit(pool, 2);
  // However short this is, nothing comes: it only gives a thread too many the time to show itself.
  EXPECT_FALSE(pool.wait_for(std::chrono::milliseconds(50)))
      << "two compilations are under way, of one thread and its substitute";
  slow.finish(0);
  const auto found = pool.wait_for(for_ever);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->index, 2u);

  // When all is finished, one thread is left: what it is at keeps the next one waiting.
  slow.finish(1);
  slow.submit(pool, 3);
  slow.begun[3]->wait();
  EXPECT_EQ(pool.outstanding(), 1u);
  slow.finish(3);
  EXPECT_TRUE(pool.wait_for(for_ever));
}

}  // namespace
}  // namespace bitune
