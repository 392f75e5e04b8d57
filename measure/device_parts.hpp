#pragma once

/// \file
/// Keys and values that lie in parts on devices: made there, and looked at there, so that none are copied.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "measure/inputs.hpp"
#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"

namespace bitune {

/// What is known of keys with their values. Those of parts add up.
struct PartFacts {
  std::uint64_t unordered = 0;
  std::array<std::uint64_t, 2> sums = {};

  void add(const PartFacts& other) {
    unordered += other.unordered;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
  }
};

/// Makes and looks at parts on one device.
class DeviceParts {
 public:
  explicit DeviceParts(std::shared_ptr<Device> device)
      : device_(std::move(device)), kernels_(device_, nullptr) {}

  [[nodiscard]] const Device& device() const noexcept { return *device_; }

  /// The n keys from `first` on of `whole` ones.
  void make_keys(void* to, std::uint64_t n, std::uint64_t first, std::uint64_t whole, KeyType key,
                 Distribution distribution) {
    const KeyFacts facts = key_facts_of(key);
    const made::Ramp ramp = ramp_of(key, whole, distribution);
    const std::array<std::uint64_t, 10> arguments = {address(to),
                                                     n,
                                                     first,
                                                     whole,
                                                     1,
                                                     static_cast<std::uint64_t>(distribution),
                                                     facts.is_signed,
                                                     facts.infinity,
                                                     ramp.step,
                                                     ramp.is_fraction};
    launch(fmt::format("make_part<{}, {}>", word(size_of(key)), threads), n, arguments);
  }

  /// Random values of 1 to 8 bytes.
  void make_values(void* to, std::uint64_t n, std::uint64_t first, std::uint64_t whole, std::uint32_t bytes) {
    const std::array<std::uint64_t, 10> arguments = {
        address(to), n, first, whole, 2, static_cast<std::uint64_t>(Distribution::random), 0, 0, 0, 0};
    launch(fmt::format("make_part<{}, {}>", word(bytes), threads), n, arguments);
  }

  /// `values` is null where there are none.
  [[nodiscard]] PartFacts look(const void* keys, const void* values, std::uint64_t n, KeyType key,
                               std::uint32_t value_bytes) {
    const KeyFacts facts = key_facts_of(key);
    std::array<std::uint64_t, 3> found = {};
    const std::unique_ptr<DeviceBuffer> memory = device_->allocate(sizeof(found));
    device_->copy_to_device(memory->data(), found.data(), sizeof(found), nullptr);
    const std::array<std::uint64_t, 6> arguments = {address(keys),           address(values), n,
                                                    address(memory->data()), facts.is_signed, facts.infinity};
    launch(fmt::format("look_at_part<{}, {}, {}>", word(size_of(key)),
                       word(value_bytes == 0 ? 1 : value_bytes), threads),
           n, arguments);
    device_->copy_to_host(found.data(), memory->data(), sizeof(found), nullptr);
    device_->synchronize(nullptr);
    return {found[0], {found[1], found[2]}};
  }

 private:
  static constexpr std::uint32_t threads = 256;

  static std::uint64_t address(const void* of) noexcept { return reinterpret_cast<std::uintptr_t>(of); }
  static std::string word(std::uint64_t bytes) { return fmt::format("bitune::u{}", 8 * bytes); }

  void launch(const std::string& kernel, std::uint64_t n, std::span<const std::uint64_t> arguments) {
    if (n == 0) return;
    Launch shape;
    shape.block = {threads, 1, 1};
    shape.grid[0] = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(n / threads, 1, 8192));
    device_->launch(*kernels_.get({"kernels/measure/part_keys.cuh", "bitune::" + kernel}).kernel, shape,
                    arguments, nullptr);
  }

  std::shared_ptr<Device> device_;
  KernelStore kernels_;
};

}  // namespace bitune
