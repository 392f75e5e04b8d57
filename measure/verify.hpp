#pragma once

/// \file
/// Verifying one configuration's results.

#include <optional>
#include <string>
#include <vector>

#include "measure/problem_data.hpp"
#include "runtime/kernel_store.hpp"

namespace bitune {

/// Compares images on a device. Holds the comparing kernel; one object serves all problems of one key size.
class Verifier {
 public:
  /// \throws Error (compile, device)
  Verifier(const Device& device, KernelStore& kernels, std::size_t key_size);

  [[nodiscard]] std::size_t key_size() const noexcept { return key_size_; }

  /// Runs the plan on every verified distribution, and on random keys in harder places: aligned to their own
  /// size only, from another array if the plan sorts out of place, in rows with gaps between them. Returns a
  /// sentence of the oracle on the first wrong result, nothing if all are right.
  ///
  /// Of keys alone only one result is right, whatever the configuration. So its image is made once, and
  /// results are compared with it on the device, guard bytes and what must stay as it is included. Only an
  /// image that differs comes to the host, for the oracle. \throws Error (device) if a launch fails or a
  /// kernel faults.
  [[nodiscard]] std::optional<std::string> check(const ExecutablePlan& plan, const ProblemData& data,
                                                 void* workspace, Stream stream);

 private:
  struct Case;

  [[nodiscard]] std::vector<Case> cases_of(const ExecutablePlan& plan, const ProblemData& data) const;
  void run_case(const Case& one, const ExecutablePlan& plan, const ProblemData& data, std::size_t counter,
                void* workspace, Stream stream);
  void compare(const void* actual, const void* expected, const GuardedLayout& layout, std::size_t counter,
               Stream stream) const;
  [[nodiscard]] GuardedImage download(const void* image, const GuardedLayout& layout, Stream stream) const;
  [[nodiscard]] std::string describe(const Case& one, const ProblemData& data, Stream stream) const;

  const Device& device_;
  std::size_t key_size_;
  std::shared_ptr<LoadedKernel> compare_;
  std::unique_ptr<DeviceBuffer> counters_;
  std::unique_ptr<DeviceBuffer> separate_input_;  ///< of plans that sort out of place
};

}  // namespace bitune
