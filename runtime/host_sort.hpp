#pragma once

/// \file
/// Sorting host arrays: carried to a device, sorted there, and carried back.

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <span>
#include <vector>

#include "bitune/bitune.hpp"
#include "runtime/device.hpp"
#include "runtime/host_staging.hpp"

namespace bitune {

/// An array in the host's memory.
struct HostArray {
  std::vector<HostPiece> from;  ///< one behind the other, `bytes` together; none: it is not read
  std::vector<HostRoom> to;     ///< likewise; none: it is not written
  std::size_t bytes = 0;
};

/// What is told of a call's arrays; either may be empty.
struct HostReading {
  std::function<void()> begins;  ///< before any of them is read
  std::function<void()> ends;    ///< when the host's memory is read, and before any of it is written
};

/// Carries host arrays to a device, has them sorted there, and carries them back.
///
/// Each run uses a lane of its own (a stream, pinned buffers, events), so that several run at once; idle
/// lanes are kept for the next run. A lane whose run failed is thrown away.
///
/// Of several runs with large arrays one uploads at a time, and one downloads: it has the whole bus in that
/// direction. So runs fall out of step, and one uploads while another is sorted, and a third comes back.
/// Without turns they all would upload together, and then all download. Thread-safe.
class HostSort {
 public:
  static constexpr std::size_t usual_chunk_bytes = std::size_t{8} << 20;

  /// `chunk_bytes`: size of one pinned buffer; larger arrays pass through a few of them in turn, and those of
  /// many chunks are copied by several threads, `copy_threads` at most (0: as the host has cores for).
  explicit HostSort(std::shared_ptr<const Device> device, std::size_t chunk_bytes = usual_chunk_bytes,
                    unsigned copy_threads = 0);
  ~HostSort();

  /// `sort` enqueues the sort of the device array on the stream. Returns when the host array is sorted.
  HostSortTimes run(void* keys, std::size_t bytes, const std::function<void(void*, Stream)>& sort);

  /// As above for several arrays. `sort` gets the memory of each on the device.
  HostSortTimes run(std::span<const HostArray> arrays,
                    const std::function<void(std::span<void* const>, Stream)>& sort,
                    const HostReading& reading = {});

 private:
  struct Lane;

  HostSortTimes run_in_lane(std::span<const HostArray> arrays,
                            const std::function<void(std::span<void* const>, Stream)>& sort,
                            const HostReading& reading);
  [[nodiscard]] std::unique_ptr<Lane> take_lane();
  void give_back(std::unique_ptr<Lane> lane);

  const std::shared_ptr<const Device> device_;
  const std::size_t chunk_bytes_;
  const unsigned copy_threads_;
  std::binary_semaphore upload_turn_{1};    ///< of the run that copies large arrays to the device
  std::binary_semaphore download_turn_{1};  ///< likewise from there
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;  ///< guarded by mutex_
};

}  // namespace bitune
