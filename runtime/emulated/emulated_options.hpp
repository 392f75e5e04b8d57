#pragma once

/// \file
/// What an emulated device is like.

#include <cstdint>
#include <functional>
#include <optional>

namespace bitune::emulated {

/// Limits and behaviour of an emulated device. The defaults are those of a small GPU of compute
/// capability 9.0.
struct EmulatedOptions {
  int sm_count = 4;
  int warp_size = 32;  ///< a power of two from 1 to 32; kernels may restrict themselves to 32
  int max_threads_per_block = 1024;
  std::int64_t shared_bytes_per_block = 227 * 1024;  ///< the most that a block can be given
  int max_cluster_size = 8;
  std::int64_t memory_bytes = std::int64_t{4} << 30;  ///< the most that one piece of memory can have
  int host_threads = 0;                               ///< that run blocks; 0: one for each core of the host
  /// Resumes threads in a random order, reproducibly for each seed and block; nothing: in the order of their
  /// indices.
  std::optional<std::uint64_t> seed;

  /// Called in each dependent launch when the first of its threads waits for the launch before. A test lets
  /// arrive then what that launch wrote. Called while the launch is running: it must launch nothing.
  std::function<void()> at_first_wait;

  /// The defaults, changed by BITUNE_EMULATOR_SEED, BITUNE_EMULATOR_SMS, BITUNE_EMULATOR_SHARED_BYTES and
  /// BITUNE_EMULATOR_THREADS (host threads) where they are set. \throws Error (usage) naming a variable that
  /// is wrong.
  [[nodiscard]] static EmulatedOptions from_environment();

  /// \throws Error (usage) naming the option that makes no sense.
  void check() const;
};

}  // namespace bitune::emulated
