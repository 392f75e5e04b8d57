#include "multi/rank_operands.hpp"

#include "model/operation.hpp"

namespace bitune::multi {

Operands first_operands(const RankPlan& plan, const MultiPart& part, std::byte* workspace,
                        std::uint64_t sorted) {
  const Operand& keys = part.operands.input();
  const Operand& values = part.operands.input_values();
  Operands first;
  first[Role::keys_in] = {keys.data, keys.elements, part.n};
  first[Role::keys_out] = {workspace + plan.sorted_keys, sorted, sorted};
  if (plan.first.value_bytes != 0) {
    first[Role::values_in] = {values.data, values.elements, part.n};
    first[Role::values_out] = {workspace + plan.sorted_carried, sorted, sorted};
  }
  if (plan.first.index_bytes != 0) {
    first[Role::indices_out] = {workspace + plan.sorted_carried, sorted, sorted};
  }
  first[Role::workspace] = {workspace + plan.sorter, plan.bytes - plan.sorter, 0};
  return first;
}

Problem merged_problem(const RankPlan& plan, const SortSpec& spec, std::uint64_t count) {
  Problem merged{spec, {.n = count}};
  merged.operation = plan.carried_bytes != 0 ? Operation::sort_pairs : Operation::sort;
  merged.value_bytes = plan.carried_bytes;
  merged.index_bytes = 0;
  merged.k = 0;
  return merged;
}

Operands last_operands(const RankPlan& plan, const SortSpec& spec, const MultiPart& part,
                       std::byte* workspace, std::uint64_t count) {
  const auto to = [&](Role role) {
    const Operand& operand = part.operands[role];
    return Operand{operand.data, operand.elements, count};
  };
  Operands last;
  last[Role::keys_out] = to(Role::keys_out);
  const Presence keys = facts_of(spec.operation).keys_out;
  const bool left_out = last[Role::keys_out].data == nullptr && spec.index_bytes != 0;
  if (keys == Presence::never || (keys == Presence::optional && left_out)) {
    last[Role::keys_out] = {workspace + plan.sorted_keys, count, count};
  }
  if (plan.carried_bytes != 0) {
    last[Role::values_out] = to(spec.index_bytes != 0 ? Role::indices_out : Role::values_out);
  }
  return last;
}

}  // namespace bitune::multi
