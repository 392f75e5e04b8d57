#pragma once

/// \file
/// Verifying one configuration's results.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/problem_data.hpp"
#include "runtime/kernel_store.hpp"

namespace bitune {

/// Compares images on a device. Holds the comparing kernels. Thread-confined.
class Verifier {
 public:
  /// Both must outlive it. Compiles nothing yet.
  Verifier(const Device& device, KernelStore& kernels) : device_(device), kernels_(kernels) {}

  /// Whether all kernels that verify this problem are loaded.
  [[nodiscard]] bool is_ready_for(const Problem& problem) const;
  /// Loads them. \throws Error (compile, device)
  void prepare(const Problem& problem);

  /// Runs the plan on every verified distribution, and on random keys in harder places: each array aligned to
  /// its elements only, from other arrays if the plan sorts out of place, in rows with gaps between them.
  /// Returns a sentence on the first wrong result, nothing if all are right.
  ///
  /// Results are compared on the device with one that is right, guard bytes and what must stay as it is
  /// included. Of keys alone, and of stable operations, no other is right: only an image that differs comes
  /// to the host, where the oracle says what is wrong. Where equal keys are free to stand in any order, the
  /// oracle decides on each image that differs. \throws Error (device) if a launch fails or a kernel faults.
  [[nodiscard]] std::optional<std::string> check(const ExecutablePlan& plan, const ProblemData& data,
                                                 void* workspace, Stream stream);

 private:
  struct Case;

  [[nodiscard]] std::vector<Case> cases_of(const ExecutablePlan& plan, const ProblemData& data) const;
  void run_case(const Case& one, const ExecutablePlan& plan, const ProblemData& data, std::size_t counter,
                void* workspace, Stream stream);
  void compare(const void* actual, const void* expected, const GuardedLayout& layout, std::size_t counter,
               Stream stream);
  [[nodiscard]] std::vector<std::uint64_t> read_counters(Stream stream) const;
  /// What is wrong with the result of the case that ran last.
  [[nodiscard]] std::optional<std::string> find_fault_of(const Case& one, const ProblemData& data,
                                                         Stream stream) const;

  const Device& device_;
  KernelStore& kernels_;
  std::map<std::size_t, std::shared_ptr<LoadedKernel>> compare_;  ///< by bytes of a word
  std::unique_ptr<DeviceBuffer> counters_;
  std::unique_ptr<DeviceBuffer> separate_input_;  ///< of plans that sort out of place
};

}  // namespace bitune
