#include "runtime/background_work.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

namespace bitune {
namespace {

/// All objects of the process. Never destroyed, as threads may outlive what is.
struct Everyone {
  std::mutex mutex;
  std::set<BackgroundWork*> members;
};

Everyone& everyone() {
  static auto* const all = new Everyone;
  return *all;
}

void stop_all() {
  const std::lock_guard lock(everyone().mutex);  // whoever is being destroyed waits
  for (BackgroundWork* member : everyone().members) member->stop();
}

}  // namespace

BackgroundWork::BackgroundWork(unsigned most_threads)
    : most_threads_(std::max(most_threads, 1U)), process_(::getpid()) {
  const std::lock_guard lock(everyone().mutex);
  everyone().members.insert(this);
}

BackgroundWork::~BackgroundWork() {
  if (process_ == ::getpid()) {
    const std::lock_guard lock(everyone().mutex);
    everyone().members.erase(this);
  }
  stop();
  for (std::thread& thread : threads_) thread.detach();  // of the child of a fork: there are none
}

bool BackgroundWork::add(std::function<void()> work) {
  if (process_ != ::getpid()) return false;
  const std::lock_guard lock(mutex_);
  if (stopped_) return false;
  // Handlers of the end of a process run in reverse order: this one before those of what is there by now
  // (Compiler::open).
  if (!std::exchange(ends_with_process_, true)) static_cast<void>(std::atexit(stop_all));
  waiting_.push_back(std::move(work));
  if (waiting_.size() > idle_ && threads_.size() < most_threads_) {
    threads_.emplace_back([this] { run(); });
    ++idle_;  // from now on, so that the next one does not count on it
  }
  changed_.notify_one();
  return waiting_.size() <= idle_;
}

void BackgroundWork::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    if (stopped_) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    --idle_;
    lock.unlock();
    work();
    work = nullptr;  // what it holds goes outside of the lock
    lock.lock();
    ++idle_;
  }
}

void BackgroundWork::stop() noexcept {
  if (process_ != ::getpid()) return;
  std::vector<std::thread> threads;
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    std::swap(threads, threads_);
    std::swap(dropped, waiting_);
  }
  changed_.notify_all();
  dropped.clear();  // now: who waits for one of them may be what the others wait for
  for (std::thread& thread : threads) thread.join();
}

}  // namespace bitune
