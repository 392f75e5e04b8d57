#pragma once

/// \file
/// Sorting host arrays: staged through pinned memory, copies overlapping with the staging. Large ones by
/// several threads, as one thread does not keep up with the bus.

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
/// Each run, and each thread that copies for it, uses a lane of its own (a stream, pinned buffers, events),
/// so that several run at once; idle lanes are kept for the next run. A lane whose run failed is thrown away.
///
/// Of several runs that copy by several threads one uploads at a time, and one downloads: it has the whole
/// bus in that direction. So runs fall out of step, and one uploads while another is sorted, and a third
/// comes back. Without turns they all would upload together, and then all download.
/// Thread-safe.
class HostSort {
 public:
  static constexpr std::size_t usual_chunk_bytes = std::size_t{4} << 20;

  /// `chunk_bytes`: size of one pinned buffer; larger arrays pass through two of them in turn, and those of
  /// many chunks are copied by several threads, `copy_threads` at most (0: as the host has cores for).
  explicit HostSort(std::shared_ptr<const Device> device, std::size_t chunk_bytes = usual_chunk_bytes,
                    unsigned copy_threads = 0);
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
  /// Carries `bytes` bytes of an array, from its byte `begin` on, to where they belong in `to`. `chunks`: how
  /// many the lane has carried since its run began.
  void upload(Lane& lane, void* to, const HostArray& from, std::size_t begin, std::size_t bytes,
              std::size_t& chunks) const;
  void download(Lane& lane, std::byte* to, const void* from, std::size_t bytes) const;
  /// Into how many parts an array of so many bytes is cut, each with a thread and a lane of its own.
  [[nodiscard]] unsigned copies_of(std::size_t bytes) const noexcept;
  void upload_at_once(void* to, const HostArray& from);
  void download_at_once(std::byte* to, const void* from, std::size_t bytes);
  void copy_at_once(std::size_t bytes,
                    const std::function<void(Lane&, std::size_t begin, std::size_t size)>& copy);

  const std::shared_ptr<const Device> device_;
  const std::size_t chunk_bytes_;
  const unsigned copy_threads_;
  std::mutex upload_turn_;    ///< held by the run that copies to the device by several threads
  std::mutex download_turn_;  ///< likewise from there
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;  ///< guarded by mutex_
};

}  // namespace bitune
