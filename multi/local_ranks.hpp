#pragma once

/// \file
/// Ranks of one process: a thread each. What they send is copied from device to device.

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "multi/communicator.hpp"
#include "runtime/device.hpp"

namespace bitune::multi {

/// Where the ranks of one process meet. Serves emulated devices and GPUs alike: how memory is copied between
/// two devices is the device's matter (Device::copy_from_peer).
class LocalRanks {
 public:
  /// `time_limit`: how long a rank waits for the others. 0: it does not wait at all. `reads_directly`: what
  /// the communicators say of it.
  LocalRanks(int count, std::chrono::milliseconds time_limit, bool reads_directly = false);

  /// The communicator of one rank, for one thread at a time. The device and this must outlive it.
  [[nodiscard]] std::unique_ptr<Communicator> communicator(int rank, const Device& device);

  /// The rank that ended the work of all; nothing if none did.
  [[nodiscard]] std::optional<int> ended_by() const;

 private:
  class Rank;
  struct End {
    int rank = 0;
    ErrorCode code = ErrorCode::device;
    std::string why;
  };

  /// What the ranks gather, by rank.
  using Messages = std::vector<std::vector<std::byte>>;

  /// Leaves a message and waits until all have. Two sets of messages take turns, so that nobody waits until
  /// all have read: when all come to the next gathering, all have.
  const Messages& exchange_messages(int rank, const void* mine, std::size_t bytes);
  /// Shows `mine` to all ranks, and lets `read` look at what all show, by rank. It stays until all have read.
  void meet(int rank, const void* mine, const std::function<void(const std::vector<const void*>&)>& read);
  void wait_for_all(int rank);
  void leave() noexcept;
  void end(End end) noexcept;
  [[noreturn]] void throw_end() const;

  const int count_;
  const std::chrono::milliseconds time_limit_;
  const bool reads_directly_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<const void*> shown_;          ///< by rank; a rank's own entry is written before it arrives
  std::array<Messages, 2> messages_;        ///< likewise
  std::vector<std::uint64_t> gathered_;     ///< how often each rank has gathered: its own entry
  std::atomic<std::uint64_t> arrivals_{0};  ///< how often all have arrived; written under mutex_
  int arrived_ = 0;                         ///< all below: guarded by mutex_
  int left_ = 0;
  std::uint64_t leavings_ = 0;
  std::optional<End> end_;
};

}  // namespace bitune::multi
