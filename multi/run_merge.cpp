#include "multi/run_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
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
constexpr std::uint32_t warp_threads = 32;
/// Lanes that search where a tile begins. A link carries no more than it must. In near memory the rounds of a
/// search take longer than what it reads.
constexpr std::uint32_t far_search_lanes = 1;
constexpr std::uint32_t near_search_lanes = 8;
constexpr std::uint64_t most_split_blocks = 8192;

/// The longest tile whose keys leave shared memory for several blocks.
std::uint64_t items_of(std::uint64_t key_bytes) noexcept { return key_bytes == 8 ? 8 : 16; }

Launch launch_of(std::uint64_t blocks, std::uint64_t shared_bytes,
                 std::uint32_t block_threads = merge_threads) {
  Launch launch;
  launch.grid[0] = static_cast<std::uint32_t>(blocks);
  launch.block = {block_threads, 1, 1};
  launch.shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  return launch;
}

}  // namespace

RunMerge::RunMerge(const SortSpec& spec, std::uint32_t carried_bytes, const CopyRules& rules, bool by_halves)
    : rules_(rules), bytes_{size_of(spec.key), carried_bytes}, tile_(merge_threads * items_of(bytes_.key)) {
  // Where something travels, NaNs are equal keys: as the ranks have sorted, and cut.
  const std::string order =
      carried_bytes != 0 ? tie_codec_arguments(spec.key, spec.order) : codec_arguments(spec.key, spec.order);
  const auto split_kernel = [&](std::uint32_t lanes) {
    return KernelSource{merge_header,
                        fmt::format("bitune::split_runs<{}, {}, {}>", order, merge_threads, lanes)};
  };
  far_split_kernel_ = split_kernel(far_search_lanes);
  if (by_halves) {
    halves_.emplace(spec);
  } else {
    near_split_kernel_ = split_kernel(near_search_lanes);
  }
  chunk_kernel_ = {merge_header, fmt::format("bitune::split_chunks<{}, {}>", order, chunks())};
  merge_kernel_ = {merge_header, fmt::format("bitune::merge_two_runs<{}, {}, {}, {}, {}>", order,
                                             carried_bytes, merge_threads, items_of(bytes_.key), by_halves)};
}

std::vector<KernelSource> RunMerge::kernels() const {
  std::vector<KernelSource> all = halves_ ? halves_->kernels() : std::vector{near_split_kernel_};
  all.insert(all.end(), {far_split_kernel_, chunk_kernel_, merge_kernel_});
  return all;
}

std::uint64_t RunMerge::splits_bytes(std::uint64_t keys) const noexcept {
  return std::max((parts_of(keys, tile_) + 1 + std::tuple_size_v<Cut>)*sizeof(std::uint64_t),
                  sizeof(Borders));
}

bool RunMerge::is_copied(std::uint64_t keys) const noexcept {
  return !by_halves() && keys != 0 && keys * bytes_.sum() >= rules_.from_bytes;
}

void RunMerge::run(RankDevice& device, std::vector<MergedRun> runs, std::uint64_t skipped, std::uint64_t kept,
                   const Memory& memory, Stream stream) const {
  if (by_halves()) {
    merge_halves(device, {runs.at(0), runs.at(1), skipped, kept, memory.to}, memory, stream);
    if (memory.runs_are_read) memory.runs_are_read();
    return;
  }
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
    if (round == 0 && memory.copies != nullptr) {
      RunArrays room = memory.copied;
      for (Pair& pair : pairs) {
        if ((pair.first.is_near && pair.second.is_near) || !is_copied(pair.kept)) continue;
        pair.copied = room;
        room = at(room, pair.kept);
        copy_ahead(device.device(), pair, memory.copies->stream());
      }
    }
    const std::vector<Borders> borders = find_chunks(device, pairs, memory.splits, stream);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (pairs[i].copied.keys != nullptr) {
        merge_copied(device, pairs[i], borders[i], memory, stream);
      } else {
        merge(device, pairs[i], memory.splits, stream);
      }
    }
    if (is_last && round == 0 && memory.cut != nullptr) {
      if (borders.empty()) {
        read_cut(device.device(), pairs[0], memory.splits, *memory.cut, stream);
      } else {
        *memory.cut = {borders[0].front(), borders[0].back()};
      }
    }
    if (round == 0 && memory.runs_are_read) memory.runs_are_read();
    if (is_last) return;
  }
}

void RunMerge::merge(RankDevice& device, const Pair& pair, void* splits, Stream stream) const {
  if (pair.kept == 0) return;
  find_tiles(device, pair, splits, stream);
  merge_tiles(device, pair, splits, {}, stream);
}

void RunMerge::find_borders(RankDevice& device, const Pair& pair, void* borders, Stream stream) const {
  device.launch(chunk_kernel_, launch_of(1, 0, (chunks() + 1) * warp_threads), split_arguments(pair, borders),
                stream);
}

void RunMerge::find_tiles(RankDevice& device, const Pair& pair, void* splits, Stream stream) const {
  const std::uint64_t tiles = parts_of(pair.kept, tile_);
  if (tiles > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorCode::usage, fmt::format("{} keys are too many to merge on one device", pair.kept));
  }
  const bool is_near = pair.first.is_near && pair.second.is_near;
  const std::uint64_t lanes = is_near ? near_search_lanes : far_search_lanes;
  device.launch(is_near ? near_split_kernel_ : far_split_kernel_,
                launch_of(std::min(parts_of((tiles + 1) * lanes, merge_threads), most_split_blocks), 0),
                split_arguments(pair, splits), stream);
}

void RunMerge::merge_tiles(RankDevice& device, const Pair& pair, const void* splits,
                           const ShownHalves& halves, Stream stream) const {
  const RunArrays& first = pair.first.arrays;
  const RunArrays& second = pair.second.arrays;
  const std::array<std::uint64_t, 12> merge = {address_argument(pair.to.keys),
                                               address_argument(pair.to.carried),
                                               address_argument(first.keys),
                                               address_argument(first.carried),
                                               address_argument(second.keys),
                                               address_argument(second.carried),
                                               pair.skipped,
                                               pair.kept,
                                               address_argument(splits),
                                               address_argument(halves.lower),
                                               address_argument(halves.starts),
                                               pair.first.is_near ? 0U : 1U};
  const auto shared =
      layout::two_runs_tile(static_cast<layout::Size>(tile_), static_cast<layout::Size>(bytes_.key),
                            static_cast<layout::Size>(by_halves() ? bytes_.carried : 0))
          .bytes;
  device.launch(merge_kernel_, launch_of(parts_of(pair.kept, tile_), static_cast<std::uint64_t>(shared)),
                merge, stream);
}

void RunMerge::merge_halves(RankDevice& device, const Pair& pair, const Memory& memory, Stream stream) const {
  ChunkCopies& copies = *memory.copies;
  // Where tiles begin is searched in keys that are far, while both devices halve what the other one wants.
  find_tiles(device, pair, memory.splits, copies.stream());
  const bool is_first = pair.first.is_near;
  const MergedRun& near = is_first ? pair.first : pair.second;
  auto* const cuts = static_cast<std::uint64_t*>(memory.splits) + parts_of(pair.kept, tile_) + 1;
  find_borders(device, pair, cuts, stream);
  const ShownHalves far = halves_->share(
      device, {near.arrays.keys, near.length, is_first, cuts + (is_first ? 1 : 0), pair.skipped},
      *memory.halves, stream, copies.stream());
  copies.are_read_by(stream);
  merge_tiles(device, pair, memory.splits, far, stream);
  if (memory.cut != nullptr) read_cut(device.device(), pair, memory.splits, *memory.cut, stream);
}

std::array<std::uint64_t, 8> RunMerge::split_arguments(const Pair& pair, void* splits) const noexcept {
  return {address_argument(splits),
          address_argument(pair.first.arrays.keys),
          pair.first.length,
          address_argument(pair.second.arrays.keys),
          pair.second.length,
          pair.skipped,
          pair.kept,
          tile_};
}

MergedRun RunMerge::part_of(const MergedRun& run, std::uint64_t begin, std::uint64_t length) const noexcept {
  return {at(run.arrays, begin), length, run.is_near};
}

void RunMerge::copy(const Device& device, const RunArrays& to, const MergedRun& run, Stream stream) const {
  bytes_.copy(device, to, run.arrays, run.length, stream);
}

void RunMerge::read_cut(const Device& device, const Pair& pair, const void* splits, Cut& cut,
                        Stream stream) const {
  cut = {};
  if (pair.kept == 0) return;
  cut[1] = pair.first.length;  // where nothing is left
  const auto read = [&](std::uint64_t& to, std::uint64_t tile) {
    device.copy_to_host(&to, static_cast<const std::uint64_t*>(splits) + tile, sizeof(to), stream);
  };
  if (pair.skipped != 0) read(cut[0], 0);
  if (!pair.has_all()) read(cut[1], parts_of(pair.kept, tile_));
}

}  // namespace bitune::multi
