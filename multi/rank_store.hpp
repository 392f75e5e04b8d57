#pragma once

/// \file
/// What a rank keeps between calls.

#include <algorithm>
#include <cstdint>
#include <memory>

#include "runtime/device.hpp"

namespace bitune::multi {

/// Memory of a rank, taken when it is first needed. For one thread at a time; the device must outlive it.
class RankStore {
 public:
  explicit RankStore(const Device& device) : device_(device) {}

  /// A workspace of at least so many bytes, aligned to 256.
  Operand workspace(std::uint64_t bytes) {
    if (!workspace_ || workspace_->size() < bytes) {
      workspace_.reset();
      workspace_ = device_.allocate(std::max<std::uint64_t>(bytes, 1));
    }
    return {workspace_->data(), workspace_->size(), 0};
  }

 private:
  const Device& device_;
  std::unique_ptr<DeviceBuffer> workspace_;
};

}  // namespace bitune::multi
