#pragma once

/// \file
/// Compile workers: threads that prepare configurations ahead of the thread that measures them.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "tuner/tuning_source.hpp"

namespace bitune {

/// A configuration whose kernels are ready, or never will be.
struct Compiled {
  std::size_t index = 0;  ///< as submitted
  Compilation compilation;
};

/// Compiles on its own threads. All functions are for one thread, the session's. Results come in the order in
/// which they are ready. Every submission is on exactly one of three lists: queued, under way, ready.
///
/// A compilation may take half a minute. The next problem must not wait for what the one before it no longer
/// wants. So what is discarded is asked to stop, and its thread gets a substitute until it has, as not every
/// compiler stops at once, and some do not at all. There are at most as many substitutes as threads.
///
/// What the next problems begin with is compiled ahead, before what is submitted, by a quarter of the
/// threads, at least one. Otherwise each problem would begin with a wait for its first kernels.
class CompilePool {
 public:
  using Job = std::function<void(const std::stop_token&)>;

  /// `threads` of 0: as many as the machine has cores.
  CompilePool(const TuningSource& source, int threads);
  ~CompilePool();  ///< asks what is under way to stop, and waits for it
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  /// How many submissions keep all threads busy while others are measured.
  [[nodiscard]] std::size_t capacity() const noexcept { return 2 * threads_ + 2; }
  /// Submissions that were not returned yet.
  [[nodiscard]] std::size_t outstanding() const;

  void submit(std::size_t index, const Problem& problem, const Configuration& configuration);
  /// The next result; nothing if there is none within this time.
  [[nodiscard]] std::optional<Compiled> wait_for(std::chrono::milliseconds time);
  /// Forgets all submissions; what is under way is asked to stop, its result dropped. What is compiled ahead
  /// stays.
  void discard();
  /// Runs a job that compiles what will be submitted later, unless it is asked to stop. What it throws is
  /// dropped: who submits it will see.
  void ahead(Job job);

 private:
  struct Task {
    std::stop_token wanted;  ///< no longer, once it is asked to stop, which is done with the mutex held
    std::size_t index;
    Problem problem;
    Configuration configuration;
  };
  struct Worker {
    bool has_ended = false;  ///< guarded by mutex_
    std::jthread thread;
  };
  void start_worker();  ///< the mutex is held
  void forget();        ///< all submissions; the mutex is held
  void work(const std::stop_token& stop, Worker& self);
  [[nodiscard]] bool may_work_ahead() const;  ///< the mutex is held
  /// One job; the mutex is held before and after.
  void work_ahead(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  const TuningSource& source_;
  const std::size_t threads_;  ///< that work on what is wanted
  mutable std::mutex mutex_;
  std::condition_variable_any queue_changed_;
  std::condition_variable ready_changed_;
  std::deque<Task> queued_;        // guarded by mutex_
  std::deque<Job> ahead_;          // guarded by mutex_
  std::size_t working_ahead_ = 0;  // guarded by mutex_; workers
  std::deque<Compiled> ready_;     // guarded by mutex_
  std::size_t under_way_ = 0;      // guarded by mutex_; wanted
  std::size_t discarded_ = 0;      // guarded by mutex_; under way, no longer wanted
  std::stop_source unwanted_;      // guarded by mutex_; of all that is wanted
  std::size_t running_ = 0;        // guarded by mutex_; workers that have not ended
  std::list<Worker> workers_;      // guarded by mutex_; addresses stay
};

}  // namespace bitune
