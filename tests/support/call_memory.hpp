#pragma once

/// \file
/// The memory of one call that a test makes, and what is wrong with it afterwards.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bitune/operands.hpp"
#include "measure/guarded_image.hpp"
#include "measure/oracle.hpp"
#include "runtime/device.hpp"
#include "tests/support/device_image.hpp"

namespace bitune::test {

/// Arrays of a call between guard bytes, and what was in them before it. Guards, and inputs that are not
/// also outputs, must be as they were.
class CallMemory {
 public:
  /// In the memory of a device; without one in the host's.
  explicit CallMemory(const Problem& problem, const Device* device, Stream stream = nullptr)
      : problem_(problem), device_(device), stream_(stream) {}

  /// `offset`: elements between an aligned address and the array. The usual one is aligned to its elements,
  /// and to nothing more.
  void add(Role role, const GuardedImage& before, std::uint64_t offset = 3);

  /// In place it has the memory of the input, which is named as well.
  void add_output(Role role, Role input, const GuardedLayout& layout, bool in_place,
                  std::uint64_t offset = 3);

  /// One behind the other. Their stride says how wide they are.
  void add_numbers(Role role, const std::vector<std::byte>& numbers, std::size_t number_bytes,
                   std::uint64_t offset = 3);

  [[nodiscard]] Operands& operands() noexcept { return operands_; }

  /// What is wrong after the call but for the result itself. Waits for the call.
  [[nodiscard]] std::optional<std::string> stray() const;

  /// The same; else what the oracle says.
  [[nodiscard]] std::optional<std::string> fault(const OracleOptions& options = {}) const;

 private:
  struct Array {
    GuardedImage before;
    std::optional<DeviceImage> on_device = {};  ///< else the host has it
    std::optional<GuardedImage> on_host = {};
    std::optional<Role> input = {};  ///< whose memory it is
  };
  [[nodiscard]] GuardedImage now(Role role) const;
  [[nodiscard]] bool is_only_read(Role role) const;

  Problem problem_;
  const Device* device_;
  Stream stream_;
  std::map<Role, Array> arrays_;
  Operands operands_;
};

/// Of keys alone. In place only keys_out is named.
[[nodiscard]] CallMemory memory_of_keys(const Device& device, const Problem& problem,
                                        const GuardedImage& input, std::uint64_t offset, bool out_of_place);

}  // namespace bitune::test
