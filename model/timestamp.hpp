#pragma once

/// \file
/// The time of day as trials store it.

#include <string>

namespace bitune {

/// UTC now: "2026-11-21 12:00:00.000".
[[nodiscard]] std::string timestamp_now();

}  // namespace bitune
