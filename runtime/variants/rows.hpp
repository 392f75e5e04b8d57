#pragma once

/// \file
/// The variant `rows`: short arrays in registers, many at once.

#include "runtime/variant.hpp"

namespace bitune {

/// A row is held by part of a warp, a warp, or a block, and sorted in one pass over memory, in place or not
/// (kernels/row_sort.cuh). A single array is one row.
class RowsVariant final : public Variant {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "rows"; }
  [[nodiscard]] std::string_view description() const noexcept override;
  [[nodiscard]] bool supports(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] Configuration default_configuration(const Problem& problem,
                                                    const DeviceInfo& device) const override;
  [[nodiscard]] Plan plan(const Problem& problem, const Configuration& configuration,
                          const DeviceInfo& device) const override;
};

}  // namespace bitune
