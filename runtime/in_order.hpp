#pragma once

/// \file
/// Steps of several threads that must be done one after the other.

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>

namespace bitune {

/// Step i begins when step i - 1 has ended. Thread-safe.
class InOrder {
 public:
  /// \throws what a step failed with
  void begin(std::uint64_t step) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || next_ == step; });
    if (failure_) std::rethrow_exception(failure_);
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ++next_;
    changed_.notify_all();
  }
  /// No further step begins. Called while an exception is handled.
  void fail() {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0;      ///< guarded by mutex_
  std::exception_ptr failure_;  ///< likewise
};

}  // namespace bitune
