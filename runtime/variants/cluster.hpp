#pragma once

/// \file
/// The variant `cluster`: tiles in the registers of a cluster of blocks.

#include "runtime/variant.hpp"

namespace bitune {

/// One launch for arrays, and rows, of up to 8 blocks' registers, on GPUs with distributed shared memory
/// (sm_90 on; kernels/cluster_sort.cuh).
class ClusterVariant final : public Variant {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "cluster"; }
  [[nodiscard]] std::string_view description() const noexcept override;
  [[nodiscard]] bool supports(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] Configuration default_configuration(const Problem& problem,
                                                    const DeviceInfo& device) const override;
  [[nodiscard]] Plan plan(const Problem& problem, const Configuration& configuration,
                          const DeviceInfo& device) const override;
};

}  // namespace bitune
