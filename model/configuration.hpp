#pragma once

/// \file
/// A configuration: one point of a variant's search space.

#include <boost/container/flat_map.hpp>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace bitune {

/// A variant and a value for each of its parameters. A plain value.
struct Configuration {
  std::string variant;
  /// Flat, as searches hold hundreds of thousands of configurations and walk over all of them.
  boost::container::flat_map<std::string, std::int64_t, std::less<>> parameters;

  /// Value of a parameter, or null. Lives as long as the configuration is not changed.
  [[nodiscard]] const std::int64_t* find(std::string_view name) const noexcept;

  /// Value of a parameter. \throws Error (usage) naming the variant and the parameter if it is missing.
  [[nodiscard]] std::int64_t at(std::string_view name) const;

  /// The canonical text form, parameters in alphabetical order: "warp(block_size_x=256,items_per_thread=16)".
  [[nodiscard]] std::string text() const;

  /// Reads what `text` writes, and what older versions of bitune wrote: a parameter that is no more is left
  /// out where it has the only value that was kept. With another value it stays, and no search space has such
  /// a point. \throws Error (usage)
  [[nodiscard]] static Configuration parse(std::string_view text);

  /// The same with all parameters that are written. \throws Error (usage)
  [[nodiscard]] static Configuration parse_as_written(std::string_view text);

  std::strong_ordering operator<=>(const Configuration&) const = default;
  bool operator==(const Configuration&) const = default;
};

}  // namespace bitune
