#pragma once

/// \file
/// What a rank does with its part of an array in the host's memory.

#include "bitune/multi.hpp"
#include "multi/rank_call.hpp"

namespace bitune::multi {

/// Carries the rank's part to its device, takes part in the call of all ranks there, and carries back what it
/// gets. Parts are equal, but for one key; of a top_k rank 0 gets all. `problem` and `operands` are those of
/// the whole: one array. Every rank calls it. \throws what run_rank does
MultiResult run_host_rank(RankDevice& device, RankStore& store, Communicator& communicator,
                          const Problem& problem, const Operands& operands);

}  // namespace bitune::multi
