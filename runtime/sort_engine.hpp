#pragma once

/// \file
/// The sort of one device behind the public Sorter: everything but where databases and caches lie.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bitune/bitune.hpp"
#include "cache/kernel_cache.hpp"
#include "runtime/device.hpp"
#include "runtime/host_sort.hpp"
#include "runtime/parts/host_parts.hpp"
#include "runtime/prepared_sorts.hpp"

namespace bitune {

/// How calls on host arrays use the device.
struct HostLimits {
  std::uint64_t device_memory = 0;  ///< bytes that a call may take; 0: what is free
  ProgressFunction progress;        ///< told of calls in parts; may be empty
  std::string scratch_folder;       ///< of what is done in parts; empty: memory
};

/// Sorts on one device.
///
/// Thread-safe: see PreparedSorts.
class SortEngine {
 public:
  /// `note`: what a person should know of where this engine stores things; told by `explain`. May be empty.
  SortEngine(std::shared_ptr<Device> device, std::shared_ptr<KernelCache> cache, CandidateReader reader,
             std::span<const Variant* const> variants, std::string note = {}, Preparation how = {},
             HostLimits host = {});

  /// Enqueues what the problem says. A problem that is prepared costs a lookup and its launches. What is
  /// prepared serves all memory and strides. While a stream is captured, this waits for what is compiled in
  /// the background: a graph is to have the best. \throws Error (usage, capture, compile, device,
  /// unavailable)
  void run(const Problem& problem, const Operands& operands, Stream stream);

  /// As Sorter::check_segments. \throws Error (usage, capture, device)
  void check_segments(const Problem& problem, const Operands& operands, Stream stream) const;

  /// Sorts host memory, rows one behind the other; returns when it is sorted. The preparation of a new
  /// problem is not part of the times.
  HostSortTimes sort_host(void* keys, const Problem& problem);

  /// As `run` for an array in the host's memory; returns when all is written. Times as of sort_host. In
  /// parts, if it takes more memory than it may.
  HostSortTimes run_host(const Problem& problem, const Operands& operands);

  /// In how many parts `run_host` would do it. \throws Error (usage)
  [[nodiscard]] std::uint64_t host_parts(const Problem& problem);

  /// The problem with the best configuration, prepared now; null if there is nothing to do (n < 2). It stays
  /// usable while the engine lives.
  std::shared_ptr<const PreparedSort> prepare(const Problem& problem);

  [[nodiscard]] std::uint64_t workspace_size(const Problem& problem);
  [[nodiscard]] Explanation explain(const Problem& problem);
  [[nodiscard]] const Device& device() const noexcept { return *device_; }

 private:
  /// What is prepared, or soon is; null if there is nothing to do.
  [[nodiscard]] std::shared_ptr<const PreparedSort> prepared_for(const Problem& problem);
  HostSortTimes run_call(const HostCall& call);
  /// How a call on host arrays is cut; nothing if it is done at once.
  [[nodiscard]] std::optional<PartSizes> parts_of(const Problem& problem);
  void launch(const PreparedSort& prepared, const Problem& problem, Operands operands, Stream stream) const;
  /// Nothing where both are one memory.
  void copy_rows(const Problem& problem, const Operand& to, const Operand& from, std::size_t element_bytes,
                 Stream stream) const;
  void write_trivial(const Problem& problem, const Operands& operands, Stream stream) const;

  const std::shared_ptr<Device> device_;
  const std::string note_;
  const HostLimits host_;
  PreparedSorts prepared_;
  HostSort host_sort_;
};

}  // namespace bitune
