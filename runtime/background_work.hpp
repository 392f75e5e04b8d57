#pragma once

/// \file
/// Work that nobody waits for.

#include <sys/types.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bitune {

/// Does work in the order in which it came, on a few threads, which begin when there is something to do.
///
/// At the end of the object, and of the process, what has not begun is dropped, and what has is waited for:
/// a compiler or a driver that is torn down beneath a thread may bring the process down. Thread-safe.
class BackgroundWork {
 public:
  explicit BackgroundWork(unsigned most_threads);
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  /// Takes work, which must not throw. Returns whether a thread begins with it at once. After `stop`, work is
  /// dropped.
  ///
  /// Whatever the work of this object uses must be loaded when the first is added: what a process loads
  /// later, it tears down before it asks this object to stop.
  bool add(std::function<void()> work);

  /// Drops what has not begun, and waits for what has. Does nothing in the child of a fork, which has no
  /// threads.
  void stop() noexcept;

 private:
  void run();

  const unsigned most_threads_;
  const pid_t process_;
  std::mutex mutex_;  ///< guards all below
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  unsigned idle_ = 0;
  bool stopped_ = false;
  bool ends_with_process_ = false;
};

}  // namespace bitune
