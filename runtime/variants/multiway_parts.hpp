#pragma once

/// \file
/// What the variants share that split sorted runs exactly: `multiway` and `multiway_by_place`.

#include <string>
#include <string_view>

#include "bitune/types.hpp"
#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "runtime/variants/plan_builder.hpp"

namespace bitune::of_multiway {

inline constexpr std::string_view split_header = "kernels/multiway/multiway_split.cuh";

[[nodiscard]] Configuration default_of(std::string variant, const Problem& problem, const DeviceInfo& device);

/// Adds a launch for each level of splitting. The boundaries of a level are the multiples of its step that
/// are not of the step above. `splits` has room for layout::split_places numbers of 32 bits a row.
void append_splitting(PlanBuilder& builder, const Problem& problem, const Configuration& c, Address runs,
                      Address splits);

}  // namespace bitune::of_multiway
