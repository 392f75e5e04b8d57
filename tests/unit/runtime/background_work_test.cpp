#include "runtime/background_work.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <vector>

namespace bitune {
namespace {

TEST(BackgroundWork, DoesWorkInItsOrder) {
  std::vector<int> order;
  std::latch done(3);
  BackgroundWork work(1);
  for (const int number : {1, 2, 3}) {
    work.add([&, number] {
      order.push_back(number);
      done.count_down();
    });
  }
  done.wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(BackgroundWork, TellsWhetherAThreadIsFree) {
  std::latch begun(2);
  std::latch release(1);
  BackgroundWork work(2);
  const auto hold = [&] {
    begun.count_down();
    release.wait();
  };
  EXPECT_TRUE(work.add(hold));
  EXPECT_TRUE(work.add(hold));
  begun.wait();
  EXPECT_FALSE(work.add([] {})) << "both hold";
  release.count_down();
}

TEST(BackgroundWork, DropsWhatHasNotBegunAndWaitsForWhatHas) {
  std::latch begun(1);
  std::latch release(1);
  std::atomic<bool> finished = false;
  std::atomic<bool> dropped = true;
  {
    BackgroundWork work(1);
    work.add([&] {
      begun.count_down();
      release.wait();
      finished = true;
    });
    begun.wait();
    work.add([&dropped, holds = std::shared_ptr<void>(nullptr, [&](void*) { release.count_down(); })] {
      dropped = false;  // the other work is released when this one is dropped
    });
  }
  EXPECT_TRUE(finished);
  EXPECT_TRUE(dropped);
}

TEST(BackgroundWork, TakesNothingOnceItIsStopped) {
  BackgroundWork work(1);
  work.stop();
  EXPECT_FALSE(work.add([] { ADD_FAILURE() << "it was to be dropped"; }));
  work.stop();
}

std::latch* released = nullptr;

/// Exits while work is under way that goes on only when the process ends.
[[noreturn]] void exit_while_working() {
  released = new std::latch(1);
  auto* const begun = new std::latch(1);
  auto* const work = new BackgroundWork(1);
  work->add([begun] {
    begun->count_down();
    released->wait();
    std::fputs("finished\n", stderr);
  });
  begun->wait();
  work->add([] { std::_Exit(9); });                                // it is dropped
  static_cast<void>(std::atexit([] { released->count_down(); }));  // runs before what was registered before
  std::exit(3);
}

TEST(BackgroundWorkDeathTest, IsWaitedForWhenTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_while_working(), testing::ExitedWithCode(3), "finished");
}

/// The child has none of the threads that its parent has.
[[noreturn]] void exit_from_a_fork() {
  static BackgroundWork work(1);
  std::latch begun(1);
  std::latch release(1);
  work.add([&] {
    begun.count_down();
    release.wait();
  });
  begun.wait();
  const pid_t child = ::fork();
  if (child == 0) std::exit(work.add([] {}) ? 1 : 7);
  int status = 0;
  ::waitpid(child, &status, 0);
  release.count_down();
  std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

TEST(BackgroundWorkDeathTest, LeavesTheChildrenOfAForkAlone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_from_a_fork(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace bitune
