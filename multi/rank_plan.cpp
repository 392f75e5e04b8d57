#include "multi/rank_plan.hpp"

#include <algorithm>

#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "multi/exact_cuts.hpp"

namespace bitune::multi {
namespace {

std::uint64_t workspace_of(SortEngine& engine, const Problem& problem) {
  if (problem.n == 0) return 0;
  static_cast<void>(engine.prepare(problem));
  return engine.workspace_size(problem);
}

}  // namespace

std::uint64_t most_received(const SortSpec& spec, int ranks, std::uint64_t result) noexcept {
  return selects(spec.operation) ? static_cast<std::uint64_t>(ranks) * result : result;
}

RankPlan plan_rank(SortEngine& engine, const SortSpec& spec, int ranks, std::uint64_t n,
                   std::uint64_t received, bool reads_directly, const CopyRules& rules, bool by_halves) {
  RankPlan plan;
  plan.key_bytes = static_cast<std::uint32_t>(size_of(spec.key));
  plan.carried_bytes = bitune::carried_bytes(spec);
  const bool is_top_k = selects(spec.operation);

  plan.first = {spec, {.n = n}};
  if (is_top_k) plan.first.k = std::min(spec.k, n);
  plan.first.operation = facts_of(spec.operation).with_keys;  // they are needed
  plan.merge = RunMerge(spec, plan.carried_bytes, rules, by_halves);

  // Of more than two runs, what is merged in one round goes to the memory that the round before has read.
  const std::uint64_t sorted = std::max(is_top_k ? spec.k : n, received);
  const std::uint64_t between = ranks > 2 || !reads_directly ? received : 0;
  plan.sorted_keys = take_piece(plan.bytes, sorted * plan.key_bytes);
  plan.sorted_carried = take_piece(plan.bytes, sorted * plan.carried_bytes);
  // Of each rank's piece some bytes before it, and the rest of the last multiple.
  const std::uint64_t more = reads_directly ? 0 : 2 * piece_alignment * static_cast<std::uint64_t>(ranks);
  plan.received_keys = take_piece(plan.bytes, between * plan.key_bytes + more);
  plan.received_carried =
      take_piece(plan.bytes, plan.carried_bytes != 0 ? between * plan.carried_bytes + more : 0);
  plan.samples = take_piece(plan.bytes, is_top_k ? 0 : sample_bytes(ranks, spec.key, samples_of(ranks)));
  // What is copied for merging lies where the sort, which is done by then, has worked.
  const std::uint64_t splits = rounded_piece(plan.merge.splits_bytes(received));
  const std::uint64_t copied = reads_directly && plan.merge.is_copied(received) ? received : 0;
  const std::uint64_t copied_keys =
      rounded_piece(by_halves ? KeyHalves::memory_bytes(n) : copied * plan.key_bytes);
  const std::uint64_t merge = splits + copied_keys + copied * plan.carried_bytes;
  plan.sorter = take_piece(plan.bytes, std::max(workspace_of(engine, plan.first), merge));
  plan.copied_keys = plan.sorter + splits;
  plan.copied_carried = plan.copied_keys + copied_keys;
  return plan;
}

}  // namespace bitune::multi
