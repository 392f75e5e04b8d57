#pragma once

/// \file
/// One rank's share of a call over several.

#include <cstdint>
#include <functional>

#include "bitune/multi.hpp"
#include "multi/communicator.hpp"
#include "multi/rank_device.hpp"

namespace bitune::multi {

/// Gives a workspace of at least so many bytes, aligned to 256.
using WorkspaceFunction = std::function<Operand(std::uint64_t bytes)>;

/// Does what one rank does in a call: every rank calls it, each on a thread of its own. Waits until all is
/// written. `workspace` is asked where the part has none. \throws AgreedError, as on every rank. Whatever
/// else it throws has ended the communicator.
MultiResult run_rank(RankDevice& device, Communicator& communicator, const SortSpec& spec,
                     const MultiPart& part, const WorkspaceFunction& workspace);

}  // namespace bitune::multi
