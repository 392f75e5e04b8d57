#pragma once

/// \file
/// What the variants share that sort keys with their places in the registers of a cluster of blocks:
/// `cluster_by_place` and `cluster_topk`.

#include <cstdint>
#include <string>

#include "bitune/types.hpp"
#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/search_space.hpp"

namespace bitune::place_cluster {

/// Shared memory of a block.
[[nodiscard]] std::int64_t shared_bytes(const Configuration& c, const Problem& problem);

/// All of the variant's space. `registers`: what a block's registers have to hold. most_sent: bytes of an
/// item that blocks can send each other.
[[nodiscard]] SearchSpace space(std::string variant, Restriction registers, std::int64_t most_sent);

[[nodiscard]] Configuration default_configuration(std::string variant, const Problem& problem,
                                                  const DeviceInfo& device);

}  // namespace bitune::place_cluster
