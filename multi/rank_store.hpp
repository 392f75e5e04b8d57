#pragma once

/// \file
/// What a rank keeps between calls.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "multi/chunk_copies.hpp"
#include "runtime/device.hpp"

namespace bitune::multi {

/// Memory of a rank, and what copies to it, made when it is first needed. For one thread at a time; the
/// device must outlive it.
class RankStore {
 public:
  explicit RankStore(const Device& device, std::function<CopyRules(std::uint64_t bytes)> rules_for = {})
      : device_(device), rules_for_(std::move(rules_for)) {}

  /// For a merge of so many bytes.
  [[nodiscard]] CopyRules rules_for(std::uint64_t bytes) const {
    return rules_for_ ? rules_for_(bytes) : CopyRules{};
  }

  /// A workspace of at least so many bytes, aligned to 256. Waits for what a call that failed has left there.
  Operand workspace(std::uint64_t bytes) {
    for (const auto& stream : streams_) {
      if (stream) device_.synchronize(stream->handle());
    }
    for (const auto& copies : copies_) {
      if (copies) copies->finish();
    }
    if (!workspace_ || workspace_->size() < bytes) {
      workspace_.reset();
      workspace_ = device_.allocate(std::max<std::uint64_t>(bytes, 1));
    }
    return {workspace_->data(), workspace_->size(), 0};
  }

  /// Streams of the rank's own, as copies from peers in a default one wait for all work of both devices: one
  /// that works, and one in which the host reads what that has counted.
  Stream stream() { return made(streams_[0]); }
  Stream reader() { return made(streams_[1]); }

  /// Events that other ranks may wait for, until all have left the call.
  DeviceEvent& event(std::size_t number) {
    while (events_.size() <= number) events_.push_back(device_.create_event());
    return *events_[number];
  }

  ChunkCopies& copies(std::size_t number = 0) {
    std::unique_ptr<ChunkCopies>& copies = copies_.at(number);
    if (!copies) copies = std::make_unique<ChunkCopies>(device_);
    return *copies;
  }

 private:
  Stream made(std::unique_ptr<DeviceStream>& stream) {
    if (!stream) stream = device_.create_stream();
    return stream->handle();
  }

  const Device& device_;
  std::function<CopyRules(std::uint64_t)> rules_for_;
  std::unique_ptr<DeviceBuffer> workspace_;
  std::array<std::unique_ptr<DeviceStream>, 2> streams_;
  std::vector<std::unique_ptr<DeviceEvent>> events_;
  std::array<std::unique_ptr<ChunkCopies>, 2>
      copies_;  ///< below the workspace: what they do there ends before it goes
};

}  // namespace bitune::multi
