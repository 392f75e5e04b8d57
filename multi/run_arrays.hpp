#pragma once

/// \file
/// Keys of a rank with what travels with them.

#include <cstddef>
#include <cstdint>

#include "runtime/device.hpp"

namespace bitune::multi {

/// Keys and what travels with them, in memory that a device reaches.
struct RunArrays {
  std::byte* keys = nullptr;  ///< null where they are not wanted
  std::byte* carried = nullptr;
};

/// Bytes of a key, and of what travels with it.
struct ItemBytes {
  std::uint64_t key = 0;
  std::uint64_t carried = 0;

  [[nodiscard]] std::uint64_t sum() const noexcept { return key + carried; }

  /// The arrays from an element on.
  [[nodiscard]] RunArrays at(const RunArrays& arrays, std::uint64_t place) const noexcept {
    return {arrays.keys == nullptr ? nullptr : arrays.keys + place * key,
            arrays.carried == nullptr ? nullptr : arrays.carried + place * carried};
  }

  /// Enqueues a copy of n elements, of that for which `to` has memory.
  void copy(const Device& device, const RunArrays& to, const RunArrays& from, std::uint64_t n,
            Stream stream) const {
    if (n == 0) return;
    if (to.keys != nullptr) device.copy_on_device(to.keys, from.keys, n * key, stream);
    if (to.carried != nullptr) device.copy_on_device(to.carried, from.carried, n * carried, stream);
  }
};

}  // namespace bitune::multi
