#pragma once

/// \file
/// Presets: published GPU bitonic sorts as named configurations.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bitune/types.hpp"
#include "model/configuration.hpp"
#include "model/device_info.hpp"

namespace bitune {

/// A published system. Data: what runs it is the configuration's variant, like any other configuration.
struct Preset {
  std::string_view name;
  std::string_view description;
  std::string_view source;  ///< author, year, title
  std::string_view remark;  ///< where the configuration differs from the publication; empty if nowhere
  Configuration configuration;
  std::uint64_t most_keys;  ///< an array has at most so many; 0: no such limit
  bool pinned;              ///< whether the publication copies from and to page-locked host memory
};

/// All presets, in the order of the ladder: what is simpler comes first.
[[nodiscard]] std::span<const Preset> presets();

/// \throws Error (usage) that lists the presets there are.
[[nodiscard]] const Preset& preset(std::string_view name);

/// Why the preset does not take this problem on this device, as a sentence; nothing if it does.
[[nodiscard]] std::optional<std::string> refusal(const Preset& preset, const Problem& problem,
                                                 const DeviceInfo& device);

}  // namespace bitune
