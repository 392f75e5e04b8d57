#pragma once

/// \file
/// What sorts where no tuning fits: the only place that says which variant goes before which.

#include <span>
#include <vector>

#include "runtime/variant.hpp"

namespace bitune {

/// Those of the variants that can sort the problem, the likeliest to be fast first, as far as is known
/// without having measured. Variants that the policy does not name come behind those that it expects to be
/// fast, the last one first. A pure function.
[[nodiscard]] std::vector<const Variant*> untuned_order(const Problem& problem, const DeviceInfo& device,
                                                        std::span<const Variant* const> variants);

}  // namespace bitune
