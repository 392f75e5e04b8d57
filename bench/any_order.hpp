#pragma once

#include <cstddef>
#include <span>

#include "bitune/types.hpp"
#include "measure/call_image.hpp"

namespace bitune {

/// Whether a top_k has given the keys of `right`, an image of a right result, in any order. If it gives
/// indices, too, each must be where its key stands in the row, and no two may be the same.
[[nodiscard]] bool has_first_keys_in_any_order(const Problem& problem, const CallLayout& layout,
                                               std::span<const std::byte> input,
                                               std::span<const std::byte> right,
                                               std::span<const std::byte> result);

}  // namespace bitune
