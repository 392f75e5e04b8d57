#pragma once

/// \file
/// A thread for each rank, kept between calls: a thread's first use of CUDA takes longer than agreeing.

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace bitune::multi {

/// For one call at a time.
class RankThreads {
 public:
  explicit RankThreads(std::size_t ranks);
  ~RankThreads();
  RankThreads(const RankThreads&) = delete;
  RankThreads& operator=(const RankThreads&) = delete;

  /// Calls work(rank) for each rank, of which the first has the caller's thread. Returns when all is done.
  /// The work throws nothing.
  void run(const std::function<void(std::size_t)>& work);

 private:
  std::atomic<const std::function<void(std::size_t)>*> work_{nullptr};
  std::atomic<int> calls_{0};  ///< goes up when there is work, or the end
  std::atomic<int> busy_{0};   ///< threads that have not done theirs
  std::vector<std::jthread> threads_;
};

}  // namespace bitune::multi
