#pragma once

/// \file
/// Limits of real devices, for tests without one.

#include "model/device_info.hpp"

namespace bitune::test {

/// The limits of an H200, as cuDeviceGetAttribute gives them.
inline DeviceInfo h200() {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.compute_major = 9;
  device.sm_count = 132;
  device.shared_bytes_per_block_optin = 232448;
  device.shared_bytes_per_sm = 233472;
  device.l2_bytes = 62914560;
  device.memory_bytes = 150110011392;
  device.max_cluster_size = 8;
  device.cooperative_launch = true;
  return device;
}

}  // namespace bitune::test
