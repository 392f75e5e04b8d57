#pragma once

/// \file
/// Arrays of the host's memory on their way to a device and back, through a few pinned buffers.

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "bitune/operands.hpp"
#include "runtime/device.hpp"

namespace bitune {

/// A part of an array in the host's memory, which is read.
struct HostPiece {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// Likewise, which is written.
struct HostRoom {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// Pinned buffers that chunks of an array pass in turn, in one stream. While one is copied over the bus,
/// others are filled or emptied by the host. All threads work on the same chunk, a slice each: so few buffers
/// suffice, which stay in the host's cache, where a bus can read and write them.
///
/// What lies in the caller's memory one piece behind the other is one array on the device. Memory that is
/// page-locked is copied from and to without a buffer. One call at a time.
class HostStaging {
 public:
  /// `chunk_bytes`: of a buffer, at most. `threads`: at most, that fill or empty buffers.
  HostStaging(const Device& device, std::size_t chunk_bytes, unsigned threads);

  /// How many threads copy an array of so many bytes; of few chunks one.
  [[nodiscard]] unsigned threads_for(std::size_t bytes) const noexcept;

  /// Returns when all pieces are read; the device may not have them yet.
  void upload(void* to, std::span<const HostPiece> from, std::size_t bytes, Stream stream);
  /// Returns when all is written. `sent` is called once, by any thread, when all copies over the bus are
  /// enqueued.
  void download(std::span<const HostRoom> to, const void* from, std::size_t bytes, Stream stream,
                const std::function<void()>& sent);

 private:
  static constexpr std::size_t slots = 4;

  struct Slot {
    std::unique_ptr<HostBuffer> buffer;
    std::unique_ptr<DeviceEvent> copied;  ///< the last copy from or to the buffer has ended
    bool in_use = false;                  ///< there was such a copy
    // What follows is of the call under way. Chunks are counted from 1.
    std::atomic<std::size_t> sent = 0;   ///< the last chunk whose copy over the bus is enqueued
    std::atomic<std::size_t> ready = 0;  ///< the last chunk that the host may fill or empty
    std::atomic<std::size_t> left = 0;   ///< slices of it that are not yet filled or empty
  };

  enum class Way { up, down };

  /// Takes all chunks through the buffers. `copy` is done by the host: what belongs in a buffer, or out of
  /// it, from a byte of the array on. `send` enqueues the copy over the bus of so many bytes from a byte on.
  void pass(Way way, std::size_t bytes,
            const std::function<void(std::byte* buffer, std::size_t begin, std::size_t size)>& copy,
            const std::function<void(std::byte* buffer, std::size_t begin, std::size_t size)>& send,
            Stream stream, const std::function<void()>& sent);
  /// What an array of so many bytes goes in: smaller ones in small chunks, so that copying still runs beside
  /// the bus.
  [[nodiscard]] std::size_t chunk_of(std::size_t bytes) const noexcept;
  /// Has buffers for chunks of so many bytes.
  void reserve(std::size_t chunks, std::size_t bytes);

  const Device& device_;
  const std::size_t chunk_bytes_;
  const unsigned threads_;
  std::array<Slot, slots> slots_;
  std::mutex mutex_;  ///< held to write what others wait for
  std::condition_variable changed_;
  std::atomic<bool> failed_ = false;
};

}  // namespace bitune
