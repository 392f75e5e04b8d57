#pragma once

/// \file
/// What a rank keeps between calls.

#include <algorithm>
#include <cstdint>
#include <memory>

#include "multi/chunk_copies.hpp"
#include "runtime/device.hpp"

namespace bitune::multi {

/// Memory of a rank, and what copies to it, made when it is first needed. For one thread at a time; the
/// device must outlive it.
class RankStore {
 public:
  explicit RankStore(const Device& device, const CopyRules& rules = {}) : device_(device), rules_(rules) {}

  [[nodiscard]] const CopyRules& rules() const noexcept { return rules_; }

  /// A workspace of at least so many bytes, aligned to 256.
  Operand workspace(std::uint64_t bytes) {
    if (!workspace_ || workspace_->size() < bytes) {
      workspace_.reset();
      workspace_ = device_.allocate(std::max<std::uint64_t>(bytes, 1));
    }
    return {workspace_->data(), workspace_->size(), 0};
  }

  ChunkCopies& copies() {
    if (!copies_) copies_ = std::make_unique<ChunkCopies>(device_);
    return *copies_;
  }

 private:
  const Device& device_;
  CopyRules rules_;
  std::unique_ptr<DeviceBuffer> workspace_;
  std::unique_ptr<ChunkCopies> copies_;  ///< below the workspace: what they do there ends before it goes
};

}  // namespace bitune::multi
