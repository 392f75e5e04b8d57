#pragma once

/// \file
/// A sort over several ranks that sends keys away before it sorts.
///
/// Each rank splits its keys by where they go (kernels/multi/split_keys.cuh), between bounds that a sample of
/// all keys has shown. What goes to others is copied while each rank counts its digits and sorts what it keeps
/// by the first one. Pieces that come are sorted by that digit one by one; the other passes are over all. So each key
/// goes over the link once, most of it beside other work, and nothing is merged. The few keys near a cut go to both
/// of its ranks. Both sort them, and the last pass writes only what is the rank's: so cuts are exact.

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
  /// that it can't: then nothing is written, on no rank. \throws Error
  bool run(MultiResult& result);

 private:
  /// What a rank shows before keys are split.
  struct Ready;
  /// What a rank shows once some of its keys are.
  struct Done;

  [[nodiscard]] bool give_up();
  [[nodiscard]] Ready ready();
  void choose_bounds(const std::vector<Ready>& all);
  /// Enqueues launches that split the keys, so many.
  void split(std::uint64_t launches);
  /// Waits until one of them is done.
  [[nodiscard]] Done done(std::uint64_t launch);
  /// Enqueues copies of what surely comes from other ranks and is split, to places behind those before.
  void copy_sure(const std::vector<Done>& all);
  /// The same of what is near this rank's cuts.
  void copy_cuts(const std::vector<Done>& all);
  /// Enqueues copies of some of a rank's keys of a class, behind those that have come of it.
  void copy(const Done& from, std::size_t rank, std::size_t number, std::uint64_t begin, std::uint64_t end);
  void count_classes();
  [[nodiscard]] std::vector<SortedPiece> pieces();

  [[nodiscard]] std::byte* at(std::uint64_t offset) const noexcept { return memory_.workspace + offset; }
  [[nodiscard]] RunArrays split_items() const noexcept {
    return {at(plan_.split_keys), at(plan_.split_carried)};
  }
  /// Where this rank has its keys of a class.
  [[nodiscard]] RunArrays class_items(std::size_t number) const;
  /// Where keys of other ranks come to, from a place on.
  [[nodiscard]] RunArrays come_items(std::uint64_t place) const noexcept {
    std::byte* const rest = at(plan_.rest_workspace);
    return plan_.bytes_of_item.at({rest + plan_.rest.other_keys, rest + plan_.rest.other_values}, place);
  }
  [[nodiscard]] std::uint64_t count_of(std::size_t rank, std::size_t number) const {
    return counts_[rank][number];
  }
  /// Remembers what has been enqueued in a stream until now.
  const DeviceEvent* mark(Stream stream);
  [[nodiscard]] const Device& device() const noexcept { return device_.device(); }
  [[nodiscard]] std::uint64_t n() const { return terms_.lengths[me_]; }

  RankDevice& device_;
  RankStore& store_;
  Communicator& communicator_;
  const Terms& terms_;
  const SplitPlan& plan_;
  Memory memory_;
  Stream stream_;
  std::size_t me_;

  std::vector<std::uint64_t> words_;       ///< Split, as it is on the device
  std::vector<const DeviceEvent*> split_;  ///< by launch
  std::vector<ClassCounts> counts_;        ///< by rank, of what is split
  /// What has come of a class of another rank.
  struct Come {
    std::uint64_t place = 0;
    std::vector<Arrival> arrivals;
  };
  std::vector<std::vector<Come>> come_;  ///< by rank and class
  std::uint64_t received_ = 0;           ///< keys that came from others
  std::vector<std::unique_ptr<DeviceEvent>> events_;
  PieceSort sort_;
};

}  // namespace bitune::multi
