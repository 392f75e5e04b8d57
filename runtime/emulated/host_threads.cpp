#include "runtime/emulated/host_threads.hpp"

#include <unistd.h>

#include <utility>

namespace bitune::emulated {

HostThreads::HostThreads(std::size_t count) : owner_(getpid()) {
  for (std::size_t worker = 1; worker < count; ++worker)
    workers_.emplace_back([this, worker] { serve(worker); });
}

HostThreads::~HostThreads() {
  if (getpid() != owner_) {
    // A fork has no workers; only their handles are left.
    for (std::thread& worker : workers_) worker.detach();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void HostThreads::run(std::uint32_t groups, const Work& work) {
  work_ = &work;
  groups_ = groups;
  next_ = 0;
  failure_ = nullptr;
  const bool alone = groups < 2 || workers_.empty() || getpid() != owner_;
  if (!alone) {
    const std::lock_guard lock(mutex_);
    ++generation_;
    working_ = workers_.size();
  }
  if (!alone) changed_.notify_all();
  do_share(0);
  if (!alone) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return working_ == 0; });
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void HostThreads::serve(std::size_t worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || generation_ != seen; });
    if (stopping_) return;
    seen = generation_;
    lock.unlock();
    do_share(worker);
    lock.lock();
    if (--working_ == 0) changed_.notify_all();
  }
}

void HostThreads::do_share(std::size_t worker) {
  for (;;) {
    const std::uint64_t group = next_++;
    if (group >= groups_) return;
    try {
      (*work_)(worker, static_cast<std::uint32_t>(group));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = groups_;
    }
  }
}

}  // namespace bitune::emulated
