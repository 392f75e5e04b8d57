#pragma once

/// \file
/// Sorting host arrays: staged through pinned memory, copies overlapping with the staging.

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bitune/bitune.hpp"
#include "runtime/device.hpp"

namespace bitune {

/// A part of an array in the host's memory.
struct HostPiece {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// An array in the host's memory.
struct HostArray {
  std::vector<HostPiece> from;  ///< one behind the other, `bytes` together; none: it is not read
  void* to = nullptr;           ///< null: it is not written
  std::size_t bytes = 0;
};

/// Carries host arrays to a device, has them sorted there, and carries them back.
///
/// Each run uses a lane of its own (a stream, pinned buffers, events), so that several threads run at once;
/// idle lanes are kept for the next run. A lane whose run failed is thrown away. Thread-safe.
class HostSort {
 public:
  /// `chunk_bytes`: size of one pinned buffer; larger arrays pass through two of them in turn.
  explicit HostSort(std::shared_ptr<const Device> device, std::size_t chunk_bytes = std::size_t{4} << 20);
  ~HostSort();

  /// `sort` enqueues the sort of the device array on the stream. Returns when the host array is sorted.
  HostSortTimes run(void* keys, std::size_t bytes, const std::function<void(void*, Stream)>& sort);

  /// As above for several arrays. `sort` gets the memory of each on the device.
  HostSortTimes run(std::span<const HostArray> arrays,
                    const std::function<void(std::span<void* const>, Stream)>& sort);

 private:
  struct Lane;

  HostSortTimes run_in_lane(std::span<const HostArray> arrays,
                            const std::function<void(std::span<void* const>, Stream)>& sort);
  [[nodiscard]] std::unique_ptr<Lane> take_lane();
  void give_back(std::unique_ptr<Lane> lane);
  /// `chunks`: how many the lane has carried since its run began.
  void upload(Lane& lane, void* to, const HostArray& from, std::size_t& chunks) const;
  void download(Lane& lane, std::byte* to, const void* from, std::size_t bytes) const;

  const std::shared_ptr<const Device> device_;
  const std::size_t chunk_bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;  ///< guarded by mutex_
};

}  // namespace bitune
