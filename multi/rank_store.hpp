#pragma once

/// \file
/// What a rank keeps between calls.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "multi/chunk_streams.hpp"
#include "runtime/device.hpp"

namespace bitune::multi {

/// What of a run is copied at once, keys and what travels with them. Longer chunks leave more to merge when
/// the last one is there; with shorter ones each copy's beginning counts.
inline constexpr std::uint64_t usual_chunk_bytes = std::uint64_t{32} << 20;

/// Memory and streams of a rank, made when they are first needed. For one thread at a time; the device must
/// outlive it.
class RankStore {
 public:
  explicit RankStore(const Device& device, std::uint64_t chunk_bytes = usual_chunk_bytes)
      : device_(device), chunk_bytes_(chunk_bytes) {}

  [[nodiscard]] std::uint64_t chunk_bytes() const noexcept { return chunk_bytes_; }

  /// A workspace of at least so many bytes, aligned to 256.
  Operand workspace(std::uint64_t bytes) {
    if (!workspace_ || workspace_->size() < bytes) {
      workspace_.reset();
      workspace_ = device_.allocate(std::max<std::uint64_t>(bytes, 1));
    }
    return {workspace_->data(), workspace_->size(), 0};
  }

  ChunkStreams& streams() {
    if (!streams_) streams_.emplace(device_);
    return *streams_;
  }
  /// Waits for what is under way in them.
  void end_chunks() noexcept { streams_.reset(); }

 private:
  const Device& device_;
  std::uint64_t chunk_bytes_;
  std::unique_ptr<DeviceBuffer> workspace_;
  std::optional<ChunkStreams> streams_;  ///< below the workspace: what they do there ends before it goes
};

}  // namespace bitune::multi
