#include "multi/run_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "bitune/error.hpp"
#include "kernels/multi/merge_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/variants/expressions.hpp"

namespace bitune::multi {
namespace {

constexpr const char* merge_header = "kernels/multi/merge_two_runs.cuh";
constexpr std::uint32_t merge_threads = 256;
constexpr std::uint64_t most_split_blocks = 8192;
constexpr std::uint64_t warp_threads = 32;
constexpr std::uint64_t round_bytes = 256;

/// The longest tile whose keys leave shared memory for several blocks.
std::uint64_t items_of(std::uint64_t key_bytes) noexcept { return key_bytes == 8 ? 8 : 16; }

std::uint64_t parts_of(std::uint64_t whole, std::uint64_t part) noexcept { return (whole + part - 1) / part; }

std::uint64_t argument(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }

Launch launch_of(std::uint64_t blocks, std::uint64_t shared_bytes) {
  Launch launch;
  launch.grid[0] = static_cast<std::uint32_t>(blocks);
  launch.block = {merge_threads, 1, 1};
  launch.shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  return launch;
}

}  // namespace

RunMerge::RunMerge(const SortSpec& spec, std::uint32_t carried_bytes, std::uint64_t chunk_bytes)
    : key_bytes_(size_of(spec.key)),
      carried_bytes_(carried_bytes),
      tile_(merge_threads * items_of(key_bytes_)),
      chunk_(std::max<std::uint64_t>(chunk_bytes / (key_bytes_ + carried_bytes_) / tile_, 1) * tile_) {
  // Where something travels, NaNs are equal keys: as the ranks have sorted, and cut.
  const std::string order =
      carried_bytes != 0 ? tie_codec_arguments(spec.key, spec.order) : codec_arguments(spec.key, spec.order);
  split_kernel_ = {merge_header, fmt::format("bitune::split_runs<{}, {}, 1>", order, merge_threads)};
  split_far_kernel_ = {merge_header,
                       fmt::format("bitune::split_runs<{}, {}, {}>", order, merge_threads, warp_threads)};
  merge_kernel_ = {merge_header, fmt::format("bitune::merge_two_runs<{}, {}, {}, {}>", order, carried_bytes,
                                             merge_threads, items_of(key_bytes_))};
}

std::uint64_t RunMerge::splits_bytes(std::uint64_t keys, int runs) const noexcept {
  // Of tiles; and of each pair's chunks, the last one of which may be short, and their end.
  const std::uint64_t chunks = parts_of(keys, chunk_) + 2 * static_cast<std::uint64_t>(runs);
  return (tiles(keys) + 1 + chunks) * sizeof(std::uint64_t);
}

std::uint64_t RunMerge::slots_bytes(std::uint64_t keys) const noexcept {
  return keys <= chunk_ ? 0 : ChunkStreams::count * slot_bytes();
}

std::uint64_t RunMerge::slot_bytes() const noexcept {
  // Keys of two runs and what travels with them, each from a round address to one.
  return parts_of(chunk_ * (key_bytes_ + carried_bytes_), round_bytes) * round_bytes + 8 * round_bytes;
}

std::uint64_t RunMerge::tiles(std::uint64_t keys) const noexcept { return parts_of(keys, tile_); }

RunArrays RunMerge::at(const RunArrays& arrays, std::uint64_t place) const noexcept {
  return {arrays.keys == nullptr ? nullptr : arrays.keys + place * key_bytes_,
          arrays.carried == nullptr ? nullptr : arrays.carried + place * carried_bytes_};
}

void RunMerge::run(RankDevice& device, std::vector<MergedRun> runs, std::uint64_t skipped, std::uint64_t kept,
                   const Memory& memory, Stream stream) const {
  if (runs.size() > 2) std::erase_if(runs, [](const MergedRun& run) { return run.length == 0; });
  for (std::size_t round = 0;; ++round) {
    const bool is_last = runs.size() <= 2;
    std::vector<Pair> pairs;
    if (is_last) {
      runs.resize(2);
      pairs.push_back({runs[0], runs[1], skipped, kept, memory.to});
    } else {
      const RunArrays& to = memory.between[round % memory.between.size()];
      std::vector<MergedRun> merged;
      std::uint64_t written = 0;
      for (std::size_t run = 0; run < runs.size(); run += 2) {
        const MergedRun second = run + 1 < runs.size() ? runs[run + 1] : MergedRun{};
        const std::uint64_t length = std::min(kept, runs[run].length + second.length);
        merged.push_back({at(to, written), length});
        pairs.push_back({runs[run], second, 0, length, merged.back().arrays});
        written += length;
      }
      runs = std::move(merged);
    }
    // Each rank begins with the pair that has its own run, so that they do not all read one device at once.
    const auto is_own = [](const Pair& pair) {
      return pair.first.peer == nullptr || (pair.second.peer == nullptr && pair.second.length != 0);
    };
    std::rotate(pairs.begin(), std::find_if(pairs.begin(), pairs.end(), is_own), pairs.end());
    merge(device, pairs, memory, stream);
    if (round == 0 && memory.runs_are_read) memory.runs_are_read();
    if (is_last) return;
  }
}

bool RunMerge::has_chunks(const Pair& pair) const noexcept {
  return (pair.first.peer != nullptr || pair.second.peer != nullptr) && pair.kept > chunk_;
}

void RunMerge::merge(RankDevice& device, std::span<const Pair> pairs, const Memory& memory,
                     Stream stream) const {
  auto* const splits = static_cast<std::uint64_t*>(memory.splits);
  Splits starts;
  for (const Pair& pair : pairs) {
    if (!has_chunks(pair)) continue;
    launch_split(device, warp_threads, pair, chunk_, splits + starts.size(), stream);
    starts.resize(starts.size() + parts_of(pair.kept, chunk_) + 1);
  }
  if (!starts.empty()) {
    device.device().copy_to_host(starts.data(), splits, starts.size() * sizeof(std::uint64_t), stream);
    device.device().synchronize(stream);
  }
  const std::uint64_t* next = starts.data();
  for (const Pair& pair : pairs) {
    if (pair.kept == 0) continue;
    launch_split(device, 1, pair, tile_, splits, stream);
    if (has_chunks(pair)) {
      merge_chunks(device, pair, next, memory, stream);
      next += parts_of(pair.kept, chunk_) + 1;
    } else {
      launch_merge(device, pair, splits, stream);
    }
  }
}

void RunMerge::merge_chunks(RankDevice& device, const Pair& pair, const std::uint64_t* starts,
                            const Memory& memory, Stream stream) const {
  ChunkStreams& streams = *memory.streams;
  streams.begin(stream);
  for (std::uint64_t begin = 0; begin < pair.kept; begin += chunk_, ++starts) {
    streams.next();
    Pair chunk = pair;
    chunk.skipped += begin;
    chunk.kept = std::min(chunk_, pair.kept - begin);
    chunk.to = at(pair.to, begin);
    std::byte* slot = memory.slots + streams.turn() * slot_bytes();
    const auto bring = [&](std::byte*& array, const Device& peer, std::uint64_t from, std::uint64_t count,
                           std::uint64_t bytes) {
      if (bytes == 0) return;
      // From a round address to one, as far as the run goes: copies between others are slower.
      std::byte* const begin_there = array + from * bytes;
      const std::uint64_t odd = reinterpret_cast<std::uintptr_t>(begin_there) % round_bytes;
      const std::uint64_t lead = std::min(odd, from * bytes);
      device.device().copy_from_peer(slot + (odd - lead), peer, begin_there - lead, count * bytes + lead,
                                     streams.stream());
      array = slot + odd - from * bytes;  // element `from` lies at `odd`
      slot += parts_of(odd + count * bytes, round_bytes) * round_bytes;
    };
    const auto bring_both = [&](MergedRun& run, std::uint64_t from, std::uint64_t count) {
      if (run.peer == nullptr || count == 0) return;
      bring(run.arrays.keys, *run.peer, from, count, key_bytes_);
      bring(run.arrays.carried, *run.peer, from, count, carried_bytes_);
    };
    const std::uint64_t of_first = starts[1] - starts[0];
    bring_both(chunk.first, starts[0], of_first);
    bring_both(chunk.second, chunk.skipped - starts[0], chunk.kept - of_first);
    streams.wait_for_begin();
    launch_merge(device, chunk, static_cast<std::uint64_t*>(memory.splits) + begin / tile_, streams.stream());
  }
  streams.join(stream);
}

void RunMerge::launch_split(RankDevice& device, std::uint64_t lanes, const Pair& pair, std::uint64_t part,
                            void* splits, Stream stream) const {
  const KernelSource& kernel = lanes == 1 ? split_kernel_ : split_far_kernel_;
  const std::uint64_t threads = (parts_of(pair.kept, part) + 1) * lanes;
  const std::array<std::uint64_t, 8> arguments = {argument(splits),   argument(pair.first.arrays.keys),
                                                  pair.first.length,  argument(pair.second.arrays.keys),
                                                  pair.second.length, pair.skipped,
                                                  pair.kept,          part};
  device.launch(kernel, launch_of(std::min(parts_of(threads, merge_threads), most_split_blocks), 0),
                arguments, stream);
}

void RunMerge::launch_merge(RankDevice& device, const Pair& pair, const void* splits, Stream stream) const {
  const std::uint64_t blocks = tiles(pair.kept);
  if (blocks > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorCode::usage, fmt::format("{} keys are too many to merge on one device", pair.kept));
  }
  const RunArrays& first = pair.first.arrays;
  const RunArrays& second = pair.second.arrays;
  const std::array<std::uint64_t, 9> arguments = {
      argument(pair.to.keys), argument(pair.to.carried), argument(first.keys), argument(first.carried),
      argument(second.keys),  argument(second.carried),  pair.skipped,         pair.kept,
      argument(splits)};
  const auto shared =
      layout::two_runs_tile_bytes(static_cast<layout::Size>(tile_), static_cast<layout::Size>(key_bytes_));
  device.launch(merge_kernel_, launch_of(blocks, static_cast<std::uint64_t>(shared)), arguments, stream);
}

}  // namespace bitune::multi
