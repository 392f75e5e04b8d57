#include "cli/formats/half.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bitune::cli {
namespace {

/// Layout of a 16-bit format: a sign, then the exponent, then the fraction.
struct Layout {
  int fraction_bits;
  int bias;
};

constexpr Layout layout_of(KeyType type) { return type == KeyType::f16 ? Layout{10, 15} : Layout{7, 127}; }

}  // namespace

double from_half(KeyType type, std::uint16_t bits) noexcept {
  const auto [fraction_bits, bias] = layout_of(type);
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int exponent = (bits & 0x7fff) >> fraction_bits;
  double magnitude = 0;
  if (exponent == 2 * bias + 1) {
    magnitude =
        fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else {
    magnitude = std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  }
  return std::copysign(magnitude, (bits & 0x8000) != 0 ? -1.0 : 1.0);
}

std::uint16_t to_half(KeyType type, double value) noexcept {
  const auto [fraction_bits, bias] = layout_of(type);
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const int infinity = (2 * bias + 1) << fraction_bits;
  int magnitude = 0;
  if (std::isnan(value)) {
    magnitude = infinity | 1 << (fraction_bits - 1);
  } else if (std::isinf(value)) {
    magnitude = infinity;
  } else if (value != 0) {
    // The unit in the last place; below the normal numbers it stays that of the smallest of them.
    const int exponent = std::max(std::ilogb(value), 1 - bias);
    const double units = std::nearbyint(std::ldexp(std::fabs(value), fraction_bits - exponent));
    // A carry out of the fraction walks into the exponent, which is what rounding up to the next binade
    // means.
    const double encoded = units + std::ldexp(exponent + bias - 1, fraction_bits);
    magnitude = encoded >= infinity ? infinity : static_cast<int>(encoded);
  }
  return static_cast<std::uint16_t>(sign | magnitude);
}

}  // namespace bitune::cli
