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

constexpr layout::SplitWords split_words = layout::split_words();
constexpr auto most_classes = static_cast<std::size_t>(layout::split_classes(layout::most_split_parts()));
/// Keys that a chunk is a multiple of: whole lines of memory.
constexpr std::uint64_t chunk_multiple = 1024;

/// Which pieces have counters: what goes to each rank in each chunk, and what comes of the cuts.
constexpr std::uint64_t slot_of(std::size_t rank, std::size_t chunk) { return rank * most_split_chunks + chunk; }

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
  RunArrays middle;
};

SplitSort::SplitSort(RankDevice& device, RankStore& store, Communicator& communicator, const Terms& terms,
                     const SplitPlan& plan, const Memory& memory, Stream stream)
    : device_(device),
      store_(store),
      communicator_(communicator),
      terms_(terms),
      plan_(plan),
      memory_(memory),
      stream_(stream),
      me_(static_cast<std::size_t>(communicator.rank())),
      sort_(device, store.copies(), *plan.radix, plan.rest, plan.bytes_of_item, stream) {
  if (memory_.out.keys == nullptr) memory_.out.keys = at(plan.unasked_keys);
}

bool SplitSort::run(MultiResult& result) {
  Laps laps;
  const Ready mine = ready();
  const auto all_ready = all_gather(communicator_, mine);
  // Ranks count for each other, so they count alike.
  const bool are_alike = std::all_of(all_ready.begin(), all_ready.end(), [&](const Ready& rank) {
    return rank.counters != 0 && rank.counters == mine.counters && rank.counter_bytes == mine.counter_bytes;
  });
  if (!are_alike) return false;
  split(all_ready);
  const auto all = all_gather(communicator_, done());
  for (const Done& rank : all) counts_.emplace_back(rank.counts.begin(), rank.counts.end());
  const auto shares = shares_of_cuts(counts_, terms_.results);
  const bool have_room = std::all_of(all.begin(), all.end(), [](const Done& rank) { return rank.has_room != 0; });
  if (!shares || !have_room) return false;
  shares_ = *shares;
  result.split_us = laps.lap();

  store_.copies().begin();
  copy_sure(all);
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
  words_.assign(split_words.all, 0);
  for (std::size_t i = 0; i < plan_.cuts.size(); ++i) words_[2 * i + 1] = plan_.cuts[i];
  device().copy_to_device(at(plan_.split), words_.data(), words_.size() * sizeof(std::uint64_t), stream_);
  device().fill(at(plan_.ticket), 0, plan_.told_bytes, stream_);
  device().synchronize(stream_);
  return mine;
}

void SplitSort::split(const std::vector<Ready>& all) {
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
  if (n() == 0) return;
  const std::array<std::uint64_t, 9> keys = {address_argument(at(plan_.split_keys)),
                                             address_argument(at(plan_.split_carried)),
                                             address_argument(memory_.in.keys),
                                             address_argument(memory_.in.carried),
                                             n(),
                                             Terms::before(terms_.lengths, communicator_.rank()),
                                             address_argument(at(plan_.split)),
                                             address_argument(at(plan_.ticket)),
                                             address_argument(at(plan_.ticket + piece_alignment))};
  device_.launch(plan_.split_kernel,
                 split_launch((n() + plan_.tile - 1) / plan_.tile, split_threads, plan_.tile_shared_bytes),
                 keys, stream_);
}

/// Waits until the keys are split.
SplitSort::Done SplitSort::done() {
  device().copy_to_host(words_.data(), at(plan_.split), words_.size() * sizeof(std::uint64_t), stream_);
  device().synchronize(stream_);
  Done mine;
  mine.split = split_items();
  mine.middle = middle_items();
  mine.has_room = 1;
  std::uint64_t middle = 0;
  const std::size_t classes = plan_.cuts.size() + 1;
  for (std::size_t i = 0; i < classes; ++i) {
    const auto begins = words_.begin() + static_cast<std::ptrdiff_t>(split_words.begins + i);
    mine.begins[i] = begins[0];
    mine.counts[i] = words_[split_words.counts + i];
    if (mine.counts[i] > begins[1] - begins[0]) mine.has_room = 0;
    if (i % 2 == 1) middle += mine.counts[i];
  }
  if (middle > plan_.middle_room) mine.has_room = 0;
  return mine;
}

std::vector<std::uint64_t> SplitSort::chunks_of(std::uint64_t n) const {
  const std::uint64_t bytes = n * plan_.bytes_of_item.sum();
  const auto chunks =
      std::clamp<std::uint64_t>(std::bit_width(bytes / std::max<std::uint64_t>(plan_.least_chunk_bytes, 1)), 1,
                                most_split_chunks);
  std::vector<std::uint64_t> begins;
  for (std::uint64_t i = 0; i < chunks; ++i) {
    begins.push_back(layout::chunk_begin(n, static_cast<unsigned>(i), chunk_multiple));
  }
  begins.push_back(n);
  return begins;
}

/// Enqueues copies of what surely comes from other ranks, beside all else.
void SplitSort::copy_sure(const std::vector<Done>& all) {
  ChunkCopies& copies = store_.copies();
  const std::size_t ranks = all.size();
  sure_begins_.assign(1, shares_.before[me_]);
  for (const ClassCounts& of_rank : counts_) {
    sure_begins_.push_back(sure_begins_.back() + of_rank[sure_class(me_)]);
  }
  // Each rank begins with the one behind it, so that they do not all read one.
  for (std::size_t i = 1; i < ranks; ++i) {
    const std::size_t rank = (me_ + i) % ranks;
    received_ += counts_[rank][sure_class(me_)];
    const std::vector<std::uint64_t> chunks = chunks_of(counts_[rank][sure_class(me_)]);
    for (std::size_t chunk = 0; chunk + 1 < chunks.size(); ++chunk) {
      const RunArrays from = plan_.bytes_of_item.at(all[rank].split,
                                                    all[rank].begins[sure_class(me_)] + chunks[chunk]);
      copy(out_items(sure_begins_[rank] + chunks[chunk]), from, chunks[chunk + 1] - chunks[chunk],
           copies.stream());
      copies.mark(slot_of(rank, chunk));
    }
  }
}

/// Enqueues counting of all that surely goes to each rank, this one included.
void SplitSort::count_pieces() {
  device().fill(at(plan_.counters), 0, (counts_.size() * most_split_chunks + 2) * sort_.counters_bytes(),
                stream_);
  for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
    const std::uint64_t n = counts_[me_][sure_class(rank)];
    const std::vector<std::uint64_t> chunks = rank == me_ ? std::vector<std::uint64_t>{0, n} : chunks_of(n);
    for (std::size_t chunk = 0; chunk + 1 < chunks.size(); ++chunk) {
      count(plan_.bytes_of_item.at(class_items(sure_class(rank)), chunks[chunk]),
            chunks[chunk + 1] - chunks[chunk], slot_of(rank, chunk));
    }
  }
}

/// Sorts what this rank has at all cuts: one array, behind which keys are that no key is behind.
void SplitSort::sort_middle() {
  std::uint64_t n = 0;
  for (std::size_t i = 1; i < plan_.cuts.size() + 1; i += 2) {
    const std::uint64_t count = counts_[me_][i];
    copy(plan_.bytes_of_item.at(middle_items(), n), class_items(i), count, stream_);
    n += count;
  }
  const std::uint64_t room = plan_.middle_room;
  const std::array<std::uint64_t, 3> fill = {address_argument(at(plan_.middle_keys)), n, room};
  if (n < room) {
    device_.launch(plan_.fill_kernel, spread_launch(room - n), fill, stream_);
    device().fill(at(plan_.middle_carried + n * plan_.bytes_of_item.carried), 0, (room - n) * plan_.bytes_of_item.carried,
                  stream_);
  }
  Operands middle;
  middle[Role::keys_out] = {at(plan_.middle_keys), room, room};
  if (plan_.bytes_of_item.carried != 0) middle[Role::values_out] = {at(plan_.middle_carried), room, room};
  middle[Role::workspace] = {at(plan_.rest_workspace), plan_.rest_bytes, 0};
  device_.engine().run(plan_.middle, middle, stream_);
  device().synchronize(stream_);
  static_cast<void>(all_gather(communicator_, me_));  // all have sorted theirs
}

/// Finds the cuts, and copies what is this rank's on either side of its part.
void SplitSort::bring_middle(const std::vector<Done>& all) {
  const std::size_t ranks = all.size();
  Cutting cutting{.lengths = std::vector<std::uint64_t>(ranks, 0),
                  .results = {},
                  .rules = {terms_.spec.key, terms_.spec.order, plan_.bytes_of_item.carried != 0},
                  .samples = samples_of(communicator_.size())};
  std::vector<std::uint64_t> of_cuts_before(ranks, 0);  // of each rank, at cuts before this rank's part
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t cut = 0; cut + 1 < ranks; ++cut) {
      cutting.lengths[rank] += counts_[rank][cut_class(cut)];
      if (cut < me_) of_cuts_before[rank] += counts_[rank][cut_class(cut)];
    }
    cutting.results.push_back(shares_.before[rank] + shares_.behind[rank]);
  }
  const SortedRun run{&device(), at(plan_.middle_keys), {at(plan_.cut_samples), plan_.cut_samples_bytes}};
  const auto cuts = find_cuts(communicator_, cutting, run, stream_);
  std::uint64_t before = 0;
  std::uint64_t behind = sure_begins_.back();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t begin = cuts[me_][rank];
    const std::uint64_t end = cuts[me_ + 1][rank];
    const std::uint64_t border = std::clamp(of_cuts_before[rank], begin, end);
    const auto bring = [&](std::uint64_t from, std::uint64_t to, std::uint64_t& place) {
      copy(out_items(place), plan_.bytes_of_item.at(all[rank].middle, from), to - from, stream_);
      place += to - from;
      if (rank != me_) received_ += to - from;
    };
    bring(begin, border, before);
    bring(border, end, behind);
  }
  const std::uint64_t slot = slot_of(ranks, 0);
  count(out_items(0), shares_.before[me_], slot);
  count(out_items(sure_begins_.back()), shares_.behind[me_], slot + 1);
}

/// Hears of all ranks what they have counted. Waits until this one has.
std::vector<SortedPiece> SplitSort::pieces() {
  const std::size_t ranks = counts_.size();
  const std::uint64_t counters = sort_.counters_bytes();
  std::vector<std::byte> mine((ranks * most_split_chunks + 2) * counters);
  device().copy_to_host(mine.data(), at(plan_.counters), mine.size(), stream_);
  device().synchronize(stream_);
  std::vector<std::byte> all(ranks * mine.size());
  communicator_.all_gather(mine.data(), all.data(), mine.size());
  const auto digits = [&](std::size_t rank, std::uint64_t slot) {
    return sort_.counts_of(all.data() + rank * mine.size() + slot * counters);
  };
  std::vector<SortedPiece> pieces;
  const std::uint64_t slot = slot_of(ranks, 0);
  pieces.push_back({out_items(0), shares_.before[me_], digits(me_, slot)});
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t n = counts_[rank][sure_class(me_)];
    if (rank == me_) {
      pieces.push_back({class_items(sure_class(me_)), n, digits(me_, slot_of(me_, 0))});
      continue;
    }
    const std::uint64_t first_turn = 1 + (rank + ranks - me_) % ranks * most_split_chunks;
    const std::vector<std::uint64_t> chunks = chunks_of(n);
    for (std::size_t chunk = 0; chunk + 1 < chunks.size(); ++chunk) {
      pieces.push_back({out_items(sure_begins_[rank] + chunks[chunk]), chunks[chunk + 1] - chunks[chunk],
                        digits(rank, slot_of(me_, chunk)), first_turn + chunk, true, slot_of(rank, chunk)});
    }
  }
  pieces.push_back({out_items(sure_begins_.back()), shares_.behind[me_], digits(me_, slot + 1)});
  return pieces;
}

RunArrays SplitSort::class_items(std::size_t number) const {
  return plan_.bytes_of_item.at(split_items(), words_[split_words.begins + number]);
}

}  // namespace bitune::multi
