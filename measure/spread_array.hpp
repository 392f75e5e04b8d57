#pragma once

/// \file
/// Keys and values of one array that lies in parts on devices.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measure/device_parts.hpp"

namespace bitune {

/// One array, made on the devices, with as much memory for the result.
class SpreadArray {
 public:
  /// A part of these lengths on each device. The devices must outlive it.
  SpreadArray(std::span<const std::unique_ptr<DeviceParts>> devices, const SortSpec& spec,
              Distribution distribution, const std::vector<std::uint64_t>& lengths);

  /// What a sort of a device's part reads and writes.
  [[nodiscard]] Operands operands(std::size_t device) const;

  /// What is wrong with what was written; empty if it is right: each part is in order, its first key is not
  /// before the last of the part before, and all together have the keys and values that were given. That
  /// equal keys kept their order is not shown.
  [[nodiscard]] std::string fault() const;

 private:
  struct Part {
    std::uint64_t n = 0;
    std::unique_ptr<DeviceBuffer> keys_in, keys_out, values_in, values_out;
  };

  std::span<const std::unique_ptr<DeviceParts>> devices_;
  SortSpec spec_;
  std::vector<Part> parts_;
};

}  // namespace bitune
