#pragma once

/// \file
/// What a rank's two sorts read and write: of its own keys first, and of what came from all at last.

#include <cstddef>
#include <cstdint>

#include "bitune/multi.hpp"
#include "bitune/operands.hpp"
#include "model/problem.hpp"
#include "multi/rank_plan.hpp"

namespace bitune::multi {

/// Of the plan's `first`: from the part's memory to `workspace`, which has the plan's bytes. `sorted`: keys
/// that are there then.
[[nodiscard]] Operands first_operands(const RankPlan& plan, const MultiPart& part, std::byte* workspace,
                                      std::uint64_t sorted);

/// What merging writes, as a sort in place of `count` keys would.
[[nodiscard]] Problem merged_problem(const RankPlan& plan, const SortSpec& spec, std::uint64_t count);

/// Of that. Keys that nobody asked for are those of the first sort, and are not written.
[[nodiscard]] Operands last_operands(const RankPlan& plan, const SortSpec& spec, const MultiPart& part,
                                     std::byte* workspace, std::uint64_t count);

}  // namespace bitune::multi
