#pragma once

/// \file
/// Decimal numbers as text, moved between units without rounding twice. Private to the exchange formats.

#include <optional>
#include <string>
#include <string_view>

namespace bitune::exchange {

/// The shortest text of value * 10^shift that `shifted_value(text, -shift)` reads back exactly. It has a
/// decimal point, by which readers in Python tell a float: (12.5, -3) is "0.0125", (1000, -3) is "1.0".
/// Precondition: the value is finite.
[[nodiscard]] std::string shifted_text(double value, int shift);

/// The number that `text` writes, times 10^shift, rounded once; nothing if it is no JSON number, or too
/// large.
[[nodiscard]] std::optional<double> shifted_value(std::string_view text, int shift);

}  // namespace bitune::exchange
