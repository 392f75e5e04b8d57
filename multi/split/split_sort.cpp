#include "multi/split/split_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "kernels/multi/merge_layout.hpp"
#include "kernels/multi/split_layout.hpp"
#include "multi/laps.hpp"
#include "multi/rank_plan.hpp"
#include "multi/split/split_launches.hpp"

namespace bitune::multi {
namespace {

constexpr auto most_classes = static_cast<std::size_t>(layout::split_classes(layout::most_split_parts()));
constexpr auto split_begins = static_cast<std::size_t>(layout::split_begins());
/// Keys that a chunk is a multiple of: whole lines of memory.
constexpr std::uint64_t chunk_multiple = 1024;

/// Where the chunks begin of so many keys that are copied, and where the last one ends.
std::vector<std::uint64_t> chunks_of(std::uint64_t n, const SplitPlan& plan) {
  const std::uint64_t bytes = n * plan.bytes_of_item.sum();
  const std::uint64_t chunks = std::clamp<std::uint64_t>(
      std::bit_width(bytes / std::max<std::uint64_t>(plan.least_chunk_bytes, 1)), 1, most_split_chunks);
  std::vector<std::uint64_t> begins;
  for (std::uint64_t i = 0; i < chunks; ++i) {
    begins.push_back(layout::chunk_begin(n, static_cast<unsigned>(i), chunk_multiple));
  }
  begins.push_back(n);
  return begins;
}

}  // namespace

struct SplitSort::Ready {
  std::uint64_t counters = 0;  ///< 0: it can't count so many
  std::uint64_t counter_bytes = 0;
  const std::byte* words = nullptr;
  const std::byte* indices = nullptr;
};

struct SplitSort::Done {
  std::array<std::uint64_t, most_classes> counts = {};
  std::array<std::uint64_t, most_classes> begins = {};
  std::uint64_t has_room = 0;
  RunArrays split;
};

SplitSort::SplitSort(RankDevice& device, RankStore& store, Communicator& communicator, const Terms& terms,
                     const SplitPlan& plan, const Memory& memory)
    : device_(device),
      store_(store),
      communicator_(communicator),
      terms_(terms),
      plan_(plan),
      memory_(memory),
      stream_(store.stream(RankStore::own)),
      me_(static_cast<std::size_t>(communicator.rank())),
      counts_(terms.lengths.size(), ClassCounts(plan.cuts.size() + 1, 0)),
      come_(terms.lengths.size(), std::vector<Come>(plan.cuts.size() + 1)),
      sort_(device, *plan.radix, plan.bytes_of_item, stream_) {
  if (memory_.out.keys == nullptr) memory_.out.keys = at(plan.unasked_keys);
}

bool SplitSort::run(MultiResult& result) {
  Laps laps;
  const Ready mine = ready();
  const auto all_ready = all_gather(communicator_, mine);
  for (const Ready& rank : all_ready) {
    // Ranks count for each other, so they count alike.
    if (rank.counters == 0 || rank.counters != mine.counters || rank.counter_bytes != mine.counter_bytes) {
      return false;
    }
  }
  choose_bounds(all_ready);
  // With two ranks all that comes is of the other one, so that its beginning has a place before the rest is
  // known.
  const std::uint64_t launches = all_ready.size() == 2 ? layout::most_split_launches() : 1;
  split(launches);
  store_.copies().begin();
  std::vector<Done> all;
  for (std::uint64_t launch = 0; launch < launches; ++launch) {
    all = all_gather(communicator_, done(launch));
    const bool have_room =
        std::all_of(all.begin(), all.end(), [](const Done& rank) { return rank.has_room != 0; });
    if (!have_room) return give_up();
    copy_sure(all);
  }
  const auto parts = sorted_parts(counts_, terms_.results);
  if (!parts) return give_up();
  for (std::size_t rank = 0; rank < parts->size(); ++rank) {
    const std::uint64_t room = sorted_room(plan_.sampling, plan_.cuts, rank, terms_.results[rank]);
    if ((*parts)[rank].keys > room) return give_up();
  }
  copy_cuts(all);
  result.split_us = laps.lap();

  count_classes();
  const std::vector<SortedPiece> all_pieces = pieces();
  result.exchange_us = laps.lap();
  sort_.run(all_pieces, (*parts)[me_].skipped, terms_.results[me_],
            {memory_.out, at(plan_.rest_workspace), at(plan_.first_passes), plan_.first_passes_bytes});
  device().synchronize(stream_);
  static_cast<void>(all_gather(communicator_, me_));  // what others read here stays until they have
  result.sort_us = laps.lap();
  result.received_bytes = received_ * plan_.bytes_of_item.sum();
  return true;
}

/// Waits for what it has begun.
bool SplitSort::give_up() {
  store_.copies().begin();
  device().synchronize(stream_);
  return false;
}

/// Takes samples.
SplitSort::Ready SplitSort::ready() {
  Ready mine;
  // A counter is for the keys that a rank gets. It may have more than these to count.
  const bool counts_all = plan_.radix->counter_bytes() == 8 || n() <= std::numeric_limits<std::uint32_t>::max();
  mine.counters = counts_all ? plan_.radix->counters() : 0;
  mine.counter_bytes = plan_.radix->counter_bytes();
  mine.words = at(plan_.words);
  mine.indices = at(plan_.indices);
  const std::uint64_t count = plan_.sampling.counts[me_];
  if (count != 0) {
    const std::array<std::uint64_t, 6> arguments = {address_argument(at(plan_.words)),
                                                    address_argument(at(plan_.indices)),
                                                    address_argument(memory_.in.keys),
                                                    count,
                                                    plan_.sampling.spacing,
                                                    Terms::before(terms_.lengths, communicator_.rank())};
    device_.launch(plan_.sample_kernel, spread_launch(count), arguments, stream_);
  }
  // Where the cuts are among the samples is known before.
  words_.assign(layout::split_words(), 0);
  for (std::size_t i = 0; i < plan_.cuts.size(); ++i) words_[2 * i + 1] = plan_.cuts[i];
  device().copy_to_device(at(plan_.split), words_.data(), words_.size() * sizeof(std::uint64_t), stream_);
  device().fill(at(plan_.told), 0, plan_.told_bytes, stream_);
  device().synchronize(stream_);
  return mine;
}

void SplitSort::choose_bounds(const std::vector<Ready>& all) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::uint64_t count = plan_.sampling.counts[rank];
    if (count == 0) continue;
    const std::uint64_t place = plan_.sampling.before(rank);
    device().copy_on_device(at(plan_.all_words + place * plan_.word_bytes), all[rank].words,
                            count * plan_.word_bytes, stream_);
    device().copy_on_device(at(plan_.all_indices + place * sizeof(std::uint64_t)), all[rank].indices,
                            count * sizeof(std::uint64_t), stream_);
  }
  const std::uint64_t samples = plan_.samples.n;
  if (samples > 1) {
    Operands sorted;
    sorted[Role::keys_out] = {at(plan_.all_words), samples, samples};
    sorted[Role::values_out] = {at(plan_.all_indices), samples, samples};
    sorted[Role::workspace] = {at(plan_.rest_workspace), plan_.rest_bytes, 0};
    device_.engine().run(plan_.samples, sorted, stream_);
  }
  const std::array<std::uint64_t, 9> bounds = {address_argument(at(plan_.split)),
                                               address_argument(at(plan_.all_words)),
                                               address_argument(at(plan_.all_indices)),
                                               samples,
                                               address_argument(at(plan_.words)),
                                               address_argument(at(plan_.indices)),
                                               plan_.sampling.counts[me_],
                                               plan_.sampling.spacing,
                                               plan_.room};
  device_.launch(plan_.bounds_kernel, split_launch(1, bounds_threads, 4 * most_classes), bounds, stream_);
}

void SplitSort::split(std::uint64_t launches) {
  const std::uint64_t tiles = (n() + plan_.tile - 1) / plan_.tile;
  std::uint64_t begin = 0;
  for (std::uint64_t launch = 0; launch < launches; ++launch) {
    const std::uint64_t end = tiles * (launch + 1) / launches;
    std::byte* const counts = at(plan_.class_counts + launch * most_classes * sizeof(std::uint64_t));
    const std::array<std::uint64_t, 11> arguments = {address_argument(at(plan_.split_keys)),
                                                     address_argument(at(plan_.split_carried)),
                                                     address_argument(memory_.in.keys),
                                                     address_argument(memory_.in.carried),
                                                     n(),
                                                     Terms::before(terms_.lengths, communicator_.rank()),
                                                     address_argument(at(plan_.split)),
                                                     address_argument(at(plan_.ticket)),
                                                     address_argument(at(plan_.tile_states)),
                                                     end,
                                                     address_argument(counts)};
    if (begin != end) {
      device_.launch(plan_.split_kernel, split_launch(end - begin, tile_threads, plan_.tile_shared_bytes),
                     arguments, stream_);
    }
    begin = end;
    split_.push_back(mark(stream_));
  }
}

SplitSort::Done SplitSort::done(std::uint64_t launch) {
  const Stream reader = store_.stream(RankStore::beside);
  device().wait_for(*split_[launch], reader);
  std::array<std::uint64_t, most_classes> counts = {};
  device().copy_to_host(counts.data(), at(plan_.class_counts + launch * sizeof(counts)), sizeof(counts), reader);
  if (launch == 0) {
    device().copy_to_host(words_.data(), at(plan_.split), words_.size() * sizeof(std::uint64_t), reader);
  }
  device().synchronize(reader);
  Done mine;
  mine.split = split_items();
  mine.has_room = 1;
  for (std::size_t i = 0; i < plan_.cuts.size() + 1; ++i) {
    mine.begins[i] = words_[split_begins + i];
    // A launch without tiles adds nothing.
    mine.counts[i] = std::max(counts[i], counts_[me_][i]);
    if (mine.counts[i] > words_[split_begins + i + 1] - mine.begins[i]) mine.has_room = 0;
  }
  return mine;
}

void SplitSort::copy_sure(const std::vector<Done>& all) {
  const std::size_t ranks = all.size();
  const std::size_t mine = sure_class(me_);
  // Each rank begins with the one behind it, so that they do not all read one.
  for (std::size_t i = 1; i < ranks; ++i) {
    const std::size_t rank = (me_ + i) % ranks;
    copy(all[rank], rank, mine, count_of(rank, mine), all[rank].counts[mine]);
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::copy_n(all[rank].counts.begin(), counts_[rank].size(), counts_[rank].begin());
  }
}

void SplitSort::copy_cuts(const std::vector<Done>& all) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (rank == me_) continue;
    if (me_ != 0) copy(all[rank], rank, cut_class(me_ - 1), 0, count_of(rank, cut_class(me_ - 1)));
    if (me_ + 1 != all.size()) copy(all[rank], rank, cut_class(me_), 0, count_of(rank, cut_class(me_)));
  }
}

void SplitSort::copy(const Done& from, std::size_t rank, std::size_t number, std::uint64_t begin,
                     std::uint64_t end) {
  const Stream copies = store_.copies().stream();
  Come& come = come_[rank][number];
  if (come.arrivals.empty()) come.place = received_;
  received_ += end - begin;
  const std::vector<std::uint64_t> chunks = chunks_of(end - begin, plan_);
  for (std::size_t chunk = 0; chunk + 1 < chunks.size(); ++chunk) {
    const std::uint64_t first = begin + chunks[chunk];
    plan_.bytes_of_item.copy(device(), come_items(come.place + first),
                             plan_.bytes_of_item.at(from.split, from.begins[number] + first),
                             chunks[chunk + 1] - chunks[chunk], copies);
    come.arrivals.push_back({begin + chunks[chunk + 1], mark(copies)});
  }
}

/// Enqueues counting of each class: other ranks want it, too.
void SplitSort::count_classes() {
  const std::uint64_t bytes = sort_.counters_bytes();
  device().fill(at(plan_.counters), 0, counts_[me_].size() * bytes, stream_);
  for (std::size_t i = 0; i < counts_[me_].size(); ++i) {
    sort_.count(class_items(i), count_of(me_, i), at(plan_.counters + i * bytes));
  }
}

/// Hears of all ranks what they have counted. Waits until this one has.
std::vector<SortedPiece> SplitSort::pieces() {
  const std::size_t ranks = counts_.size();
  const std::size_t classes = counts_[me_].size();
  const std::uint64_t counters = sort_.counters_bytes();
  std::vector<std::byte> mine(classes * counters);
  device().copy_to_host(mine.data(), at(plan_.counters), mine.size(), stream_);
  device().synchronize(stream_);
  std::vector<std::byte> all(ranks * mine.size());
  communicator_.all_gather(mine.data(), all.data(), mine.size());
  // In the order of equal keys. What is here is sorted first, then what comes first.
  std::vector<SortedPiece> pieces;
  const std::size_t end = std::min(cut_class(me_) + 1, classes);
  for (std::size_t number = me_ == 0 ? 0 : cut_class(me_ - 1); number < end; ++number) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      SortedPiece& piece = pieces.emplace_back();
      piece.n = count_of(rank, number);
      piece.digits = sort_.counts_of(all.data() + rank * mine.size() + number * counters);
      if (rank == me_) {
        piece.from = class_items(number);
        piece.arrivals.push_back({piece.n, nullptr});
        continue;
      }
      piece.from = come_items(come_[rank][number].place);
      piece.arrivals = come_[rank][number].arrivals;
      piece.turn = (number == sure_class(me_) ? 0 : ranks) + (rank + ranks - me_) % ranks;
    }
  }
  return pieces;
}

RunArrays SplitSort::class_items(std::size_t number) const {
  return plan_.bytes_of_item.at(split_items(), words_[split_begins + number]);
}

const DeviceEvent* SplitSort::mark(Stream stream) {
  events_.push_back(device().create_event());
  device().record(*events_.back(), stream);
  return events_.back().get();
}

}  // namespace bitune::multi
