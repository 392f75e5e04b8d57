#pragma once

/// \file
/// The host threads that share the groups of a launch among them.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bitune::emulated {

/// Workers that wait for the next piece of work. The caller is one of them: a pool of one starts no thread.
///
/// Thread safety: `run` must not be called by two threads at once. After a fork, the child's caller works
/// alone.
class HostThreads {
 public:
  /// Called as work(worker, group), worker < count().
  using Work = std::function<void(std::size_t worker, std::uint32_t group)>;

  explicit HostThreads(std::size_t count);
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  [[nodiscard]] std::size_t count() const noexcept { return workers_.size() + 1; }

  /// Does work for each group in [0, groups). After an exception no further group is begun; the first one is
  /// thrown on when all workers are at rest.
  void run(std::uint32_t groups, const Work& work);

 private:
  void serve(std::size_t worker);
  void do_share(std::size_t worker);

  std::vector<std::thread> workers_;
  std::mutex mutex_;  // guards the fields up to failure_
  std::condition_variable changed_;
  std::uint64_t generation_ = 0;  // counts calls of run
  std::size_t working_ = 0;       // workers that are not done with this generation
  bool stopping_ = false;
  std::exception_ptr failure_;
  const Work* work_ = nullptr;
  std::uint32_t groups_ = 0;
  std::atomic<std::uint64_t> next_{0};
  int owner_;  // the process that has the workers
};

}  // namespace bitune::emulated
