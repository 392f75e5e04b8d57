#pragma once

/// \file
/// Verifying: one configuration's results against the reference, on the device.

#include <optional>
#include <string>

#include "runtime/kernel_store.hpp"
#include "tuner/problem_data.hpp"

namespace bitune {

/// Compares images on a device. Holds the comparing kernel; one object serves all problems of one key size.
class Verifier {
 public:
  /// \throws Error (compile, device)
  Verifier(const Device& device, KernelStore& kernels, std::size_t key_size);

  [[nodiscard]] std::size_t key_size() const noexcept { return key_size_; }

  /// Runs the plan on every verified distribution, and on random keys aligned to their own size only, and
  /// compares results and guard bytes with the reference. Returns a sentence on the first that differs;
  /// nothing if all are right. Since the reference is one array of bits, this also shows that any order of
  /// the same keys gives the same bits. \throws Error (device) if a launch fails or a kernel faults.
  [[nodiscard]] std::optional<std::string> check(const ExecutablePlan& plan, const ProblemData& data,
                                                 void* workspace, StreamHandle stream) const;

 private:
  void run_case(const ExecutablePlan& plan, const ProblemData& data, Distribution distribution,
                std::size_t offset, std::size_t counter, void* workspace, StreamHandle stream) const;
  [[nodiscard]] std::string describe(const ProblemData& data, Distribution distribution, std::size_t offset,
                                     StreamHandle stream) const;

  const Device& device_;
  std::size_t key_size_;
  std::shared_ptr<LoadedKernel> compare_;
  std::unique_ptr<DeviceBuffer> counters_;
};

}  // namespace bitune
