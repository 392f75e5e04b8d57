#include "multi/rank_call.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "multi/agreement.hpp"
#include "multi/exact_cuts.hpp"
#include "multi/laps.hpp"
#include "multi/rank_operands.hpp"
#include "multi/rank_plan.hpp"
#include "multi/split/split_sort.hpp"
#include "runtime/check_operands.hpp"

namespace bitune::multi {
namespace {

class RankCall {
 public:
  RankCall(RankDevice& device, RankStore& store, Communicator& communicator, const SortSpec& spec,
           const MultiPart& part)
      : device_(device), store_(store), communicator_(communicator), part_(part), rank_(communicator.rank()) {
    // Others may not reach a caller's workspace, and to send keys away takes more than that has.
    const bool is_own = part.operands[Role::workspace].data == nullptr;
    const bool may_send = communicator.exchanges_beside() && is_own;
    terms_ = agree(communicator, spec, part.n, part.result, is_own,
                   may_send ? store.rules_for(0).split_from_bytes : CopyRules::never);
  }

  MultiResult run() {
    Laps all;
    const auto counters = prepare_together(communicator_, [&] { return prepare(); });
    Laps laps;
    MultiResult result;
    result.count = result_count();
    if (!is_top_k()) result.first = Terms::before(terms_.results, rank_);
    if (all_split(counters) && split_first(result)) {
      result.total_us = all.lap();
      return result;
    }
    sort_first();
    // Where merging finds the cut itself, the devices wait for each other, not the host for them.
    if (!merges_all()) {
      device().synchronize(part_.stream);
      result.sort_us = laps.lap();
    }
    Runs runs = all_runs();
    if (!merges_all()) {
      const Parts parts = is_top_k() ? whole_parts() : cut_parts();
      result.split_us = laps.lap();
      runs = terms_.reads_directly ? pieces_of(runs, parts) : exchange(parts);
      if (!terms_.reads_directly) result.exchange_us = laps.lap();
    }
    merge_last(runs, result.first);
    result.received_bytes = received_bytes(runs);
    result.merge_us = laps.lap();
    if (merges_all()) {
      result.sort_us = device().elapsed_ms(store_.event(begins), store_.event(is_sorted)) * 1e3;
      result.merge_us = std::max(result.merge_us - result.sort_us, 0.0);
    }
    result.total_us = all.lap();
    return result;
  }

 private:
  enum EventOfStore : std::size_t { begins, is_sorted, are_halved };

  /// Keys that this rank sends to each, and receives of each, from where among those that were sorted.
  struct Parts {
    std::vector<std::uint64_t> send_from;
    std::vector<std::uint64_t> send;
    std::vector<std::uint64_t> receive_from;
    std::vector<std::uint64_t> receive;
  };
  /// What this rank merges, by the rank that sorted it.
  using Runs = std::vector<MergedRun>;

  [[nodiscard]] bool is_top_k() const noexcept { return selects(terms_.spec.operation); }
  /// Whether merging itself finds what of each run goes where: of two runs, all of which it reaches.
  [[nodiscard]] bool merges_all() const noexcept {
    return terms_.reads_directly && communicator_.size() <= 2 && !is_top_k();
  }
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
  [[nodiscard]] RunArrays arrays_at(std::uint64_t keys, std::uint64_t carried) const noexcept {
    return {at(keys), plan_.carried_bytes != 0 ? at(carried) : nullptr};
  }
  [[nodiscard]] RunArrays sorted() const noexcept {
    return arrays_at(plan_.sorted_keys, plan_.sorted_carried);
  }
  [[nodiscard]] RunArrays received() const noexcept {
    return arrays_at(plan_.received_keys, plan_.received_carried);
  }
  [[nodiscard]] const Device& device() const noexcept { return device_.device(); }

  /// Returns what a rank counts to send its keys away before it sorts; 0 if it can't.
  std::uint64_t prepare() {
    const std::uint64_t merged_bytes =
        received_count() * (size_of(terms_.spec.key) + carried_bytes(terms_.spec));
    plan_ = plan_rank(device_.engine(), terms_.spec, communicator_.size(), part_.n, received_count(),
                      terms_.reads_directly, store_.rules_for(merged_bytes),
                      merges_all() && KeyHalves::suit(terms_, store_));
    if (terms_.spec.index_bytes != 0) device_.prepare_indices();
    split_ = plan_split();
    workspace_ = part_.operands[Role::workspace];
    if (workspace_.data == nullptr) {
      if (split_) take_split_memory();
      workspace_ = store_.workspace(plan_.bytes);
    } else {
      check_workspace({terms_.spec, {.n = part_.n}}, workspace_, plan_.bytes);
    }
    first_ = first_operands(plan_, part_, at(0), sorted_count(me()));
    last_ = last_operands(plan_, terms_.spec, part_, at(0), result_count());
    if (part_.n != 0) check_operands(plan_.first, first_);
    if (result_count() != 0) prepare_merge();
    return split_ ? split_->radix->counters() : 0;
  }

  void prepare_merge() {
    check_operands(merged_problem(plan_, terms_.spec, result_count()), last_);
    for (const KernelSource& kernel : plan_.merge.kernels()) device_.prepare(kernel);
  }

  /// Whether keys are sent away before they are sorted: all ranks say the same.
  [[nodiscard]] std::optional<SplitPlan> plan_split() {
    const std::uint64_t bytes =
        terms_.total() * (size_of(terms_.spec.key) + carried_bytes(terms_.spec)) / terms_.lengths.size();
    const std::uint64_t from_bytes =
        terms_.reads_directly ? store_.rules_for(bytes).split_from_bytes : terms_.sent_from_bytes;
    if (bytes < from_bytes) return std::nullopt;
    return SplitPlan::of(device_, terms_, rank_, part_.operands[Role::keys_out].data != nullptr);
  }

  /// Merging takes less: where there is no memory to split, all ranks merge.
  void take_split_memory() {
    try {
      static_cast<void>(store_.workspace(std::max(plan_.bytes, split_->bytes)));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_resources) throw;
      split_.reset();
    }
  }

  /// Whether all ranks can. They count for each other, so they count alike.
  static bool all_split(const std::vector<std::uint64_t>& counters) {
    return std::all_of(counters.begin(), counters.end(),
                       [&](std::uint64_t of_rank) { return of_rank != 0 && of_rank == counters[0]; });
  }

  /// Sorts so, if it turns out that cuts are where they were taken to be.
  bool split_first(MultiResult& result) {
    const auto to = [](const Operand& operand) { return static_cast<std::byte*>(operand.data); };
    const SplitSort::Memory memory{.workspace = at(0),
                                   .in = {to(part_.operands.input()), to(part_.operands.input_values())},
                                   .out = {to(part_.operands[Role::keys_out]), to(last_[Role::values_out])}};
    device().synchronize(part_.stream);  // the keys are there
    return SplitSort(device_, store_, communicator_, terms_, *split_, memory).run(result);
  }

  void sort_first() {
    device().record(store_.event(begins), part_.stream);
    if (part_.n != 0) {
      device_.engine().run(plan_.first, first_, part_.stream);
      if (terms_.spec.index_bytes != 0) {
        device_.add_to_indices(at(plan_.sorted_carried), sorted_count(me()),
                               Terms::before(terms_.lengths, rank_), part_.stream);
      }
    }
    device().record(store_.event(is_sorted), part_.stream);
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
      parts.receive_from.push_back(cuts[me()][rank]);
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
      parts.receive_from.push_back(0);
      parts.receive.push_back(result_count() != 0 ? sorted_count(rank) : 0);
    }
    return parts;
  }

  /// What each rank has sorted, where it lies: another rank's is only read where all read directly. Later
  /// work of the stream begins when all are sorted.
  [[nodiscard]] Runs all_runs() {
    if (!terms_.reads_directly) return {};
    struct ShownRun {
      RunArrays arrays;
      const DeviceEvent* is_sorted;
    };
    Runs runs;
    for (const ShownRun& run : all_gather(communicator_, ShownRun{sorted(), &store_.event(is_sorted)})) {
      const std::size_t rank = runs.size();
      if (rank != me()) device().wait_for(*run.is_sorted, part_.stream);
      runs.push_back({run.arrays, sorted_count(rank), rank == me()});
    }
    return runs;
  }

  /// Of each run what comes to this rank.
  [[nodiscard]] Runs pieces_of(const Runs& runs, const Parts& parts) const {
    Runs pieces;
    for (std::size_t rank = 0; rank < runs.size(); ++rank) {
      pieces.push_back({plan_.merge.at(runs[rank].arrays, parts.receive_from[rank]), parts.receive[rank],
                        runs[rank].is_near});
    }
    return pieces;
  }

  /// Copies what comes to this rank to its own memory. From round addresses to such, with a few elements
  /// before the piece where need be: of others NCCL copies byte by byte.
  [[nodiscard]] Runs exchange(const Parts& parts) {
    std::vector<ArrayExchange> arrays;
    Runs runs;
    for (const std::uint64_t count : parts.receive) runs.push_back({{}, count});
    const auto add = [&](std::uint64_t from, std::uint64_t to, std::uint32_t element_bytes,
                         std::byte* RunArrays::*array) {
      if (element_bytes == 0) return;
      ArrayExchange& all = arrays.emplace_back();
      std::byte* place = at(to);
      for (std::size_t rank = 0; rank < parts.send.size(); ++rank) {
        const auto lead_of = [&](std::uint64_t begin, std::uint64_t count) {
          return count != 0 ? begin * element_bytes % piece_alignment : 0;
        };
        const std::uint64_t sent = lead_of(parts.send_from[rank], parts.send[rank]);
        all.send.push_back({at(from) + parts.send_from[rank] * element_bytes - sent,
                            parts.send[rank] * element_bytes + sent});
        const std::uint64_t received = lead_of(parts.receive_from[rank], parts.receive[rank]);
        all.receive.push_back({place, parts.receive[rank] * element_bytes + received});
        runs[rank].arrays.*array = place + received;
        place += rounded_piece(all.receive.back().bytes);
      }
    };
    add(plan_.sorted_keys, plan_.received_keys, plan_.key_bytes, &RunArrays::keys);
    add(plan_.sorted_carried, plan_.received_carried, plan_.carried_bytes, &RunArrays::carried);
    communicator_.all_to_all(arrays, part_.stream);
    return runs;
  }

  /// Merges to the caller's memory the keys from `first` on, of two whole runs; of pieces all.
  void merge_last(const Runs& runs, std::uint64_t first) {
    const HalvesExchange halves{
        .memory = at(plan_.copied_keys),
        .are_there = &store_.event(are_halved),
        .show = [&](const ShownHalves& mine) { return all_gather(communicator_, mine)[1 - me()]; }};
    const auto to = [&](Role role) { return static_cast<std::byte*>(last_[role].data); };
    const bool wants_keys = to(Role::keys_out) != at(plan_.sorted_keys);
    RunMerge::Memory memory{.to = {wants_keys ? to(Role::keys_out) : nullptr, to(Role::values_out)},
                            .between = {sorted(), received()},
                            .splits = at(plan_.sorter)};
    if (terms_.reads_directly) {
      // Others read what this rank has sorted: until then it stays.
      std::swap(memory.between[0], memory.between[1]);
      memory.cut = &cut_;
      memory.copied = arrays_at(plan_.copied_keys, plan_.copied_carried);
      memory.halves = &halves;
      if (plan_.merge.by_halves() || plan_.merge.is_copied(result_count())) {
        memory.copies = &store_.copies();
        memory.copies->wait_for(part_.stream);
      }
      memory.runs_are_read = [&] {
        device().synchronize(part_.stream);
        static_cast<void>(all_gather(communicator_, rank_));
      };
    }
    plan_.merge.run(device_, runs, merges_all() ? first : 0, result_count(), memory, part_.stream);
    device().synchronize(part_.stream);
    // What fails until here ends all. Where others read directly they are of this process, and told anyway.
    if (!terms_.reads_directly) static_cast<void>(all_gather(communicator_, rank_));
  }

  /// Bytes that were merged here, and came from other ranks.
  [[nodiscard]] std::uint64_t received_bytes(const Runs& runs) const {
    std::uint64_t own = result_count() != 0 && !merges_all() ? runs[me()].length : 0;
    if (merges_all()) own = rank_ == 0 ? cut_[1] - cut_[0] : result_count() - (cut_[1] - cut_[0]);
    const std::uint64_t others = (merges_all() ? result_count() : received_count()) - own;
    return others * ((plan_.merge.by_halves() ? plan_.key_bytes / 2 : plan_.key_bytes) + plan_.carried_bytes);
  }

  RankDevice& device_;
  RankStore& store_;
  Communicator& communicator_;
  const MultiPart& part_;
  int rank_;
  Terms terms_;
  RankPlan plan_;
  std::optional<SplitPlan> split_;  ///< where there is memory for it
  Operand workspace_;
  Operands first_;
  Operands last_;
  RunMerge::Cut cut_ = {};  ///< of two runs that are merged as wholes
};

}  // namespace

MultiResult run_rank(RankDevice& device, RankStore& store, Communicator& communicator, const SortSpec& spec,
                     const MultiPart& part) {
  try {
    return RankCall(device, store, communicator, spec, part).run();
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
