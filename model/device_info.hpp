#pragma once

/// \file
/// What is known of a device: hardware facts, apart from the software that drives it.

#include <cstdint>
#include <string>

#include "bitune/types.hpp"

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
  /// Peak rate of device memory in GB/s (10^9 bytes), by its clock and the width of its bus; 0: not known.
  int memory_gb_per_s = 0;

  bool operator==(const DeviceInfo&) const = default;

  /// Calls visit(name, member, age) for each fact. A fact that is added later is no part of the digest, so
  /// that a device keeps its tunings.
  template <class Visit>
  static constexpr void visit_fields(Visit&& visit) {
    visit("kind", &DeviceInfo::kind, FieldAge::first);
    visit("name", &DeviceInfo::name, FieldAge::first);
    visit("compute_major", &DeviceInfo::compute_major, FieldAge::first);
    visit("compute_minor", &DeviceInfo::compute_minor, FieldAge::first);
    visit("sm_count", &DeviceInfo::sm_count, FieldAge::first);
    visit("warp_size", &DeviceInfo::warp_size, FieldAge::first);
    visit("max_threads_per_block", &DeviceInfo::max_threads_per_block, FieldAge::first);
    visit("max_threads_per_sm", &DeviceInfo::max_threads_per_sm, FieldAge::first);
    visit("max_blocks_per_sm", &DeviceInfo::max_blocks_per_sm, FieldAge::first);
    visit("registers_per_block", &DeviceInfo::registers_per_block, FieldAge::first);
    visit("registers_per_sm", &DeviceInfo::registers_per_sm, FieldAge::first);
    visit("shared_bytes_per_block", &DeviceInfo::shared_bytes_per_block, FieldAge::first);
    visit("shared_bytes_per_block_optin", &DeviceInfo::shared_bytes_per_block_optin, FieldAge::first);
    visit("shared_bytes_per_sm", &DeviceInfo::shared_bytes_per_sm, FieldAge::first);
    visit("l2_bytes", &DeviceInfo::l2_bytes, FieldAge::first);
    visit("memory_bytes", &DeviceInfo::memory_bytes, FieldAge::first);
    visit("cooperative_launch", &DeviceInfo::cooperative_launch, FieldAge::first);
    visit("max_cluster_size", &DeviceInfo::max_cluster_size, FieldAge::first);
    visit("memory_gb_per_s", &DeviceInfo::memory_gb_per_s, FieldAge::later);
  }

  /// 10 * major + minor, as in sm_90.
  [[nodiscard]] int compute_capability() const noexcept { return 10 * compute_major + compute_minor; }

  /// The most blocks of a cluster that may be tried: 16, where the portable size is 8. Whether clusters above
  /// the portable size fit is up to the GPU and the share of it that is there: Device::missing_resource says
  /// so of a launch.
  [[nodiscard]] int largest_cluster_size() const noexcept {
    return max_cluster_size < 8 ? max_cluster_size : 16;
  }

  /// Digest (32 hexadecimal digits) of the first facts: the key of a device in the tuning database.
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
