#pragma once

/// \file
/// What is wrong with an image, for people.

#include <cstddef>
#include <span>
#include <string>

#include "measure/problem_data.hpp"

namespace bitune {

/// How the image of a result differs from what it should be: "wrote outside the array, behind it", "3 of 500
/// keys differ from the reference, the first at index 7". If it does not differ: a race, as it was found to
/// before.
[[nodiscard]] std::string describe_mismatch(std::span<const std::byte> actual,
                                            std::span<const std::byte> expected, const ImageLayout& layout);

}  // namespace bitune
