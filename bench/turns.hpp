#pragma once

/// \file
/// Timing several sorts of the same keys in turn.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/device.hpp"

namespace bitune {

/// One of the sorts compared. `sort` enqueues it and allocates nothing; the result is in `keys` or, if not
/// `in_place`, in `out`.
struct Contestant {
  std::string name;
  bool in_place = true;
  std::function<void(void* keys, void* out, StreamHandle stream)> sort;
};

/// Samples of all contestants, in microseconds for one sort.
struct TurnsResult {
  int batch = 1;
  std::vector<std::vector<double>> samples_us;  ///< a list for each contestant
};

/// The device memory of one comparison: the keys as they were, buffers that are sorted, and one output
/// buffer.
///
/// A sample is `batch` sorts, each of a buffer of its own, between two events. All buffers are restored
/// before the first event. What the host enqueues between the events has been enqueued before the device
/// reaches the first one: ahead of the restoring, the device is kept busy filling memory that nobody reads.
/// So neither the host's launch times nor gaps between launches that it caused are measured, and the restored
/// keys are as warm in L2 as they fit, for everyone.
class Turns {
 public:
  /// Bytes of device memory that a comparison of so many key bytes takes at the least.
  [[nodiscard]] static std::uint64_t memory_needed(std::uint64_t key_bytes) noexcept;

  /// `keys`: the keys on the host; copied.
  Turns(const Device& device, std::span<const std::byte> keys);

  /// Whether the contestant makes `expected` of the keys. Runs it once.
  [[nodiscard]] bool verify(const Contestant& contestant, std::span<const std::byte> expected);

  /// Times all contestants: A B A B ..., `samples` times, those that take longer than half a second for it
  /// less often. The batch is the same for all: as many sorts as take the fastest of them about half a
  /// millisecond, at most 64, fewer where memory does not allow.
  [[nodiscard]] TurnsResult run(std::span<const Contestant> contestants, int samples);

 private:
  void set_batch(int batch);
  void restore();
  double sample_us(const Contestant& contestant);
  void calibrate_stall(std::span<const Contestant> contestants);
  [[nodiscard]] std::byte* slot(int index) const;

  const Device& device_;
  const std::size_t bytes_;
  const std::size_t stride_;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceEvent> begin_;
  std::unique_ptr<DeviceEvent> end_;
  std::unique_ptr<DeviceBuffer> pristine_;  ///< `batch_` copies, so that one copy restores all
  std::unique_ptr<DeviceBuffer> work_;
  std::unique_ptr<DeviceBuffer> out_;
  std::unique_ptr<DeviceBuffer> stall_;  ///< null where launches are synchronous
  int batch_ = 1;
  int stall_fills_ = 0;
};

}  // namespace bitune
