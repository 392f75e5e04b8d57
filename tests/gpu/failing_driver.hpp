#pragma once

/// \file
/// A CUDA driver in which calls that take memory can be made to fail.

#include <atomic>
#include <string>

#include "runtime/cuda/driver.hpp"

namespace bitune::test {

/// What is taken from the driver and given back.
enum class Held { device_memory, stream_memory, host_memory, pool, library, stream, event, primary_context };
inline constexpr int held_kinds = 8;

/// While it lives, the driver's functions that take memory go through it: those that allocate or make
/// something, load kernels, or, where `launches` says so, launch them. One of them can be made to fail with
/// CUDA_ERROR_OUT_OF_MEMORY, or all from one on. Counts what is held. At most one lives at a time.
/// Thread-safe.
class FailingDriver {
 public:
  explicit FailingDriver(bool launches);
  ~FailingDriver();
  FailingDriver(const FailingDriver&) = delete;
  FailingDriver& operator=(const FailingDriver&) = delete;

  /// From now on calls are counted from 1, and fail from the `first`-th to the `last`-th.
  static void fail(long first, long last);
  static void fail_none() { fail(0, 0); }

  /// Calls that were counted, and how many failed, since `fail`.
  [[nodiscard]] static long calls() noexcept { return calls_; }
  [[nodiscard]] static long failed() noexcept { return failed_; }

  /// What is still held, for people; empty if nothing is.
  [[nodiscard]] static std::string held();

 private:
  template <auto Member>
  friend struct Taking;
  template <auto Member>
  friend struct Giving;

  static bool fails_now() noexcept;

  static inline std::atomic<long> calls_ = 0;
  static inline std::atomic<long> failed_ = 0;
  static inline std::atomic<long> first_ = 0;
  static inline std::atomic<long> last_ = 0;
  static inline std::atomic<long> held_[held_kinds] = {};
};

}  // namespace bitune::test
