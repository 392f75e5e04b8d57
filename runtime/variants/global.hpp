#pragma once

/// \file
/// The variant `global`: every compare-exchange in global memory.

#include "runtime/variant.hpp"

namespace bitune {

/// From the naive form (a launch a step, a thread an element) to several steps fused in registers a pass,
/// vector loads, grid-stride loops with unrolled columns, and steps within a block's span fused into one
/// launch.
class GlobalVariant final : public Variant {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "global"; }
  [[nodiscard]] std::string_view description() const noexcept override;
  [[nodiscard]] bool supports(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] Configuration default_configuration(const Problem& problem,
                                                    const DeviceInfo& device) const override;
  [[nodiscard]] Plan plan(const Problem& problem, const Configuration& configuration,
                          const DeviceInfo& device) const override;
};

}  // namespace bitune
