#include "multi/split/split_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "kernels/multi/merge_layout.hpp"
#include "kernels/multi/split_layout.hpp"
#include "multi/exact_cuts.hpp"
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
  std::uint64_t in_place = 0;  ///< the result is written where keys are that are not split yet
  const std::byte* words = nullptr;
  const std::byte* indices = nullptr;
};

struct SplitSort::Done {
  std::array<std::uint64_t, most_classes> counts = {};
  std::array<std::uint64_t, most_classes> begins = {};
  std::uint64_t has_room = 0;
  RunArrays split;
  RunArrays middle;
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
      places_(terms.lengths.size(), 0),
      arrivals_(terms.lengths.size()),
      sort_(device, *plan.radix, plan.rest, plan.bytes_of_item, stream_) {
  if (memory_.out.keys == nullptr) memory_.out.keys = at(plan.unasked_keys);
}

bool SplitSort::run(MultiResult& result) {
  Laps laps;
  const Ready mine = ready();
  const auto all_ready = all_gather(communicator_, mine);
  bool can_begin_early = all_ready.size() == 2;
  for (const Ready& rank : all_ready) {
    // Ranks count for each other, so they count alike.
    if (rank.counters == 0 || rank.counters != mine.counters || rank.counter_bytes != mine.counter_bytes) {
      return false;
    }
    can_begin_early = can_begin_early && rank.in_place == 0;
  }
  choose_bounds(all_ready);
  // With two ranks all that comes is of the other one, so that its beginning has a place before the rest is known.
  const std::uint64_t launches = can_begin_early ? layout::most_split_launches() : 1;
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
  const auto shares = shares_of_cuts(counts_, terms_.results);
  if (!shares) return give_up();
  shares_ = *shares;
  before_ = received_;
  behind_ = before_ + shares_.before[me_];
  result.split_us = laps.lap();

  count_pieces();
  sort_middle();
  bring_middle(all);
  const std::vector<SortedPiece> all_pieces = pieces();
  result.exchange_us = laps.lap();
  sort_.run(all_pieces, result_count(),
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
  mine.in_place = memory_.in.keys == memory_.out.keys ||
                  (memory_.in.carried != nullptr && memory_.in.carried == memory_.out.carried);
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
  mine.middle = middle_items();
  mine.has_room = 1;
  std::uint64_t middle = 0;
  for (std::size_t i = 0; i < plan_.cuts.size() + 1; ++i) {
    mine.begins[i] = words_[split_begins + i];
    // A launch without tiles adds nothing.
    mine.counts[i] = std::max(counts[i], counts_[me_][i]);
    if (mine.counts[i] > words_[split_begins + i + 1] - mine.begins[i]) mine.has_room = 0;
    if (i % 2 == 1) middle += mine.counts[i];
  }
  if (middle > plan_.middle_room) mine.has_room = 0;
  return mine;
}

void SplitSort::copy_sure(const std::vector<Done>& all) {
  const Stream copies = store_.copies().stream();
  const std::size_t ranks = all.size();
  const std::size_t mine = sure_class(me_);
  // All that comes first of a rank lies together: with more than two, all of it is there.
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (rank == me_) continue;
    if (arrivals_[rank].empty()) places_[rank] = received_;
    received_ += all[rank].counts[mine] - count_of(rank, mine);
  }
  // Each rank begins with the one behind it, so that they do not all read one.
  for (std::size_t i = 1; i < ranks; ++i) {
    const std::size_t rank = (me_ + i) % ranks;
    const std::uint64_t there = count_of(rank, mine);
    const std::vector<std::uint64_t> chunks = chunks_of(all[rank].counts[mine] - there, plan_);
    for (std::size_t chunk = 0; chunk + 1 < chunks.size(); ++chunk) {
      plan_.bytes_of_item.copy(
          device(), out_items(places_[rank] + there + chunks[chunk]),
          plan_.bytes_of_item.at(all[rank].split, all[rank].begins[mine] + there + chunks[chunk]),
          chunks[chunk + 1] - chunks[chunk], copies);
      arrivals_[rank].push_back({there + chunks[chunk + 1], mark(copies)});
    }
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::copy_n(all[rank].counts.begin(), counts_[rank].size(), counts_[rank].begin());
  }
}

/// Enqueues counting of all that surely goes to each rank, this one included, beside what follows.
void SplitSort::count_pieces() {
  const Stream beside = store_.stream(RankStore::beside);
  device().fill(at(plan_.counters), 0, (counts_.size() + 2) * sort_.counters_bytes(), beside);
  const DeviceEvent* const cleared = mark(beside);
  for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
    count(class_items(sure_class(rank)), count_of(me_, sure_class(rank)), rank, beside);
  }
  device().wait_for(*cleared, stream_);
}

/// Sorts what this rank has at all cuts: one array, behind which keys are that no key is behind.
void SplitSort::sort_middle() {
  std::uint64_t n = 0;
  for (std::size_t i = 1; i < plan_.cuts.size() + 1; i += 2) {
    const std::uint64_t count = count_of(me_, i);
    plan_.bytes_of_item.copy(device(), plan_.bytes_of_item.at(middle_items(), n), class_items(i), count, stream_);
    n += count;
  }
  const std::uint64_t room = plan_.middle_room;
  if (n < room) {
    const std::array<std::uint64_t, 3> fill = {address_argument(at(plan_.middle_keys)), n, room};
    device_.launch(plan_.fill_kernel, spread_launch(room - n), fill, stream_);
    const std::uint64_t carried = plan_.bytes_of_item.carried;
    device().fill(at(plan_.middle_carried + n * carried), 0, (room - n) * carried, stream_);
  }
  Operands middle;
  middle[Role::keys_out] = {at(plan_.middle_keys), room, room};
  if (plan_.bytes_of_item.carried != 0) middle[Role::values_out] = {at(plan_.middle_carried), room, room};
  middle[Role::workspace] = {at(plan_.rest_workspace), plan_.rest_bytes, 0};
  device_.engine().run(plan_.middle, middle, stream_);
  device().synchronize(stream_);
  static_cast<void>(all_gather(communicator_, me_));  // all have sorted theirs
}

std::vector<std::vector<std::uint64_t>> SplitSort::cut_middle(const std::vector<Done>& all) {
  const std::size_t ranks = all.size();
  Cutting cutting{.lengths = std::vector<std::uint64_t>(ranks, 0),
                  .results = {},
                  .rules = {terms_.spec.key, terms_.spec.order, plan_.bytes_of_item.carried != 0},
                  .samples = samples_of(communicator_.size())};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t cut = 0; cut + 1 < ranks; ++cut) cutting.lengths[rank] += count_of(rank, cut_class(cut));
    cutting.results.push_back(shares_.before[rank] + shares_.behind[rank]);
  }
  if (ranks == 2) {  // each rank looks into both
    const std::uint64_t of_first =
        plan_.merge.find_cut(device_, {all[0].middle, cutting.lengths[0]}, {all[1].middle, cutting.lengths[1]},
                             cutting.results[0], at(plan_.cut_samples), stream_);
    return {{0, 0}, {of_first, cutting.results[0] - of_first}, cutting.lengths};
  }
  const SortedRun run{&device(), at(plan_.middle_keys), {at(plan_.cut_samples), plan_.cut_samples_bytes}};
  return find_cuts(communicator_, cutting, run, stream_);
}

/// Copies what is this rank's on either side of its part.
void SplitSort::bring_middle(const std::vector<Done>& all) {
  const auto cuts = cut_middle(all);
  std::uint64_t before = before_;
  std::uint64_t behind = behind_;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    std::uint64_t border = 0;  // between the cuts before this rank's part, and those behind
    for (std::size_t cut = 0; cut < me_; ++cut) border += count_of(rank, cut_class(cut));
    const std::uint64_t begin = cuts[me_][rank];
    const std::uint64_t end = cuts[me_ + 1][rank];
    border = std::clamp(border, begin, end);
    const auto take = [&](std::uint64_t from, std::uint64_t to, std::uint64_t& place) {
      bring(out_items(place), plan_.bytes_of_item.at(all[rank].middle, from), to - from);
      place += to - from;
      if (rank != me_) received_ += to - from;
    };
    take(begin, border, before);
    take(border, end, behind);
  }
  count(out_items(before_), shares_.before[me_], counts_.size(), stream_);
  count(out_items(behind_), shares_.behind[me_], counts_.size() + 1, stream_);
}

/// Hears of all ranks what they have counted. Waits until this one has.
std::vector<SortedPiece> SplitSort::pieces() {
  const std::size_t ranks = counts_.size();
  const std::uint64_t counters = sort_.counters_bytes();
  std::vector<std::byte> mine((ranks + 2) * counters);
  device().wait_for(*mark(store_.stream(RankStore::beside)), stream_);
  device().copy_to_host(mine.data(), at(plan_.counters), mine.size(), stream_);
  device().synchronize(stream_);
  std::vector<std::byte> all(ranks * mine.size());
  communicator_.all_gather(mine.data(), all.data(), mine.size());
  const auto digits = [&](std::size_t rank, std::size_t slot) {
    return sort_.counts_of(all.data() + rank * mine.size() + slot * counters);
  };
  // In the order of equal keys; what is there already is sorted first, then what comes first.
  std::vector<SortedPiece> pieces;
  const auto add_near = [&](const RunArrays& from, std::uint64_t n, std::size_t slot) {
    pieces.push_back({from, n, digits(me_, slot), {{n, nullptr}}});
  };
  add_near(out_items(before_), shares_.before[me_], ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t n = count_of(rank, sure_class(me_));
    if (rank == me_) {
      add_near(class_items(sure_class(me_)), n, me_);
    } else {
      pieces.push_back({out_items(places_[rank]), n, digits(rank, me_), arrivals_[rank], (rank + ranks - me_) % ranks});
    }
  }
  add_near(out_items(behind_), shares_.behind[me_], ranks + 1);
  return pieces;
}

RunArrays SplitSort::class_items(std::size_t number) const {
  return plan_.bytes_of_item.at(split_items(), words_[split_begins + number]);
}

void SplitSort::bring(const RunArrays& to, const RunArrays& from, std::uint64_t n) {
  if (n == 0) return;
  const auto launch = [&](const KernelSource& kernel, const std::byte* target, const std::byte* source) {
    const std::array<std::uint64_t, 3> arguments = {address_argument(target), address_argument(source), n};
    device_.launch(kernel, spread_launch(n), arguments, stream_);
  };
  launch(plan_.bring_keys_kernel, to.keys, from.keys);
  if (plan_.bytes_of_item.carried != 0) launch(plan_.bring_carried_kernel, to.carried, from.carried);
}

const DeviceEvent* SplitSort::mark(Stream stream) {
  events_.push_back(device().create_event());
  device().record(*events_.back(), stream);
  return events_.back().get();
}

}  // namespace bitune::multi
