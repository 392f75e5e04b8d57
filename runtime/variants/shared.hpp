#pragma once

/// \file
/// The variant `shared`: tiles sorted and merged in shared memory, larger strides in global memory.

#include "runtime/variant.hpp"

namespace bitune {

/// Tiles up to what the device allows a block; a step a barrier, pairs unrolled; strides above the tile by
/// strided_merge.
class SharedVariant final : public Variant {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "shared"; }
  [[nodiscard]] std::string_view description() const noexcept override;
  [[nodiscard]] bool supports(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] Configuration default_configuration(const Problem& problem,
                                                    const DeviceInfo& device) const override;
  [[nodiscard]] Plan plan(const Problem& problem, const Configuration& configuration,
                          const DeviceInfo& device) const override;
};

}  // namespace bitune
