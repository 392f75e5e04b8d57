#include "tuner/compile_pool.hpp"

#include <algorithm>
#include <utility>

namespace bitune {

namespace {

std::size_t thread_count(int wanted) {
  return wanted > 0 ? static_cast<std::size_t>(wanted) : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

CompilePool::CompilePool(const TuningSource& source, int threads)
    : source_(source), threads_(thread_count(threads)) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < threads_; ++i) start_worker();
}

CompilePool::~CompilePool() {
  {
    const std::lock_guard lock(mutex_);
    forget();
  }
  for (Worker& worker : workers_) worker.thread.request_stop();
  workers_.clear();  // joins while the lists still live
}

void CompilePool::start_worker() {
  workers_.remove_if([](const Worker& worker) { return worker.has_ended; });
  Worker& worker = workers_.emplace_back();
  ++running_;
  worker.thread = std::jthread([this, &worker](const std::stop_token& stop) { work(stop, worker); });
}

std::size_t CompilePool::outstanding() const {
  const std::lock_guard lock(mutex_);
  return queued_.size() + under_way_ + ready_.size();
}

void CompilePool::submit(std::size_t index, const Problem& problem, const Configuration& configuration) {
  {
    const std::lock_guard lock(mutex_);
    queued_.push_back({unwanted_.get_token(), index, problem, configuration});
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

void CompilePool::forget() {
  queued_.clear();
  ready_.clear();
  discarded_ += std::exchange(under_way_, 0);
  unwanted_.request_stop();
  unwanted_ = std::stop_source();
}

void CompilePool::discard() {
  const std::lock_guard lock(mutex_);
  forget();
  while (running_ < 2 * threads_ && running_ - discarded_ < threads_) start_worker();
}

void CompilePool::ahead(Job job) {
  {
    const std::lock_guard lock(mutex_);
    ahead_.push_back(std::move(job));
  }
  queue_changed_.notify_one();
}

bool CompilePool::may_work_ahead() const {
  return !ahead_.empty() && working_ahead_ < std::max<std::size_t>(1, threads_ / 4);
}

void CompilePool::work_ahead(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  const Job job = std::move(ahead_.front());
  ahead_.pop_front();
  ++working_ahead_;
  lock.unlock();
  try {
    job(stop);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the same comes of it when it is submitted
  }
  lock.lock();
  --working_ahead_;
}

void CompilePool::work(const std::stop_token& stop, Worker& self) {
  std::unique_lock lock(mutex_);
  while (running_ - discarded_ <= threads_ && queue_changed_.wait(lock, stop, [this] {
    return !queued_.empty() || may_work_ahead();
  }) && !stop.stop_requested()) {
    if (may_work_ahead()) {
      work_ahead(lock, stop);
      continue;
    }
    const Task task = std::move(queued_.front());
    queued_.pop_front();
    ++under_way_;
    lock.unlock();
    Compilation compilation = source_.compile(task.problem, task.configuration, task.wanted);
    lock.lock();
    if (task.wanted.stop_requested()) {
      --discarded_;
      continue;
    }
    --under_way_;
    ready_.push_back({task.index, std::move(compilation)});
    ready_changed_.notify_one();
  }
  --running_;
  self.has_ended = true;
}

}  // namespace bitune
