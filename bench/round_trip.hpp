#pragma once

/// \file
/// Sorts of host arrays with their transfers, timed part by part.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bench/interleaved_sampler.hpp"
#include "runtime/device.hpp"

namespace bitune {

/// One sort of a host array. Times in microseconds.
struct RoundTrip {
  double total_us = 0;      ///< on the host's clock, from before the first copy until the result is back
  double to_device_us = 0;  ///< between events, like the two below
  double sort_us = 0;
  double to_host_us = 0;
};

/// A round trip's medians, part by part.
struct RoundTripTimes {
  RoundTrip median;
  int samples = 0;
};

/// The memory of round trips of one array: on the device, and on the host both page-locked and pageable. The
/// keys stay as they are on the host, and the result goes to other memory, all pages of which have been
/// touched. Thread-confined.
class RoundTrips {
 public:
  /// Bytes of device memory that it takes.
  [[nodiscard]] static std::uint64_t memory_needed(std::uint64_t key_bytes) noexcept { return 2 * key_bytes; }

  /// `keys` must outlive it.
  RoundTrips(const Device& device, const Problem& problem, std::span<const std::byte> keys);

  /// Copies the keys to the device, sorts them, copies them back.
  RoundTrip run(const Contestant& contestant, bool pinned);

  /// Whether the contestant sorts the keys, as the oracle says. Runs it once.
  [[nodiscard]] bool verify(const Contestant& contestant, bool pinned);

  /// Runs the contestant `samples` times, or fewer (at least once) if that takes longer than `budget_us`.
  [[nodiscard]] RoundTripTimes time(const Contestant& contestant, bool pinned, int samples, double budget_us);

  /// Times of the parts, run one after the other on keys copied before: an event stands between two parts.
  [[nodiscard]] std::vector<double> time_parts(std::span<const Contestant> parts);

 private:
  [[nodiscard]] std::byte* result(bool pinned);
  void sort(const Contestant& contestant) const;

  const Device& device_;
  const Problem problem_;
  const std::span<const std::byte> keys_;
  std::unique_ptr<DeviceStream> stream_;
  std::vector<std::unique_ptr<DeviceEvent>> events_;
  std::unique_ptr<DeviceBuffer> on_device_;
  std::unique_ptr<DeviceBuffer> out_;
  std::unique_ptr<HostBuffer> pinned_keys_;
  std::unique_ptr<HostBuffer> pinned_result_;
  std::vector<std::byte> pageable_result_;
};

}  // namespace bitune
