#pragma once

/// \file
/// What the variants share that give the first k keys of each row.

#include "model/device_info.hpp"
#include "model/search_space.hpp"

namespace bitune {

/// Whether it is a top_k of an array or of rows, with values or with indices, or of keys alone.
[[nodiscard]] bool is_top_k(const Problem& problem) noexcept;

/// The same of segments.
[[nodiscard]] bool is_segmented_top_k(const Problem& problem) noexcept;

}  // namespace bitune
