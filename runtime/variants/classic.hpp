#pragma once

/// \file
/// The variant `classic`: the structures of published GPU bitonic sorts.

#include "runtime/variant.hpp"

namespace bitune {

/// One step a launch in global memory, by the ways in which published systems give pairs to threads, and a
/// tile in shared memory for the steps within it. It is there for the presets (runtime/presets.hpp); a search
/// takes it if it is named.
class ClassicVariant final : public Variant {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "classic"; }
  [[nodiscard]] std::string_view description() const noexcept override;
  [[nodiscard]] bool searched() const noexcept override { return false; }
  [[nodiscard]] bool supports(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  [[nodiscard]] Configuration default_configuration(const Problem& problem,
                                                    const DeviceInfo& device) const override;
  [[nodiscard]] Plan plan(const Problem& problem, const Configuration& configuration,
                          const DeviceInfo& device) const override;
};

}  // namespace bitune
