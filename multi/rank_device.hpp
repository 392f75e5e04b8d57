#pragma once

/// \file
/// The device of a rank: its engine, and the kernels that only several ranks need.

#include <cstdint>
#include <span>

#include "model/plan.hpp"
#include "runtime/host_sort.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/open_engine.hpp"
#include "runtime/selection.hpp"

namespace bitune::multi {

/// A pointer as a launch takes it.
inline std::uint64_t address_argument(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

/// Parts of so many items that there are, with the last one.
constexpr std::uint64_t parts_of(std::uint64_t whole, std::uint64_t part) noexcept {
  return (whole + part - 1) / part;
}

/// One device of this process. Several ranks may share it: thread-safe.
class RankDevice {
 public:
  explicit RankDevice(OpenedEngine opened);

  [[nodiscard]] SortEngine& engine() const noexcept { return *opened_.engine; }
  [[nodiscard]] const Device& device() const noexcept { return *opened_.device; }
  [[nodiscard]] CandidateSet candidates(const Problem& problem) const {
    return opened_.candidates(problem, nullptr);
  }
  /// What carries arrays of the host there and back.
  [[nodiscard]] HostSort& host() noexcept { return host_; }

  /// Compiles a kernel, now. \throws Error (compile)
  void prepare(const KernelSource& kernel);

  /// Enqueues a launch of a kernel that is compiled if need be. \throws Error (compile, device)
  void launch(const KernelSource& kernel, const Launch& launch, std::span<const std::uint64_t> arguments,
              Stream stream);

  /// Enqueues the launches of a plan, likewise. \throws Error (compile, device)
  void run(const Plan& plan, const Operands& operands, Stream stream);

  /// Makes indices of a rank's keys those in the whole: adds `first` to each. Enqueues it. \throws Error
  /// (compile, device)
  void add_to_indices(void* indices, std::uint64_t n, std::uint64_t first, Stream stream);

  /// Compiles what that needs, now.
  void prepare_indices();

 private:
  OpenedEngine opened_;
  KernelStore kernels_;
  HostSort host_;
};

}  // namespace bitune::multi
