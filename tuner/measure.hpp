#pragma once

/// \file
/// Measuring: samples of one configuration's time on one problem.

#include <cstdint>
#include <memory>
#include <vector>

#include "model/trial.hpp"
#include "runtime/kernel_store.hpp"
#include "tuner/problem_data.hpp"

namespace bitune {

/// Samples, in the order in which they were taken.
struct Measurement {
  std::vector<double> samples_us;
  bool abandoned = false;  ///< fewer than the protocol's samples, since the first were plainly too slow
  double wall_ms = 0;
};

/// Takes samples on one device.
///
/// A sample is the device time between two events around k sorts of k buffers, divided by k; k > 1 only for
/// sorts so short that the events' resolution would show. Every buffer is restored before every sample,
/// outside the events. Samples are queued in batches, and where the launches are shorter than the host takes
/// to queue them, each sample waits behind a kernel that passes time until it is queued as a whole: no gaps
/// between launches are measured. Warm: the restored keys are in the L2 as far as they fit. Cold: twice the
/// L2 is overwritten between restoring and sorting. On the emulated device, which has none of these effects
/// and is slow, at most 3 single samples are taken.
///
/// Thread-confined.
class Measurer {
 public:
  Measurer(const Device& device, KernelStore& kernels) : device_(device), kernels_(kernels) {}

  /// Takes protocol.min_samples to protocol.max_samples samples, until `protocol.sample_budget_ms` of device
  /// time are spent; only 3 if `abandon_above_us` is positive and all of these are above it. \throws Error
  /// (device) if the device fails.
  [[nodiscard]] Measurement measure(const ExecutablePlan& plan, const ProblemData& data,
                                    Distribution distribution, const Protocol& protocol,
                                    double abandon_above_us, void* workspace, StreamHandle stream);

 private:
  /// One configuration's way of being sampled.
  struct Run {
    const ExecutablePlan& plan;
    const ProblemData& data;
    const void* input;
    void* workspace;
    StreamHandle stream;
    bool cold_l2;
    std::uint32_t group = 1;       ///< sorts a sample
    std::uint64_t hold_steps = 0;  ///< 0: the stream is not held
  };

  void restore(const Run& run) const;
  [[nodiscard]] void* buffer(const Run& run, std::uint32_t index) const;
  /// Queues one sample between the events with this number; returns the host's time for it in microseconds.
  double queue_sample(const Run& run, std::size_t index);
  void take_batch(const Run& run, std::size_t count, std::vector<double>& samples_us);
  void tune_run(Run& run);
  [[nodiscard]] std::uint32_t group_for(const Run& run, double sort_us) const;
  [[nodiscard]] std::uint64_t hold_steps_for(const Run& run, double sort_us, double queue_us);
  void hold(std::uint64_t steps, StreamHandle stream) const;
  [[nodiscard]] double hold_steps_per_us(StreamHandle stream);

  struct EventPair {
    std::unique_ptr<DeviceEvent> begin;
    std::unique_ptr<DeviceEvent> end;
  };

  const Device& device_;
  KernelStore& kernels_;
  std::vector<EventPair> events_;
  std::unique_ptr<DeviceBuffer> group_buffers_;
  std::unique_ptr<DeviceBuffer> flush_buffer_;
  std::shared_ptr<LoadedKernel> hold_kernel_;
  std::unique_ptr<DeviceBuffer> hold_sink_;
  double hold_steps_per_us_ = 0;  ///< 0: not calibrated yet
};

}  // namespace bitune
