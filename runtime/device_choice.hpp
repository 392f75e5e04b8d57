#pragma once

/// \file
/// Which device a selector means.

#include <string>
#include <vector>

namespace bitune {

/// What there is to choose from.
struct DeviceInventory {
  std::vector<std::string> gpus;  ///< UUIDs, by ordinal
  int current_gpu = -1;           ///< whose context is current on the calling thread; -1: none
  std::string why_no_gpu;         ///< a sentence; empty if there are GPUs
};

/// What was chosen, and why if the selector was "auto".
struct DeviceChoice {
  int gpu = -1;  ///< ordinal; -1: the emulated device
  std::string reason;

  [[nodiscard]] bool is_emulated() const noexcept { return gpu < 0; }
};

/// Reads a selector as `open_device` documents it. A pure function.
/// \throws Error (unavailable) that lists what there is; Error (usage) if it is no selector at all
[[nodiscard]] DeviceChoice choose_device(const std::string& selector, const DeviceInventory& inventory);

}  // namespace bitune
