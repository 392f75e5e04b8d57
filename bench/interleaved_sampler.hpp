#pragma once

/// \file
/// Timing several sorts of the same keys in turn.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bitune/types.hpp"
#include "measure/call_image.hpp"
#include "measure/sampler.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"

namespace bitune {

/// Samples of all contestants, in microseconds for one sort.
struct InterleavedSamples {
  std::vector<int> batches;                     ///< sorts a sample, of each contestant
  std::vector<std::vector<double>> samples_us;  ///< a list for each contestant
};

/// What is sorted, on the host: the problem's keys, and where its segments lie if it has such.
struct BenchInput {
  std::vector<std::byte> keys;
  Segments segments;
};

/// One comparison: the arrays as they were, on the device, and how they are sorted in turn. Where values
/// travel with the keys, they are random bytes.
///
/// Samples are taken by the tuner's sampler (measure/sampler.hpp), so that a contestant is timed here exactly
/// as the tuner times a configuration; see there for what a sample is.
class InterleavedSampler {
 public:
  /// Bytes of device memory that a comparison takes at the least.
  [[nodiscard]] static std::uint64_t memory_needed(const CallLayout& layout) { return 3 * layout.bytes(); }

  /// `inputs`: at least one; copied. Samples take turns with them. `layout`: of the first one. Device and
  /// kernels must outlive it.
  InterleavedSampler(const Device& device, KernelStore& kernels, const Problem& problem, CallLayout layout,
                     std::span<const BenchInput> inputs);

  /// Whether the contestant sorts the first input, as the oracle says, and writes nothing else. Runs it once,
  /// bound as it is when it is timed.
  [[nodiscard]] bool verify(const Contestant& contestant);

  /// Times all contestants: a few samples of A, of B, of A, of B, until each has `samples` of them; those
  /// that take longer than half a second for it have fewer, but 3.
  [[nodiscard]] InterleavedSamples run(std::span<const Contestant> contestants, int samples);

 private:
  [[nodiscard]] SampledCall sampled_call() const;

  const Device& device_;
  const Problem problem_;
  const CallLayout layout_;
  std::unique_ptr<DeviceStream> stream_;
  std::vector<std::unique_ptr<DeviceBuffer>> pristine_;
  std::unique_ptr<DeviceBuffer> work_;  ///< an image of a result
  std::unique_ptr<DeviceBuffer> out_;   ///< and another one, for what is sorted out of place
  std::vector<std::byte> right_;        ///< image of a verified result; empty until there is one
  Sampler sampler_;
};

}  // namespace bitune
