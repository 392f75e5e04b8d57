#pragma once

/// \file
/// What is known of a device: hardware facts, apart from the software that drives it.

#include <cstdint>
#include <string>

namespace bitune {

/// Hardware facts, read from the device, never from a table of GPUs. Equal facts mean equal tunings.
struct DeviceInfo {
  std::string kind = "cuda";  ///< "cuda" or "emulated"
  std::string name;           ///< as the driver gives it; for people, never a key by itself
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 2048;
  int max_blocks_per_sm = 32;
  int registers_per_block = 65536;
  int registers_per_sm = 65536;
  std::int64_t shared_bytes_per_block = 49152;        ///< without opting in
  std::int64_t shared_bytes_per_block_optin = 49152;  ///< the most that a block can be given
  std::int64_t shared_bytes_per_sm = 65536;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  bool cooperative_launch = false;
  int max_cluster_size = 1;  ///< portable cluster size: 8 from sm_90 on, else 1

  bool operator==(const DeviceInfo&) const = default;

  /// 10 * major + minor, as in sm_90.
  [[nodiscard]] int compute_capability() const noexcept { return 10 * compute_major + compute_minor; }

  /// The most blocks of a cluster that may be tried: 16, where the portable size is 8. Whether clusters above
  /// the portable size fit is up to the GPU and the share of it that is there: Device::obstacle says so of a
  /// launch.
  [[nodiscard]] int largest_cluster_size() const noexcept {
    return max_cluster_size < 8 ? max_cluster_size : 16;
  }

  /// Digest (32 hexadecimal digits) of all facts above: the key of a device in the tuning database.
  /// `memory_bytes` enters in whole GiB, since drivers reserve different amounts of it.
  [[nodiscard]] std::string digest() const;
};

/// The software and the individual behind a device.
struct DeviceSoftware {
  std::string uuid;      ///< "GPU-xxxxxxxx-..." or "emulated"
  std::string driver;    ///< "580.95 (CUDA 13.0)" or "emulated"
  std::string compiler;  ///< "nvrtc 13.0" or "g++ 12.2.0"

  bool operator==(const DeviceSoftware&) const = default;
};

}  // namespace bitune
