#include "multi/exact_cuts.hpp"

#include <algorithm>

#include "model/key_type.hpp"

namespace bitune::multi {
namespace {

/// Keys of a message, of all cuts together.
constexpr std::uint64_t message_keys = 16384;
constexpr std::uint64_t most_samples = 4096;
constexpr std::uint64_t samples_a_run = 8;  // fewer would not narrow

/// Enqueues the copy of one run's samples for one search, one behind the other.
void collect(const CutSearch& search, std::size_t run, std::size_t key_bytes, const SortedRun& from,
             std::byte* to, Stream stream) {
  const std::uint64_t count = search.sample_count(run);
  if (count == 0) return;
  const auto* first = static_cast<const std::byte*>(from.keys) + search.first_sample(run) * key_bytes;
  from.device->copy_rows_on_device(to, key_bytes, first, search.spacing() * key_bytes, key_bytes, count,
                                   stream);
}

/// One round of all searches that are not done.
void narrow_all(Communicator& communicator, std::vector<CutSearch>& searches, std::size_t key_bytes,
                const SortedRun& mine, Stream stream) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto rank = static_cast<std::size_t>(communicator.rank());
  // Where the samples of each search begin among those of a run. All runs send as much as the largest one.
  std::vector<std::vector<std::uint64_t>> begins(searches.size(), std::vector<std::uint64_t>(ranks, 0));
  std::uint64_t most = 0;
  for (std::size_t run = 0; run < ranks; ++run) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < searches.size(); ++i) {
      begins[i][run] = count;
      if (!searches[i].is_done()) count += searches[i].sample_count(run);
    }
    most = std::max(most, count);
  }
  auto* const scratch = static_cast<std::byte*>(mine.scratch.data);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < searches.size(); ++i) {
    if (searches[i].is_done()) continue;
    collect(searches[i], rank, key_bytes, mine, scratch + begins[i][rank] * key_bytes, stream);
    count += searches[i].sample_count(rank);
  }
  std::vector<std::byte> samples(most * key_bytes);
  std::vector<std::byte> all(ranks * samples.size());
  mine.device->copy_to_host(samples.data(), scratch, count * key_bytes, stream);
  mine.device->synchronize(stream);
  communicator.all_gather(samples.data(), all.data(), samples.size());
  for (std::size_t i = 0; i < searches.size(); ++i) {
    for (std::size_t run = 0; run < ranks; ++run) begins[i][run] += run * most;
    if (!searches[i].is_done()) searches[i].narrow(all.data(), begins[i]);
  }
}

}  // namespace

std::uint64_t samples_of(int ranks) noexcept {
  const auto count = static_cast<std::uint64_t>(std::max(ranks, 2));
  return std::max(std::min(message_keys / (count - 1), most_samples), samples_a_run * count);
}

std::uint64_t sample_bytes(int ranks, KeyType key, std::uint64_t samples) noexcept {
  return static_cast<std::uint64_t>(ranks - 1) * samples * size_of(key);
}

std::vector<std::vector<std::uint64_t>> find_cuts(Communicator& communicator, const Cutting& cutting,
                                                  const SortedRun& mine, Stream stream) {
  std::vector<CutSearch> searches;
  std::uint64_t first = 0;
  for (std::size_t to = 0; to + 1 < cutting.results.size(); ++to) {
    first += cutting.results[to];
    searches.emplace_back(cutting.lengths, first, cutting.rules, cutting.samples);
  }
  const auto is_done = [](const CutSearch& search) { return search.is_done(); };
  while (!std::all_of(searches.begin(), searches.end(), is_done)) {
    narrow_all(communicator, searches, size_of(cutting.rules.key), mine, stream);
  }
  std::vector<std::vector<std::uint64_t>> cuts{std::vector<std::uint64_t>(cutting.lengths.size(), 0)};
  for (const CutSearch& search : searches) cuts.push_back(search.cuts());
  cuts.push_back(cutting.lengths);
  return cuts;
}

}  // namespace bitune::multi
