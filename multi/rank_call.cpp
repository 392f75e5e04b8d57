#include "multi/rank_call.hpp"

#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "model/operation.hpp"
#include "model/problem.hpp"
#include "multi/agreement.hpp"
#include "multi/exact_cuts.hpp"
#include "multi/rank_plan.hpp"
#include "runtime/check_operands.hpp"

namespace bitune::multi {
namespace {

/// Microseconds since the last lap.
class Laps {
 public:
  double lap() {
    const auto now = Clock::now();
    const double us = std::chrono::duration<double, std::micro>(now - last_).count();
    last_ = now;
    return us;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

class RankCall {
 public:
  RankCall(RankDevice& device, Communicator& communicator, const SortSpec& spec, const MultiPart& part)
      : device_(device), communicator_(communicator), part_(part), rank_(communicator.rank()) {
    terms_ = agree(communicator, spec, part.n, part.result);
  }

  MultiResult run(const WorkspaceFunction& workspace) {
    Laps all;
    prepare_together(communicator_, [&] { prepare(workspace); });
    Laps laps;
    MultiResult result;
    result.count = result_count();
    if (!is_top_k()) result.first = Terms::before(terms_.results, rank_);
    sort_first();
    result.sort_us = laps.lap();
    const Parts parts = is_top_k() ? whole_parts() : cut_parts();
    result.split_us = laps.lap();
    result.received_bytes = exchange(parts);
    result.exchange_us = laps.lap();
    merge_last(parts);
    result.merge_us = laps.lap();
    result.total_us = all.lap();
    return result;
  }

 private:
  /// Keys that this rank sends to each, from where among its own, and receives of each.
  struct Parts {
    std::vector<std::uint64_t> send_from;
    std::vector<std::uint64_t> send;
    std::vector<std::uint64_t> receive;
  };

  [[nodiscard]] bool is_top_k() const noexcept { return selects(terms_.spec.operation); }
  [[nodiscard]] std::size_t me() const noexcept { return static_cast<std::size_t>(rank_); }
  [[nodiscard]] std::uint64_t result_count() const { return terms_.results[me()]; }
  /// Keys that a rank has after its first sort.
  [[nodiscard]] std::uint64_t sorted_count(std::size_t rank) const {
    return is_top_k() ? std::min(terms_.spec.k, terms_.lengths[rank]) : terms_.lengths[rank];
  }
  [[nodiscard]] std::uint64_t received_count() const {
    if (!is_top_k() || result_count() == 0) return result_count();
    std::uint64_t count = 0;
    for (std::size_t rank = 0; rank < terms_.lengths.size(); ++rank) count += sorted_count(rank);
    return count;
  }
  [[nodiscard]] std::byte* at(std::uint64_t offset) const noexcept {
    return static_cast<std::byte*>(workspace_.data) + offset;
  }
  [[nodiscard]] const Device& device() const noexcept { return device_.device(); }

  void prepare(const WorkspaceFunction& workspace) {
    plan_ = plan_rank(device_.engine(), terms_.spec, communicator_.size(), part_.n, received_count());
    if (terms_.spec.index_bytes != 0) device_.prepare_indices();
    workspace_ = part_.operands[Role::workspace];
    if (workspace_.data == nullptr) {
      workspace_ = workspace(plan_.bytes);
    } else {
      check_workspace({terms_.spec, {.n = part_.n}}, workspace_, plan_.bytes);
    }
    first_ = first_operands();
    last_ = last_operands();
    if (part_.n != 0) check_operands(plan_.first, first_);
    if (result_count() == 0) return;
    check_operands(plan_.last, last_);
    for (const KernelSource& kernel : plan_.merge.kernels()) device_.prepare(kernel);
  }

  /// The workspace of a sort.
  [[nodiscard]] Operand sorter_workspace() const noexcept {
    return {at(plan_.sorter), plan_.bytes - plan_.sorter, 0};
  }

  [[nodiscard]] Operands first_operands() const {
    const std::uint64_t n = part_.n;
    const std::uint64_t sorted = sorted_count(me());
    const Operand& keys = part_.operands.input();
    const Operand& values = part_.operands.input_values();
    Operands first;
    first[Role::keys_in] = {keys.data, keys.elements, n};
    first[Role::keys_out] = {at(plan_.sorted_keys), sorted, sorted};
    if (terms_.spec.value_bytes != 0) {
      first[Role::values_in] = {values.data, values.elements, n};
      first[Role::values_out] = {at(plan_.sorted_carried), sorted, sorted};
    }
    if (terms_.spec.index_bytes != 0) {
      first[Role::indices_out] = {at(plan_.sorted_carried), sorted, sorted};
    }
    first[Role::workspace] = sorter_workspace();
    return first;
  }

  /// From what was received to the caller's memory. Keys that nobody asked for are those of the first sort,
  /// and are not written.
  [[nodiscard]] Operands last_operands() const {
    const std::uint64_t count = result_count();
    const std::uint64_t received = plan_.last.n;
    const auto to = [&](Role role) {
      const Operand& operand = part_.operands[role];
      return Operand{operand.data, operand.elements, count};
    };
    Operands last;
    last[Role::keys_in] = {at(plan_.received_keys), received, received};
    last[Role::keys_out] = to(Role::keys_out);
    const Presence keys = facts_of(terms_.spec.operation).keys_out;
    const bool left_out = last[Role::keys_out].data == nullptr && terms_.spec.index_bytes != 0;
    if (keys == Presence::never || (keys == Presence::optional && left_out)) {
      last[Role::keys_out] = {at(plan_.sorted_keys), count, count};
    }
    if (plan_.carried_bytes != 0) {
      last[Role::values_in] = {at(plan_.received_carried), received, received};
      last[Role::values_out] = to(terms_.spec.index_bytes != 0 ? Role::indices_out : Role::values_out);
    }
    last[Role::workspace] = sorter_workspace();
    return last;
  }

  void sort_first() {
    if (part_.n != 0) {
      device_.engine().run(plan_.first, first_, part_.stream);
      if (terms_.spec.index_bytes != 0) {
        device_.add_to_indices(at(plan_.sorted_carried), sorted_count(me()),
                               Terms::before(terms_.lengths, rank_), part_.stream);
      }
    }
    device().synchronize(part_.stream);
  }

  [[nodiscard]] Parts cut_parts() {
    const Cutting cutting{terms_.lengths,
                          terms_.results,
                          {terms_.spec.key, terms_.spec.order, plan_.carried_bytes != 0},
                          samples_of(communicator_.size())};
    const SortedRun run{&device(), at(plan_.sorted_keys), {at(plan_.samples), plan_.sorter - plan_.samples}};
    const auto cuts = find_cuts(communicator_, cutting, run, part_.stream);
    Parts parts;
    for (std::size_t rank = 0; rank < terms_.lengths.size(); ++rank) {
      parts.send_from.push_back(cuts[rank][me()]);
      parts.send.push_back(cuts[rank + 1][me()] - cuts[rank][me()]);
      parts.receive.push_back(cuts[me() + 1][rank] - cuts[me()][rank]);
    }
    return parts;
  }

  /// Each rank that asks for a result gets the first keys of all.
  [[nodiscard]] Parts whole_parts() const {
    Parts parts;
    for (std::size_t rank = 0; rank < terms_.lengths.size(); ++rank) {
      parts.send_from.push_back(0);
      parts.send.push_back(terms_.results[rank] != 0 ? sorted_count(me()) : 0);
      parts.receive.push_back(result_count() != 0 ? sorted_count(rank) : 0);
    }
    return parts;
  }

  /// Returns bytes from other ranks.
  std::uint64_t exchange(const Parts& parts) {
    std::vector<ArrayExchange> arrays;
    std::uint64_t bytes = 0;
    const auto add = [&](std::uint64_t from, std::uint64_t to, std::uint32_t element_bytes) {
      if (element_bytes == 0) return;
      ArrayExchange array;
      std::byte* place = at(to);
      for (std::size_t rank = 0; rank < parts.send.size(); ++rank) {
        array.send.push_back(
            {at(from) + parts.send_from[rank] * element_bytes, parts.send[rank] * element_bytes});
        array.receive.push_back({place, parts.receive[rank] * element_bytes});
        place += array.receive.back().bytes;
        if (rank != me()) bytes += array.receive.back().bytes;
      }
      arrays.push_back(std::move(array));
    };
    add(plan_.sorted_keys, plan_.received_keys, plan_.key_bytes);
    add(plan_.sorted_carried, plan_.received_carried, plan_.carried_bytes);
    communicator_.all_to_all(arrays, part_.stream);
    return bytes;
  }

  void merge_last(const Parts& parts) {
    if (result_count() != 0) {
      const auto carried = [&](std::uint64_t offset) {
        return plan_.carried_bytes != 0 ? at(offset) : nullptr;
      };
      const auto to = [&](Role role) { return static_cast<std::byte*>(last_[role].data); };
      const bool wants_keys = to(Role::keys_out) != at(plan_.sorted_keys);
      plan_.merge.run(device_, parts.receive, result_count(),
                      {.from = {at(plan_.received_keys), carried(plan_.received_carried)},
                       .to = {wants_keys ? to(Role::keys_out) : nullptr, to(Role::values_out)},
                       .between = {at(plan_.sorted_keys), carried(plan_.sorted_carried)},
                       .splits = at(plan_.sorter)},
                      part_.stream);
    }
    device().synchronize(part_.stream);
  }

  RankDevice& device_;
  Communicator& communicator_;
  const MultiPart& part_;
  int rank_;
  Terms terms_;
  RankPlan plan_;
  Operand workspace_;
  Operands first_;
  Operands last_;
};

}  // namespace

MultiResult run_rank(RankDevice& device, Communicator& communicator, const SortSpec& spec,
                     const MultiPart& part, const WorkspaceFunction& workspace) {
  try {
    return RankCall(device, communicator, spec, part).run(workspace);
  } catch (const AgreedError&) {
    throw;
  } catch (const Error& error) {
    communicator.abort(error.code(), error.what());
    throw;
  } catch (const std::exception& error) {
    communicator.abort(ErrorCode::device, error.what());
    throw;
  }
}

}  // namespace bitune::multi
