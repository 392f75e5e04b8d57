#pragma once

/// \file
/// The variant `warp`: tiles in the registers of a block, larger strides in global memory.

#include "runtime/variant.hpp"

namespace bitune {

/// Steps on register bits are free, lane bits go by shuffles, the rest through shared memory
/// (kernels/register_tile.cuh); strides above the tile by multi-step passes with 2^k keys a thread.
class WarpVariant final : public Variant {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "warp"; }
  [[nodiscard]] std::string_view description() const noexcept override;
  [[nodiscard]] bool supports(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] Configuration default_configuration(const Problem& problem,
                                                    const DeviceInfo& device) const override;
  [[nodiscard]] Plan plan(const Problem& problem, const Configuration& configuration,
                          const DeviceInfo& device) const override;
};

}  // namespace bitune
