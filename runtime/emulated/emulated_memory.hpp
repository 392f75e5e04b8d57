#pragma once

/// \file
/// Memory, streams and events of the emulated device.

#include <chrono>
#include <cstddef>
#include <memory>
#include <new>

#include "runtime/device.hpp"

namespace bitune::emulated {

/// Memory of exactly `bytes` bytes, aligned as the CUDA driver aligns it, and full of junk.
class Memory : public DeviceBuffer {
 public:
  /// \throws Error (out_of_resources) if the host has not so much.
  explicit Memory(std::size_t bytes);
  [[nodiscard]] void* data() const noexcept override { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }

 private:
  static constexpr std::align_val_t alignment{256};
  struct Free {
    void operator()(std::byte* data) const { ::operator delete[](data, alignment); }
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t size_;
};

/// \throws Error (out_of_resources): there is no such memory.
[[noreturn]] void throw_no_memory(std::size_t bytes);

class EmulatedHostBuffer : public HostBuffer {
 public:
  explicit EmulatedHostBuffer(std::size_t bytes) : memory_(bytes) {}
  [[nodiscard]] std::byte* data() const noexcept override { return static_cast<std::byte*>(memory_.data()); }
  [[nodiscard]] std::size_t size() const noexcept override { return memory_.size(); }

 private:
  Memory memory_;
};

/// A stream with nothing in it: everything is done at once.
class EmulatedStream : public DeviceStream {
 public:
  [[nodiscard]] Stream handle() const noexcept override { return const_cast<EmulatedStream*>(this); }
};

struct EmulatedEvent : DeviceEvent {
  std::chrono::steady_clock::time_point when;
};

}  // namespace bitune::emulated
