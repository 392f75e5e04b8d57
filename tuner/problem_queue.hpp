#pragma once

/// \file
/// The problems of a session, shared out among devices.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "bitune/types.hpp"

namespace bitune {

/// Problems that equal devices take one after the other. Each is in one state: waiting, under way on one
/// device, or done. What a device that fails had under way waits again, for another one.
///
/// Thread-safe; `problems` may be read at any time.
class ProblemQueue {
 public:
  /// A problem under way, with its part of the evaluations that all problems may take together.
  struct Share {
    std::size_t index = 0;  ///< of the problem
    std::optional<std::uint64_t> evaluations;
  };

  /// `devices`: how many take from it. `evaluations`: for all problems together; nothing: without end.
  ProblemQueue(std::vector<Problem> problems, std::size_t devices,
               std::optional<std::uint64_t> evaluations = std::nullopt);

  [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return problems_; }

  /// Puts those first of which least is known, in their order where that is equal: sessions that are stopped
  /// again and again get to all problems. Only the first of the devices that ask is heard.
  void begin_with_least_known(const std::function<std::size_t(const Problem&)>& known);

  /// Places of the problems that are taken next.
  [[nodiscard]] std::vector<std::size_t> upcoming(std::size_t most) const;

  /// The next problem. Waits while none is waiting, but one that is under way elsewhere might come back.
  /// Nothing when all are done, or as soon as `give_up` says so.
  [[nodiscard]] std::optional<Share> take(const std::function<bool()>& give_up);

  /// The problem is done; what it did not spend goes to the others.
  void finish(const Share& share, std::uint64_t spent);
  /// The device failed and takes no more: the problem waits for another one.
  void give_back(const Share& share, std::uint64_t spent);

  /// Problems waiting and under way for each of the devices; at least 1.
  [[nodiscard]] std::size_t left_for_each() const;
  /// What part of the time that is left a problem under way should take, on each of the devices. All that are
  /// left have equal parts, but long ones more: their keys take time to make and to sort. In (0, 1].
  [[nodiscard]] double part_of_time(const Share& share) const;
  [[nodiscard]] std::size_t done() const;

 private:
  void settle(const Share& share, std::uint64_t spent);

  const std::vector<Problem> problems_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> waiting_;           // guarded by mutex_
  bool is_ordered_ = false;                   // guarded by mutex_
  std::size_t under_way_ = 0;                 // guarded by mutex_
  double weight_left_ = 0;                    // guarded by mutex_; of those waiting and under way
  std::size_t devices_;                       // guarded by mutex_; that have not failed
  std::optional<std::uint64_t> evaluations_;  // guarded by mutex_; not shared out yet
};

}  // namespace bitune
