#pragma once

/// \file
/// Variants: families of kernels with their search space and their plan.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/plan.hpp"
#include "model/search_space.hpp"

namespace bitune {

/// A family of kernels and its launch plan. Immutable; all functions are pure.
class Variant {
 public:
  virtual ~Variant() = default;

  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual std::string_view description() const noexcept = 0;

  /// The embedded headers that define the kernels of its plans, each without those that it includes. Trials
  /// are measured in place: kernels that only sort out of place (Plan::first_from_input) are left out.
  [[nodiscard]] virtual std::vector<std::string_view> kernel_headers() const = 0;

  /// Whether the variant can do this operation on these types, and on rows, at all (whatever its
  /// configuration).
  [[nodiscard]] virtual bool supports(const Problem& problem, const DeviceInfo& device) const = 0;

  /// Whether a search takes the variant without being asked for it by name.
  [[nodiscard]] virtual bool searched() const noexcept { return true; }

  /// The search space for keys of this type (parameters and restrictions).
  [[nodiscard]] virtual SearchSpace space(const Problem& problem, const DeviceInfo& device) const = 0;

  /// A configuration that is valid on this device for this problem and expected to be good.
  [[nodiscard]] virtual Configuration default_configuration(const Problem& problem,
                                                            const DeviceInfo& device) const = 0;

  /// Whether that one is valid: so variants know which problems they are for that only restrictions tell.
  [[nodiscard]] bool default_is_valid(const Problem& problem, const DeviceInfo& device) const {
    return !space(problem, device).violation(default_configuration(problem, device), problem, device);
  }

  /// One whose kernels compile in some tenths of a second, to sort with until the best is compiled; nothing
  /// where the variant has none. It need not be valid.
  [[nodiscard]] virtual std::optional<Configuration> quick_configuration(const Problem& /*problem*/,
                                                                         const DeviceInfo& /*device*/) const {
    return std::nullopt;
  }

  /// The plan. Precondition: the configuration is valid.
  [[nodiscard]] virtual Plan plan(const Problem& problem, const Configuration& configuration,
                                  const DeviceInfo& device) const = 0;
};

/// All variants, in the order in which they are shown: simple ones first.
[[nodiscard]] std::span<const Variant* const> variants();

/// \throws Error (usage) that lists the variants there are.
[[nodiscard]] const Variant& variant(std::string_view name);

/// Why the configuration cannot do the problem on this device, as a clause; nothing if it can.
/// \throws Error (usage) if there is no such variant
[[nodiscard]] std::optional<std::string> refusal(const Configuration& configuration, const Problem& problem,
                                                 const DeviceInfo& device);

}  // namespace bitune
