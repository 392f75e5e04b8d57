#include "tuner/compile_pool.hpp"

#include <algorithm>
#include <utility>

namespace bitune {

CompilePool::CompilePool(const TuningSource& source, int threads) : source_(source) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t count = threads > 0 ? static_cast<std::size_t>(threads) : cores;
  for (std::size_t i = 0; i < count; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

CompilePool::~CompilePool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();  // joins while the lists still live
}

std::size_t CompilePool::outstanding() const {
  const std::lock_guard lock(mutex_);
  return queued_.size() + under_way_ + ready_.size();
}

void CompilePool::submit(std::size_t index, const Problem& problem, const Configuration& configuration) {
  {
    const std::lock_guard lock(mutex_);
    queued_.push_back({generation_, index, problem, configuration});
  }
  queue_changed_.notify_one();
}

std::optional<Compiled> CompilePool::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  if (!ready_changed_.wait_for(lock, time, [this] { return !ready_.empty(); })) return std::nullopt;
  Compiled compiled = std::move(ready_.front());
  ready_.pop_front();
  return compiled;
}

void CompilePool::discard() {
  const std::lock_guard lock(mutex_);
  queued_.clear();
  ready_.clear();
  under_way_ = 0;
  ++generation_;
}

void CompilePool::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (queue_changed_.wait(lock, stop, [this] { return !queued_.empty(); }) && !stop.stop_requested()) {
    const Task task = std::move(queued_.front());
    queued_.pop_front();
    ++under_way_;
    lock.unlock();
    Compilation compilation = source_.compile(task.problem, task.configuration);
    lock.lock();
    if (task.generation != generation_) continue;
    --under_way_;
    ready_.push_back({task.index, std::move(compilation)});
    ready_changed_.notify_one();
  }
}

}  // namespace bitune
