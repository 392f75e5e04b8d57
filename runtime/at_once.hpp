#pragma once

/// \file
/// Work that several threads share, and whose first failure is that of all.

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bitune {

/// Calls work(i) for each i below `count`, on at most `threads` threads, of which this is one. Returns when
/// all is done. \throws what the first call that failed threw; then none that had not begun is made
template <class Work>
void at_once(std::uint64_t count, std::uint64_t threads, const Work& work) {
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;  // guarded by mutex
  const auto take = [&] {
    for (std::uint64_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::uint64_t i = 1; i < threads && i < count; ++i) others.emplace_back(take);
    take();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace bitune
