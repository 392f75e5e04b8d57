#pragma once

/// \file
/// Streams in which chunks of a merge are copied from another device and merged.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/device.hpp"

namespace bitune::multi {

/// Chunks take turns in a few streams. In each a chunk is copied and then merged; meanwhile those of the
/// others are. So the link is busy while the device merges, and the host waits for nothing. For one thread at
/// a time; the device must outlive it.
class ChunkStreams {
 public:
  /// Chunks that are under way at once, and that there is memory for.
  static constexpr std::size_t count = 4;

  explicit ChunkStreams(const Device& device);
  ~ChunkStreams();
  ChunkStreams(const ChunkStreams&) = delete;
  ChunkStreams& operator=(const ChunkStreams&) = delete;

  /// Chunks merge what is there when the work of the stream until now is done.
  void begin(Stream stream) { device_.record(*begun_, stream); }
  /// Goes on to the next stream.
  void next() noexcept { turn_ = (turn_ + 1) % count; }
  [[nodiscard]] std::size_t turn() const noexcept { return turn_; }
  [[nodiscard]] Stream stream() const noexcept { return streams_[turn_]->handle(); }
  void wait_for_begin() { device_.wait_for(*begun_, stream()); }
  /// Later work of the stream begins when all chunks are merged.
  void join(Stream stream);

 private:
  const Device& device_;
  std::array<std::unique_ptr<DeviceStream>, count> streams_;
  std::unique_ptr<DeviceEvent> begun_;
  std::unique_ptr<DeviceEvent> merged_;
  std::size_t turn_ = 0;
};

}  // namespace bitune::multi
