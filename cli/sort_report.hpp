#pragma once

/// \file
/// What `bitune sort` says of a sort that is done.

#include <cstdint>
#include <optional>
#include <string>

#include "bitune/bitune.hpp"

namespace bitune::cli {

/// A sort of all rows of an input.
struct SortReport {
  std::string input;
  std::string output;  ///< empty if nothing was written
  std::string device;
  Problem problem;  ///< of one row; `rows` as the input has them
  Explanation how;
  HostSortTimes times;  ///< sums over all rows
  double prepare_ms = 0;
  std::optional<bool> verified;  ///< nothing if that was not asked for
};

/// Lines for people.
[[nodiscard]] std::string sort_text(const SortReport& report);
/// A JSON document.
[[nodiscard]] std::string sort_json(const SortReport& report);

}  // namespace bitune::cli
