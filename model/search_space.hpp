#pragma once

/// \file
/// Search spaces: named integer parameters, and the restrictions that exclude points of their product.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/types.hpp"
#include "model/configuration.hpp"
#include "model/device_info.hpp"

namespace bitune {

/// A named integer and the values it may take, in ascending order.
struct Parameter {
  std::string name;
  std::vector<std::int64_t> values;
  std::string description;
};

/// A predicate that every valid configuration fulfils, with the text that a person reads where it fails.
struct Restriction {
  std::string text;
  std::function<bool(const Configuration&, const Problem&, const DeviceInfo&)> holds;
  /// The parameters that it reads, and no other; empty: perhaps all. Where it fails, whatever the others are,
  /// nothing of them needs to be enumerated.
  std::vector<std::string> reads = {};
};

/// The product of the parameters' values less what the restrictions exclude, for one variant.
/// The order of `parameters` is the order in which points are enumerated and exported (last one fastest).
struct SearchSpace {
  std::string variant;
  std::vector<Parameter> parameters;
  std::vector<Restriction> restrictions;

  /// Size of the product, restrictions not considered.
  [[nodiscard]] std::uint64_t cartesian_size() const noexcept;

  /// The point with the given index in the product. Precondition: index < cartesian_size().
  [[nodiscard]] Configuration point(std::uint64_t index) const;

  /// Text of the first thing that is wrong with the configuration: another variant, a missing or unknown
  /// parameter, a value that is not listed, a restriction that fails. Empty if it is valid.
  [[nodiscard]] std::optional<std::string> violation(const Configuration& configuration,
                                                     const Problem& problem, const DeviceInfo& device) const;

  /// Calls `visit` with each valid configuration, in the order of the product. It is changed from call to
  /// call.
  void for_each_valid(const Problem& problem, const DeviceInfo& device,
                      const std::function<void(const Configuration&)>& visit) const;

  /// All valid configurations, in the order of the product.
  [[nodiscard]] std::vector<Configuration> valid(const Problem& problem, const DeviceInfo& device) const;
};

}  // namespace bitune
