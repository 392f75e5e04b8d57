#include "multi/split/split_sort.hpp"

#include <array>

#include "kernels/network/network_layout.hpp"
#include "multi/laps.hpp"

namespace bitune::multi {
struct SplitSort::Ready {
  std::uint64_t counters = 0;
  const std::byte* words = nullptr;
  const std::byte* indices = nullptr;
};

struct SplitSort::Shown {
  RunArrays items;
  std::array<std::uint64_t, most_classes> begins = {};
  std::array<const DeviceEvent*, split_launches> split = {};
};

SplitSort::SplitSort(RankDevice& device, RankStore& store, Communicator& communicator, const Terms& terms,
                     const SplitPlan& plan, const Memory& memory)
    : device_(device),
      store_(store),
      communicator_(communicator),
      terms_(terms),
      plan_(plan),
      memory_(memory),
      stream_(store.stream()),
      me_(static_cast<std::size_t>(communicator.rank())),
      come_(terms.lengths.size(), std::vector<Come>(plan.classes)),
      sort_(device, *plan.radix, plan.bytes_of_item, stream_) {
  if (memory_.out.keys == nullptr) memory_.out.keys = at(plan.unasked_keys);
}

bool SplitSort::run(MultiResult& result) {
  Laps laps;
  const Ready mine = ready();
  const auto all_ready = all_gather(communicator_, mine);
  // Ranks count for each other, so they count alike.
  const bool are_alike = std::all_of(all_ready.begin(), all_ready.end(),
                                     [&](const Ready& rank) { return rank.counters == mine.counters; });
  if (!are_alike) return false;
  choose_bounds(all_ready);
  count();
  std::vector<ClassCounts> counts(terms_.lengths.size());
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    for (std::size_t i = 0; i < plan_.classes; ++i) counts[rank].push_back(count_of(rank, i));
  }
  const auto parts = sorted_parts(counts, terms_.results);
  if (!parts) return false;
  for (std::size_t rank = 0; rank < parts->size(); ++rank) {
    const std::uint64_t room = sorted_room(plan_.sampling, plan_.cuts, rank, terms_.results[rank]);
    if ((*parts)[rank].keys > room) return false;
  }
  result.split_us = laps.lap();

  for (const std::size_t number : {0, 1}) store_.copies(number).begin();
  const Shown shown = split();
  copy(all_gather(communicator_, shown));
  result.exchange_us = laps.lap();
  sort_.run(pieces(), (*parts)[me_].skipped, terms_.results[me_],
            {memory_.out, at(plan_.rest_workspace), at(plan_.first_passes), plan_.first_passes_bytes});
  for (const std::size_t number : {0, 1}) store_.copies(number).begin();
  device().synchronize(stream_);
  static_cast<void>(all_gather(communicator_, me_));  // what others read here stays until they have
  result.sort_us = laps.lap();
  result.received_bytes = received_ * plan_.bytes_of_item.sum();
  return true;
}

/// Takes samples.
SplitSort::Ready SplitSort::ready() {
  const std::uint64_t count = plan_.sampling.counts[me_];
  if (count != 0) {
    constexpr std::uint64_t most_blocks = 256;
    const std::array<std::uint64_t, 6> arguments = {address_argument(at(plan_.words)),
                                                    address_argument(at(plan_.indices)),
                                                    address_argument(memory_.in.keys),
                                                    count,
                                                    plan_.sampling.spacing,
                                                    first_index()};
    device_.launch(
        plan_.sample_kernel,
        split_launch(std::clamp<std::uint64_t>(count / sample_threads, 1, most_blocks), sample_threads),
        arguments, stream_);
  }
  device().copy_to_device(at(plan_.chosen), plan_.cuts.data(), plan_.cuts.size() * sizeof(plan_.cuts[0]),
                          stream_);
  device().fill(at(plan_.counted), 0, plan_.counted_numbers() * sizeof(std::uint64_t), stream_);
  device().synchronize(stream_);
  return {plan_.radix->counters(), at(plan_.words), at(plan_.indices)};
}

void SplitSort::choose_bounds(const std::vector<Ready>& all) {
  constexpr std::uint64_t index_bytes = sizeof(std::uint64_t);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::uint64_t count = plan_.sampling.counts[rank];
    if (count == 0) continue;
    const std::uint64_t place = plan_.sampling.before(rank);
    device().copy_on_device(at(plan_.all_words + place * plan_.word_bytes), all[rank].words,
                            count * plan_.word_bytes, stream_);
    device().copy_on_device(at(plan_.all_indices + place * index_bytes), all[rank].indices,
                            count * index_bytes, stream_);
  }
  const std::uint64_t samples = plan_.samples.n;
  if (samples > 1) {
    Operands sorted;
    sorted[Role::keys_out] = {at(plan_.all_words), samples, samples};
    sorted[Role::values_out] = {at(plan_.all_indices), samples, samples};
    sorted[Role::workspace] = {at(plan_.rest_workspace), plan_.rest_bytes, 0};
    device_.engine().run(plan_.samples, sorted, stream_);
  }
  const std::array<std::uint64_t, 6> arguments = {
      address_argument(at(plan_.bounds)),      address_argument(at(plan_.all_words)),
      address_argument(at(plan_.all_indices)), samples,
      address_argument(at(plan_.chosen)),      plan_.cuts.size()};
  device_.launch(plan_.bounds_kernel, split_launch(1, bounds_threads), arguments, stream_);
}

void SplitSort::count() {
  std::vector<std::uint64_t> mine(plan_.counted_numbers(), 0);
  if (plan_.tiles != 0) {
    const auto sms = static_cast<std::uint64_t>(device().info().sm_count);
    const std::uint64_t of_block = count_threads / static_cast<std::uint64_t>(device().info().warp_size);
    const std::array<std::uint64_t, 7> count = {address_argument(at(plan_.counted)),
                                                address_argument(at(plan_.tile_counts)),
                                                address_argument(memory_.in.keys),
                                                n(),
                                                first_index(),
                                                address_argument(at(plan_.bounds)),
                                                plan_.tiles};
    device_.launch(plan_.count_kernel,
                   split_launch(std::clamp<std::uint64_t>(plan_.tiles / of_block, 1, sms), count_threads,
                                plan_.count_shared_bytes),
                   count, stream_);
    std::byte* const begun = at(plan_.counted + plan_.digit_numbers() * sizeof(std::uint64_t));
    const std::array<std::uint64_t, 4> place = {address_argument(at(plan_.tile_bases)),
                                                address_argument(begun),
                                                address_argument(at(plan_.tile_counts)), plan_.tiles};
    const auto sums = static_cast<std::uint64_t>(2 * 4 * layout::prefix_sum_words(count_threads));
    device_.launch(plan_.place_kernel, split_launch(plan_.classes, count_threads, sums), place, stream_);
    device().copy_to_host(mine.data(), at(plan_.counted), mine.size() * sizeof(mine[0]), stream_);
    device().synchronize(stream_);
  }
  counted_.resize(terms_.lengths.size() * mine.size());
  communicator_.all_gather(mine.data(), counted_.data(), mine.size() * sizeof(mine[0]));
}

SplitSort::Shown SplitSort::split() {
  constexpr auto multiple = static_cast<std::uint64_t>(layout::split_class_items());
  Shown shown{.items = split_items(0)};
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < plan_.classes; ++i) {
    begins_.push_back(begin);
    shown.begins[i] = begin;
    begin += (count_of(me_, i) + multiple - 1) / multiple * multiple;
  }
  device().copy_to_device(at(plan_.class_begins), begins_.data(), begins_.size() * sizeof(begins_[0]),
                          stream_);
  for (std::uint64_t launch = 0; launch < split_launches; ++launch) {
    const std::uint64_t first = layout::split_launch_begin(plan_.tiles, launch);
    const std::uint64_t end = layout::split_launch_begin(plan_.tiles, launch + 1);
    const std::array<std::uint64_t, 11> arguments = {address_argument(at(plan_.split_keys)),
                                                     address_argument(at(plan_.split_carried)),
                                                     address_argument(memory_.in.keys),
                                                     address_argument(memory_.in.carried),
                                                     n(),
                                                     first_index(),
                                                     address_argument(at(plan_.bounds)),
                                                     address_argument(at(plan_.class_begins)),
                                                     address_argument(at(plan_.tile_bases)),
                                                     first,
                                                     plan_.tiles};
    if (first != end) {
      device_.launch(plan_.split_kernel, split_launch(end - first, split_threads, plan_.split_shared_bytes),
                     arguments, stream_);
    }
    shown.split[launch] = &store_.event(launch);
    device().record(store_.event(launch), stream_);
  }
  return shown;
}

void SplitSort::copy(const std::vector<Shown>& all) {
  const std::size_t ranks = all.size();
  for (std::size_t i = 1; i < ranks; ++i) {
    const std::size_t rank = (me_ + i) % ranks;
    for (std::size_t number = first_class(); number < end_class(); ++number) {
      come_[rank][number].place = received_;
      received_ += count_of(rank, number);
    }
  }
  // In two streams in turn: one copy begins while the other one runs.
  std::size_t turn = 0;
  const auto bring = [&](std::size_t rank, std::size_t number, std::uint64_t begin, std::uint64_t end,
                         const DeviceEvent* split) {
    if (begin == end) return;
    Come& come = come_[rank][number];
    const Stream copies = store_.copies(turn++ % 2).stream();
    device().wait_for(*split, copies);
    plan_.bytes_of_item.copy(device(), come_items(come.place + begin),
                             plan_.bytes_of_item.at(all[rank].items, all[rank].begins[number] + begin),
                             end - begin, copies);
    come.arrivals.push_back({end, mark(copies)});
  };
  // Each rank begins with the one behind it, so that they do not all read one. What is near cuts is little,
  // and comes last.
  for (std::uint64_t launch = 0; launch < split_launches; ++launch) {
    for (std::size_t i = 1; i < ranks; ++i) {
      const std::size_t rank = (me_ + i) % ranks;
      bring(rank, sure_class(me_), begun(rank, sure_class(me_), launch),
            begun(rank, sure_class(me_), launch + 1), all[rank].split[launch]);
    }
  }
  for (std::size_t i = 1; i < ranks; ++i) {
    const std::size_t rank = (me_ + i) % ranks;
    for (std::size_t number = first_class(); number < end_class(); ++number) {
      if (number != sure_class(me_)) bring(rank, number, 0, count_of(rank, number), all[rank].split.back());
    }
  }
}

std::vector<SortedPiece> SplitSort::pieces() const {
  const std::size_t ranks = terms_.lengths.size();
  std::vector<SortedPiece> pieces;
  for (std::size_t number = first_class(); number < end_class(); ++number) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      SortedPiece& piece = pieces.emplace_back();
      piece.n = count_of(rank, number);
      const auto digits = counted_.begin() + static_cast<std::ptrdiff_t>(rank * plan_.counted_numbers() +
                                                                         number * plan_.radix->counters());
      piece.digits.assign(digits, digits + static_cast<std::ptrdiff_t>(plan_.radix->counters()));
      if (rank == me_) {
        piece.from = split_items(begins_[number]);
        piece.arrivals.push_back({piece.n, nullptr});
        continue;
      }
      piece.from = come_items(come_[rank][number].place);
      piece.arrivals = come_[rank][number].arrivals;
      // What is here is sorted first, then what comes first.
      piece.turn = (number == sure_class(me_) ? 0 : ranks) + (rank + ranks - me_) % ranks;
    }
  }
  return pieces;
}

const DeviceEvent* SplitSort::mark(Stream stream) {
  events_.push_back(device().create_event());
  device().record(*events_.back(), stream);
  return events_.back().get();
}

}  // namespace bitune::multi
