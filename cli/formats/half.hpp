#pragma once

/// \file
/// 16-bit floating point on the host, for text.

#include <cstdint>

#include "bitune/types.hpp"

namespace bitune::cli {

/// Value of 16 bits read as `type` (f16 or bf16). Exact.
[[nodiscard]] double from_half(KeyType type, std::uint16_t bits) noexcept;

/// Nearest 16 bits, ties to even; too large becomes infinity. NaN becomes the quiet NaN of its sign.
[[nodiscard]] std::uint16_t to_half(KeyType type, double value) noexcept;

}  // namespace bitune::cli
