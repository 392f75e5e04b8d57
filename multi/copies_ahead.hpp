#pragma once

/// \file
/// Copies of what other ranks have sorted, under way while what came before is merged.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/device.hpp"

namespace bitune::multi {

/// Fills slots of memory in turn. By slot the stream that merges waits for what was copied, and what is
/// copied next waits for the merge: so the host waits for nothing. Two streams take turns, so that the link
/// is not idle between two copies. For one thread at a time; the device must outlive it.
class CopiesAhead {
 public:
  static constexpr std::uint64_t slots = 4;

  explicit CopiesAhead(const Device& device);
  ~CopiesAhead();
  CopiesAhead(const CopiesAhead&) = delete;
  CopiesAhead& operator=(const CopiesAhead&) = delete;

  /// Goes on to the next slot, and returns its number.
  std::uint64_t next_slot() noexcept { return ++turn_ % slots; }
  /// Enqueues a copy to memory of the slot.
  void copy(void* to, const Device& peer, const void* from, std::size_t bytes);
  /// Later work of the stream finds all that was copied to the slot.
  void arrive(Stream stream);
  /// What was enqueued in the stream is the last that reads the slot.
  void release(Stream stream);

 private:
  struct Slot {
    std::unique_ptr<DeviceEvent> arrived;
    std::unique_ptr<DeviceEvent> released;
  };

  [[nodiscard]] Slot& slot() noexcept { return slots_[turn_ % slots]; }
  [[nodiscard]] Stream stream() const noexcept { return streams_[turn_ % streams_.size()]->handle(); }

  const Device& device_;
  std::array<std::unique_ptr<DeviceStream>, 2> streams_;
  std::array<Slot, slots> slots_;
  std::uint64_t turn_ = 0;
};

}  // namespace bitune::multi
