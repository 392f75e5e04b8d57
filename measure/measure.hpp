#pragma once

/// \file
/// Measuring: samples of one configuration's time on one problem, as many as it takes to be sure.

#include <vector>

#include "measure/clock_watch.hpp"
#include "measure/problem_data.hpp"
#include "measure/sampler.hpp"
#include "model/trial.hpp"
#include "runtime/kernel_store.hpp"

namespace bitune {

/// Samples, in the order in which they were taken.
struct Measurement {
  std::vector<double> samples_us;
  ClockSummary clock;      ///< while they were taken
  int remeasured = 0;      ///< how often samples were discarded and taken again, as the clock had fallen
  bool abandoned = false;  ///< fewer than the protocol's samples, since the first were plainly too slow
  double wall_ms = 0;
};

/// Decides how many samples are taken (the sampler says how), and whether they count.
///
/// On the emulated device, whose times say nothing, at most 3 are taken.
///
/// Thread-confined.
class Measurer {
 public:
  Measurer(const Device& device, KernelStore& kernels) : device_(device), sampler_(device, kernels) {}

  /// Takes protocol.min_samples samples, then more. It ends when the bootstrap interval of their median is as
  /// narrow as protocol.precision asks, when protocol.sample_budget_ms of device time are spent, or at
  /// protocol.max_samples. Only 3 if `abandon_above_us` is positive and all of these are above it.
  ///
  /// If the device's clock fell meanwhile, or it was throttled, the samples are discarded and taken again, up
  /// to twice: see ClockWatch. \throws Error (device) if the device fails.
  [[nodiscard]] Measurement measure(const ExecutablePlan& plan, const ProblemData& data,
                                    Distribution distribution, const Protocol& protocol,
                                    double abandon_above_us, void* workspace, Stream stream);

 private:
  void take_samples(Sampler::Setup& setup, const Protocol& protocol, double abandon_above_us,
                    Measurement& result);

  const Device& device_;
  Sampler sampler_;
  ClockWatch watch_;
};

}  // namespace bitune
