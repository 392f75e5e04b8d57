#pragma once

/// \file
/// A variant as data: what each file of this folder defines.

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/variant.hpp"

namespace bitune {

/// The members of Variant, each a value or a pure function. Texts live as long as the process.
struct VariantDefinition {
  std::string_view name;
  std::string_view description;
  std::vector<std::string_view> kernel_headers;
  bool searched = true;
  std::function<bool(const Problem&, const DeviceInfo&)> supports;
  std::function<bool(const Problem&, const DeviceInfo&)> suits = [](const Problem&, const DeviceInfo&) {
    return true;
  };
  std::function<SearchSpace(const Problem&, const DeviceInfo&)> space;
  std::function<Configuration(const Problem&, const DeviceInfo&)> default_configuration;
  std::function<Plan(const Problem&, const Configuration&, const DeviceInfo&)> plan;
};

/// The variant of a definition; it puts the variant's name into its space and its default configuration.
class DefinedVariant final : public Variant {
 public:
  explicit DefinedVariant(VariantDefinition definition) : definition_(std::move(definition)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return definition_.name; }
  [[nodiscard]] std::string_view description() const noexcept override { return definition_.description; }
  [[nodiscard]] std::vector<std::string_view> kernel_headers() const override {
    return definition_.kernel_headers;
  }
  [[nodiscard]] bool searched() const noexcept override { return definition_.searched; }
  [[nodiscard]] bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return definition_.supports(problem, device);
  }
  [[nodiscard]] bool suits(const Problem& problem, const DeviceInfo& device) const override {
    return definition_.suits(problem, device);
  }
  [[nodiscard]] SearchSpace space(const Problem& problem, const DeviceInfo& device) const override {
    SearchSpace space = definition_.space(problem, device);
    space.variant = name();
    return space;
  }
  [[nodiscard]] Configuration default_configuration(const Problem& problem,
                                                    const DeviceInfo& device) const override {
    Configuration configuration = definition_.default_configuration(problem, device);
    configuration.variant = name();
    return configuration;
  }
  [[nodiscard]] Plan plan(const Problem& problem, const Configuration& configuration,
                          const DeviceInfo& device) const override {
    return definition_.plan(problem, configuration, device);
  }

 private:
  VariantDefinition definition_;
};

}  // namespace bitune
