#pragma once

/// \file
/// A sort over several ranks that sends keys away before it sorts.
///
/// A sample of all keys shows bounds between the ranks' parts. Each rank counts its keys between them, and
/// their digits (kernels/multi/count_classes.cuh), and tells all. Then it splits its keys by where they go
/// (kernels/multi/split_keys.cuh). What goes to others is copied meanwhile, and while each rank sorts what it
/// keeps by the first digit. Pieces that come are sorted by that digit one by one; the other passes are over
/// all. So each key goes over the link once, most of it beside other work, and nothing is merged. The few
/// keys near a cut go to both of its ranks. Both sort them, and the last pass writes only what is the rank's:
/// so cuts are exact.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "bitune/multi.hpp"
#include "multi/agreement.hpp"
#include "multi/communicator.hpp"
#include "multi/rank_device.hpp"
#include "multi/rank_store.hpp"
#include "multi/run_arrays.hpp"
#include "multi/split/piece_sort.hpp"
#include "multi/split/split_counts.hpp"
#include "multi/split/split_launches.hpp"
#include "multi/split/split_plan.hpp"

namespace bitune::multi {

/// One rank's share of it. Every rank makes one and runs it.
class SplitSort {
 public:
  /// What the call gives and gets on this rank. Keys that nobody asked for have null.
  struct Memory {
    std::byte* workspace = nullptr;  ///< of SplitPlan::bytes; other ranks read it
    RunArrays in;
    RunArrays out;
  };

  SplitSort(RankDevice& device, RankStore& store, Communicator& communicator, const Terms& terms,
            const SplitPlan& plan, const Memory& memory);

  /// Does it, and waits until all is written and other ranks have read what they need. False if it turns out
  /// that it can't: then only the workspace is written, on all ranks. \throws Error
  bool run(MultiResult& result);

 private:
  /// What a rank shows once they are being split.
  struct Shown;

  void take_samples();
  /// Brings those of all ranks here.
  void gather_samples();
  void choose_bounds();
  /// Enqueues the launches that count and split the keys.
  [[nodiscard]] Shown split();
  /// Hears of all ranks what they have of each class in so many launches, once these are counted.
  void hear(std::uint64_t launch, std::uint64_t launches);
  /// Has what is for others sent to them, where these don't read it: what goes to a rank, of the launch or
  /// the cut that comes in this turn, is sent(from, to).
  struct Sent;
  void send(const Shown& mine);
  template <class SentOf>
  [[nodiscard]] ExchangeBeside exchange_of(const SentOf& sent, std::uint64_t turn);
  /// Enqueues copies of what comes from other ranks of a launch, each when it is split, beside all else.
  void copy(const std::vector<Shown>& all, std::uint64_t launch);
  /// The same of what is near this rank's cuts, of all launches.
  void copy_cuts(const std::vector<Shown>& all);
  /// Of one rank, what is split in a launch. Returns where it comes to, and what tells that it is there.
  struct Come;
  [[nodiscard]] Come copy_items(const Shown& from, std::uint64_t place, std::uint64_t n,
                                std::uint64_t launch);
  /// Waits for what it has begun.
  void wait_for_all();
  [[nodiscard]] bool give_up();
  /// What this rank sorts, in the order of equal keys.
  [[nodiscard]] std::vector<SortedPiece> pieces() const;

  [[nodiscard]] std::byte* at(std::uint64_t offset) const noexcept { return memory_.workspace + offset; }
  /// Where this rank has its keys from a place on.
  [[nodiscard]] RunArrays split_items(std::uint64_t place) const noexcept {
    return plan_.bytes_of_item.at({at(plan_.split_keys), at(plan_.split_carried)}, place);
  }
  /// Where keys of other ranks come to, from a place on.
  [[nodiscard]] RunArrays come_items(std::uint64_t place) const noexcept {
    std::byte* const rest = at(plan_.rest_workspace);
    return plan_.bytes_of_item.at({rest + plan_.rest.other_keys, rest + plan_.rest.other_values}, place);
  }
  /// The classes of keys that this rank sorts: from the first one to the one behind the last.
  [[nodiscard]] std::size_t first_class() const { return me_ == 0 ? 0 : cut_class(me_ - 1); }
  [[nodiscard]] std::size_t end_class() const {
    return std::min<std::size_t>(cut_class(me_) + 1, plan_.classes);
  }
  /// Where in come_ a class at a cut is: behind what comes launch by launch, as it comes after that.
  [[nodiscard]] std::uint64_t cut_turn(std::size_t number) const {
    return split_launches + (number < sure_class(me_) ? 0 : 1);
  }
  /// Remembers what has been enqueued in a stream until now.
  const DeviceEvent* mark(Stream stream);
  [[nodiscard]] const Device& device() const noexcept { return device_.device(); }
  [[nodiscard]] std::uint64_t n() const { return terms_.lengths[me_]; }
  /// The index of this rank's first key in the whole.
  [[nodiscard]] std::uint64_t first_index() const {
    return Terms::before(terms_.lengths, communicator_.rank());
  }

  RankDevice& device_;
  RankStore& store_;
  Communicator& communicator_;
  const Terms& terms_;
  const SplitPlan& plan_;
  Memory memory_;
  Stream stream_;
  std::size_t me_;

  std::vector<const DeviceEvent*> counted_events_;  ///< by launch
  SplitCounts counts_;
  struct Come {
    std::uint64_t place = 0;
    const DeviceEvent* copied = nullptr;
  };
  std::vector<std::vector<Come>>
      come_;                    ///< by rank: sure keys by launch, then those at the cuts before and behind
  std::uint64_t received_ = 0;  ///< keys that come from others
  std::uint64_t come_end_ = 0;  ///< where there is room for more of them
  std::size_t turn_ = 0;  ///< of copies, which go in two streams in turn: one begins while the other runs
  std::vector<std::unique_ptr<DeviceEvent>> events_;
  PieceSort sort_;
};

}  // namespace bitune::multi
