#include "multi/split/split_sort.hpp"

#include <array>

#include "kernels/network/network_layout.hpp"
#include "multi/laps.hpp"

namespace bitune::multi {

struct SplitSort::Shown {
  RunArrays items;
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
      counts_(plan, terms.lengths),
      come_(terms.lengths.size(), std::vector<Come>(split_launches + 2)),
      sort_(device, *plan.radix, plan.bytes_of_item, stream_) {
  if (memory_.out.keys == nullptr) memory_.out.keys = at(plan.unasked_keys);
}

bool SplitSort::run(MultiResult& result) {
  Laps laps;
  take_samples();
  gather_samples();
  choose_bounds();
  for (const std::size_t number : {0, 1}) store_.copies(number).finish();
  const Shown mine_shown = split();
  std::vector<Shown> all;
  if (terms_.reads_directly) {
    all = all_gather(communicator_, mine_shown);
    for (std::uint64_t launch = 0; launch < split_launches; ++launch) {
      hear(launch, 1);
      if (!counts_.have_room(terms_.results)) return give_up();
      copy(all, launch);
    }
  } else {
    hear(0, split_launches);
    if (!counts_.have_room(terms_.results)) return give_up();
  }
  const auto parts = sorted_parts(counts_.of_all(), terms_.results);
  if (!parts) return give_up();
  if (terms_.reads_directly) {
    copy_cuts(all);
  } else {
    send(mine_shown);
  }
  result.split_us = laps.lap();

  sort_.run(pieces(), (*parts)[me_].skipped, terms_.results[me_],
            {memory_.out, at(plan_.rest_workspace), at(plan_.first_passes), plan_.first_passes_bytes});
  wait_for_all();
  static_cast<void>(all_gather(communicator_, me_));  // what others read here stays until they have
  result.sort_us = laps.lap();
  result.received_bytes = received_ * plan_.bytes_of_item.sum();
  return true;
}

void SplitSort::wait_for_all() {
  communicator_.end_exchanges();  // no longer than the time limit, unlike what follows
  for (const std::size_t number : {0, 1}) store_.copies(number).finish();
  device().synchronize(stream_);
}

bool SplitSort::give_up() {
  wait_for_all();
  return false;
}

void SplitSort::take_samples() {
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
  device().fill(at(plan_.counted), 0, split_launches * plan_.counted_numbers() * sizeof(std::uint64_t),
                stream_);
  device().synchronize(stream_);
}

void SplitSort::gather_samples() {
  constexpr std::uint64_t index_bytes = sizeof(std::uint64_t);
  const std::size_t ranks = terms_.lengths.size();
  if (terms_.reads_directly) {
    struct Samples {
      const std::byte* words;
      const std::byte* indices;
    };
    const auto all = all_gather(communicator_, Samples{at(plan_.words), at(plan_.indices)});
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::uint64_t count = plan_.sampling.counts[rank];
      const std::uint64_t place = plan_.sampling.before(rank);
      if (count == 0) continue;
      device().copy_on_device(at(plan_.all_words + place * plan_.word_bytes), all[rank].words,
                              count * plan_.word_bytes, stream_);
      device().copy_on_device(at(plan_.all_indices + place * index_bytes), all[rank].indices,
                              count * index_bytes, stream_);
    }
    return;
  }
  std::array<ArrayExchange, 2> arrays;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t sent = plan_.sampling.counts[me_];
    const std::uint64_t count = plan_.sampling.counts[rank];
    const std::uint64_t place = plan_.sampling.before(rank);
    arrays[0].send.push_back({at(plan_.words), sent * plan_.word_bytes});
    arrays[0].receive.push_back({at(plan_.all_words + place * plan_.word_bytes), count * plan_.word_bytes});
    arrays[1].send.push_back({at(plan_.indices), sent * index_bytes});
    arrays[1].receive.push_back({at(plan_.all_indices + place * index_bytes), count * index_bytes});
  }
  communicator_.all_to_all(arrays, stream_);
}

void SplitSort::choose_bounds() {
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

SplitSort::Shown SplitSort::split() {
  constexpr std::uint64_t number = sizeof(std::uint64_t);
  const auto sms = static_cast<std::uint64_t>(device().info().sm_count);
  const std::uint64_t of_block = count_threads / static_cast<std::uint64_t>(device().info().warp_size);
  const auto sums = static_cast<std::uint64_t>(2 * 4 * layout::prefix_sum_words(count_threads));
  Shown shown{.items = split_items(0)};
  for (std::uint64_t launch = 0; launch < split_launches; ++launch) {
    const std::uint64_t first = layout::split_launch_begin(plan_.tiles, launch);
    const std::uint64_t tiles = layout::split_launch_begin(plan_.tiles, launch + 1) - first;
    std::byte* const digits = at(plan_.counted + launch * plan_.counted_numbers() * number);
    std::byte* const counts = digits + plan_.digit_numbers() * number;
    std::byte* const tile_counts = at(plan_.tile_counts + first * plan_.classes * sizeof(std::uint32_t));
    std::byte* const bases = at(plan_.tile_bases + first * plan_.classes * number);
    const std::array<std::uint64_t, 8> count = {address_argument(digits),
                                                address_argument(tile_counts),
                                                address_argument(memory_.in.keys),
                                                n(),
                                                first_index(),
                                                address_argument(at(plan_.bounds)),
                                                first,
                                                tiles};
    const std::array<std::uint64_t, 6> place = {
        address_argument(bases), address_argument(counts),      launch,
        plan_.counted_numbers(), address_argument(tile_counts), tiles};
    const std::array<std::uint64_t, 14> split = {address_argument(at(plan_.split_keys)),
                                                 address_argument(at(plan_.split_carried)),
                                                 first * split_tile,
                                                 n(),
                                                 plan_.cut_room,
                                                 address_argument(memory_.in.keys),
                                                 address_argument(memory_.in.carried),
                                                 n(),
                                                 first_index(),
                                                 address_argument(at(plan_.bounds)),
                                                 address_argument(counts),
                                                 address_argument(bases),
                                                 first,
                                                 tiles};
    if (tiles != 0) {
      device_.launch(plan_.count_kernel,
                     split_launch(std::clamp<std::uint64_t>(tiles / of_block, 1, sms), count_threads,
                                  plan_.count_shared_bytes),
                     count, stream_);
      device_.launch(plan_.place_kernel, split_launch(plan_.classes, count_threads, sums), place, stream_);
    }
    counted_events_.push_back(mark(stream_));
    if (tiles != 0) {
      device_.launch(plan_.split_kernel, split_launch(tiles, split_threads, plan_.split_shared_bytes), split,
                     stream_);
    }
    shown.split[launch] = &store_.event(launch);
    device().record(store_.event(launch), stream_);
  }
  return shown;
}

void SplitSort::hear(std::uint64_t launch, std::uint64_t launches) {
  const std::uint64_t numbers = plan_.counted_numbers();
  std::vector<std::uint64_t> mine(launches * numbers);
  const Stream reader = store_.reader();
  device().wait_for(*counted_events_[launch + launches - 1], reader);
  device().copy_to_host(mine.data(), at(plan_.counted + launch * numbers * sizeof(mine[0])),
                        mine.size() * sizeof(mine[0]), reader);
  device().synchronize(reader);
  const std::size_t ranks = terms_.lengths.size();
  std::vector<std::uint64_t> all(ranks * mine.size());
  communicator_.all_gather(mine.data(), all.data(), mine.size() * sizeof(mine[0]));
  counts_.add(launches, all);
}

void SplitSort::copy(const std::vector<Shown>& all, std::uint64_t launch) {
  // Each rank begins with the one behind it, so that they do not all read one.
  for (std::size_t i = 1; i < all.size(); ++i) {
    const std::size_t rank = (me_ + i) % all.size();
    come_[rank][launch] = copy_items(all[rank], counts_.place_of(rank, sure_class(me_), launch),
                                     counts_.of(rank, sure_class(me_), launch), launch);
  }
}

void SplitSort::copy_cuts(const std::vector<Shown>& all) {
  for (std::size_t number = first_class(); number < end_class(); ++number) {
    if (!layout::is_at_cut(number)) continue;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const std::size_t rank = (me_ + i) % all.size();
      come_[rank][cut_turn(number)] = copy_items(all[rank], counts_.place_of(rank, number, 0),
                                                 counts_.of(rank, number), split_launches - 1);
    }
  }
}

/// What of one rank goes to another: nothing where the classes have no such number.
struct SplitSort::Sent {
  std::uint64_t place = 0;
  std::uint64_t n = 0;
};

void SplitSort::send(const Shown& mine) {
  std::vector<ExchangeBeside> exchanges;
  // In each launch those that are surely of a rank; then those at the cut before its keys, and behind them.
  for (std::uint64_t turn = 0; turn < split_launches + 2; ++turn) {
    const bool is_launch = turn < split_launches;
    const auto sent = [&](std::size_t from, std::size_t to) {
      if (is_launch) {
        const std::size_t number = sure_class(to);
        return Sent{counts_.place_of(from, number, turn), counts_.of(from, number, turn)};
      }
      const bool is_before = turn == split_launches;
      if (is_before ? to == 0 : cut_class(to) >= plan_.classes) return Sent{};
      const std::size_t number = cut_class(is_before ? to - 1 : to);
      return Sent{counts_.place_of(from, number, 0), counts_.of(from, number)};
    };
    exchanges.push_back(exchange_of(sent, turn));
    exchanges.back().after = mine.split[is_launch ? turn : split_launches - 1];
  }
  communicator_.begin_exchanges(exchanges);
}

template <class SentOf>
ExchangeBeside SplitSort::exchange_of(const SentOf& sent, std::uint64_t turn) {
  const std::size_t ranks = terms_.lengths.size();
  const std::size_t arrays = plan_.bytes_of_item.carried != 0 ? 2 : 1;
  ExchangeBeside exchange;
  exchange.arrays.resize(arrays);
  events_.push_back(device().create_event());
  exchange.done = events_.back().get();
  const auto add = [&](std::vector<Piece> ArrayExchange::*side, const RunArrays& items, std::uint64_t n) {
    (exchange.arrays[0].*side).push_back({items.keys, n * plan_.bytes_of_item.key});
    if (arrays == 2) (exchange.arrays[1].*side).push_back({items.carried, n * plan_.bytes_of_item.carried});
  };
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const Sent out = rank == me_ ? Sent{} : sent(me_, rank);
    const std::uint64_t out_lead = out.n != 0 ? out.place % sent_alignment : 0;
    add(&ArrayExchange::send, split_items(out.place - out_lead), out.n != 0 ? out.n + out_lead : 0);
    const Sent in = rank == me_ ? Sent{} : sent(rank, me_);
    const std::uint64_t in_lead = in.n != 0 ? in.place % sent_alignment : 0;
    add(&ArrayExchange::receive, come_items(come_end_), in.n != 0 ? in.n + in_lead : 0);
    come_[rank][turn] = {come_end_ + in_lead, in.n != 0 ? exchange.done : nullptr};
    received_ += in.n;
    come_end_ += (in.n + in_lead + sent_alignment - 1) / sent_alignment * sent_alignment;
  }
  return exchange;
}

SplitSort::Come SplitSort::copy_items(const Shown& from, std::uint64_t place, std::uint64_t n,
                                      std::uint64_t launch) {
  Come come{come_end_, nullptr};
  if (n == 0) return come;
  const Stream copies = store_.copies(turn_++ % 2).stream();
  device().wait_for(*from.split[launch], copies);
  plan_.bytes_of_item.copy(device(), come_items(come_end_), plan_.bytes_of_item.at(from.items, place), n,
                           copies);
  come.copied = mark(copies);
  received_ += n;
  come_end_ += n;
  return come;
}

std::vector<SortedPiece> SplitSort::pieces() const {
  const std::size_t ranks = terms_.lengths.size();
  const std::uint64_t counters = plan_.radix->counters();
  std::vector<SortedPiece> pieces;
  // What is here is sorted first, then what comes first.
  const auto add = [&](std::size_t rank, std::size_t number, std::uint64_t launch, std::uint64_t end) {
    SortedPiece& piece = pieces.emplace_back();
    piece.digits.assign(counters, 0);
    for (std::uint64_t i = launch; i < end; ++i) {
      const std::uint64_t* const digits = counts_.digits_of(rank, number, i);
      for (std::uint64_t digit = 0; digit < counters; ++digit) piece.digits[digit] += digits[digit];
      piece.n += counts_.of(rank, number, i);
    }
    if (rank == me_) {
      piece.from = split_items(counts_.place_of(rank, number, launch));
      return;
    }
    const std::uint64_t turn = layout::is_at_cut(number) ? cut_turn(number) : launch;
    piece.from = come_items(come_[rank][turn].place);
    piece.copied = come_[rank][turn].copied;
    piece.turn = 1 + turn * ranks + (rank + ranks - me_) % ranks;
  };
  for (std::size_t number = first_class(); number < end_class(); ++number) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (layout::is_at_cut(number)) {
        add(rank, number, 0, split_launches);
      } else {
        for (std::uint64_t launch = 0; launch < split_launches; ++launch) {
          add(rank, number, launch, launch + 1);
        }
      }
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
