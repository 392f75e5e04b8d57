#pragma once

/// \file
/// What the variants share that sort rows of keys with their places in the registers of a group of threads:
/// `rows_by_place` and `rows_topk`. Of all that hold rows so, see row_parts.hpp.

#include <cstdint>

#include "bitune/types.hpp"
#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune::place_rows {

/// Adds to the variant's name, and to parameters that it alone has, those of the group and its network.
/// most: items of a thread that do not spill. bytes: shared memory of a block.
[[nodiscard]] Configuration default_configuration(Configuration own, const Problem& problem,
                                                  const DeviceInfo& device, std::int64_t most,
                                                  const SharedBytes& bytes);

/// Items of a thread, each a key and its place, that do not spill.
[[nodiscard]] std::int64_t most_items(const Problem& problem);

}  // namespace bitune::place_rows
