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

RunMerge::RunMerge(const SortSpec& spec, std::uint32_t carried_bytes)
    : key_bytes_(size_of(spec.key)),
      carried_bytes_(carried_bytes),
      tile_(merge_threads * items_of(key_bytes_)) {
  // Where something travels, NaNs are equal keys: as the ranks have sorted, and cut.
  const std::string order =
      carried_bytes != 0 ? tie_codec_arguments(spec.key, spec.order) : codec_arguments(spec.key, spec.order);
  split_kernel_ = {merge_header, fmt::format("bitune::split_runs<{}, {}>", order, merge_threads)};
  merge_kernel_ = {merge_header, fmt::format("bitune::merge_two_runs<{}, {}, {}, {}>", order, carried_bytes,
                                             merge_threads, items_of(key_bytes_))};
}

std::uint64_t RunMerge::splits_bytes(std::uint64_t keys) const noexcept {
  return (tiles(keys) + 1) * sizeof(std::uint64_t);
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
    const auto own = std::find_if(pairs.begin(), pairs.end(), [](const Pair& pair) {
      return pair.first.is_near || (pair.second.is_near && pair.second.length != 0);
    });
    std::rotate(pairs.begin(), own, pairs.end());
    for (const Pair& pair : pairs) merge(device, pair, memory.splits, stream);
    if (round == 0 && memory.runs_are_read) memory.runs_are_read();
    if (is_last) return;
  }
}

void RunMerge::merge(RankDevice& device, const Pair& pair, void* splits, Stream stream) const {
  if (pair.kept == 0) return;
  const std::uint64_t blocks = tiles(pair.kept);
  if (blocks > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorCode::usage, fmt::format("{} keys are too many to merge on one device", pair.kept));
  }
  const RunArrays& first = pair.first.arrays;
  const RunArrays& second = pair.second.arrays;
  const std::array<std::uint64_t, 8> split = {
      argument(splits),   argument(first.keys), pair.first.length, argument(second.keys),
      pair.second.length, pair.skipped,         pair.kept,         tile_};
  device.launch(split_kernel_, launch_of(std::min(parts_of(blocks + 1, merge_threads), most_split_blocks), 0),
                split, stream);
  const std::array<std::uint64_t, 9> merge = {
      argument(pair.to.keys), argument(pair.to.carried), argument(first.keys), argument(first.carried),
      argument(second.keys),  argument(second.carried),  pair.skipped,         pair.kept,
      argument(splits)};
  const auto shared =
      layout::two_runs_tile_bytes(static_cast<layout::Size>(tile_), static_cast<layout::Size>(key_bytes_));
  device.launch(merge_kernel_, launch_of(blocks, static_cast<std::uint64_t>(shared)), merge, stream);
}

}  // namespace bitune::multi
