#pragma once

/// \file
/// One rank's share of a call over several.

#include "bitune/multi.hpp"
#include "multi/communicator.hpp"
#include "multi/rank_device.hpp"
#include "multi/rank_store.hpp"

namespace bitune::multi {

/// Does what one rank does in a call: every rank calls it, each on a thread of its own. Waits until all is
/// written. \throws AgreedError, as on every rank. Whatever else it throws has ended the communicator.
MultiResult run_rank(RankDevice& device, RankStore& store, Communicator& communicator, const SortSpec& spec,
                     const MultiPart& part);

}  // namespace bitune::multi
