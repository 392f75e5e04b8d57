#pragma once

/// \file
/// Merging sorted runs, wherever the device reads them (kernels/multi/merge_two_runs.cuh).

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bitune/types.hpp"
#include "model/plan.hpp"
#include "multi/chunk_copies.hpp"
#include "multi/key_halves.hpp"
#include "multi/rank_device.hpp"
#include "multi/run_arrays.hpp"

namespace bitune::multi {

/// Sorted keys, and what travels with them.
struct MergedRun {
  RunArrays arrays = {};
  std::uint64_t length = 0;
  bool is_near = true;  ///< of this device
};

/// Merges neighbouring runs in pairs, in as many rounds as halve their number to 1. Equal keys of an earlier
/// run come first. Each round reads and writes each key once.
///
/// Kernels read what lies on another device over the link. Where that is much, it is copied in chunks
/// instead, and each is merged while the next ones come: copies use more of the link, and where tiles begin
/// is then searched in near memory. A chunk is half of what is left, as merging takes about half as long as
/// copying: so little is left to merge when the last one is there. Where one run has a whole chunk, nothing
/// is merged.
///
/// Of keys of four bytes two ranks read halves over the link instead (KeyHalves).
class RunMerge {
 public:
  RunMerge() = default;
  /// by_halves: of two runs, one of which is far.
  RunMerge(const SortSpec& spec, std::uint32_t carried_bytes, const CopyRules& rules = {},
           bool by_halves = false);

  [[nodiscard]] bool by_halves() const noexcept { return halves_.has_value(); }

  /// Memory of the device that merging runs of so many keys together takes.
  [[nodiscard]] std::uint64_t splits_bytes(std::uint64_t keys) const noexcept;

  /// Whether so many keys are merged from copies of what lies on other devices.
  [[nodiscard]] bool is_copied(std::uint64_t keys) const noexcept;

  /// What it launches.
  [[nodiscard]] std::vector<KernelSource> kernels() const;

  /// How many keys of the first of two runs come before the wanted ones, and before their end.
  using Cut = std::array<std::uint64_t, 2>;

  /// Where a merge writes.
  struct Memory {
    RunArrays to;                      ///< `kept` elements
    std::array<RunArrays, 2> between;  ///< of more than two runs: rounds but the last write there, in turn
    void* splits = nullptr;            ///< splits_bytes
    RunArrays copied = {};             ///< for what is copied, as much as `kept` elements
    ChunkCopies* copies = nullptr;     ///< null: nothing is copied
    const HalvesExchange* halves = nullptr;    ///< where keys come by halves
    Cut* cut = nullptr;                        ///< of two runs: is written when all is done, if it is there
    std::function<void()> runs_are_read = {};  ///< called once, when all that reads the runs is enqueued
  };

  /// Of the merged runs, writes the `kept` keys behind the first `skipped` ones; of more than two runs none
  /// is skipped, and those without keys take no part. The arrays of `between` have room for all keys; the
  /// second one may be where the runs are. Enqueues it.
  void run(RankDevice& device, std::vector<MergedRun> runs, std::uint64_t skipped, std::uint64_t kept,
           const Memory& memory, Stream stream) const;

  /// The array from an element on.
  [[nodiscard]] RunArrays at(const RunArrays& arrays, std::uint64_t place) const noexcept {
    return bytes_.at(arrays, place);
  }

 private:
  /// Two runs, which of their merged keys are wanted, and where to.
  struct Pair {
    MergedRun first;
    MergedRun second;
    std::uint64_t skipped = 0;
    std::uint64_t kept = 0;
    RunArrays to = {};
    RunArrays copied = {};  ///< room for what is copied; without keys if nothing is
    /// Of the one run that is far, so many keys are copied before it is known which are wanted: its first
    /// ones, or where some are skipped its last ones.
    std::uint64_t ahead = 0;

    [[nodiscard]] bool has_all() const noexcept { return skipped + kept == first.length + second.length; }
  };
  static constexpr std::uint32_t most_chunks = 8;
  /// Of each chunk how many keys of the first run come before it; at last before the end of all.
  using Borders = std::array<std::uint64_t, most_chunks + 1>;

  /// What is wanted of a run on another device, from a key on, and the room for it.
  struct FarPiece {
    MergedRun run;
    std::uint64_t begin = 0;
    RunArrays room;
    std::uint64_t left_begin = 0;  ///< what is not copied ahead
    std::uint64_t left_end = 0;
  };

  /// Of both kernels that split.
  [[nodiscard]] std::array<std::uint64_t, 8> split_arguments(const Pair& pair, void* splits) const noexcept;
  // What is copied in chunks: merge_chunks.cpp.
  [[nodiscard]] std::vector<Borders> find_chunks(RankDevice& device, const std::vector<Pair>& pairs,
                                                 void* splits, Stream stream) const;
  /// Begins to copy what of any usual keys is wanted: else the link would be idle while chunks are searched.
  void copy_ahead(const Device& device, Pair& pair, Stream stream) const;
  [[nodiscard]] FarPiece far_piece(const Pair& pair, const MergedRun& run, std::uint64_t begin,
                                   const RunArrays& room) const noexcept;
  /// Copies to the piece's room what of these keys is not there. Returns where they are.
  MergedRun bring_piece(const Device& device, const FarPiece& piece, std::uint64_t begin,
                        std::uint64_t length, Stream stream) const;
  /// Copies these keys to where they belong.
  void copy_piece(const Device& device, const FarPiece& piece, std::uint64_t begin, std::uint64_t length,
                  const RunArrays& to, Stream stream) const;
  void merge(RankDevice& device, const Pair& pair, void* splits, Stream stream) const;
  /// Halves are not copied in chunks: then all is one.
  [[nodiscard]] std::uint32_t chunks() const noexcept { return by_halves() ? 1 : most_chunks; }
  /// Where chunks begin, and where the last one ends.
  void find_borders(RankDevice& device, const Pair& pair, void* borders, Stream stream) const;
  void find_tiles(RankDevice& device, const Pair& pair, void* splits, Stream stream) const;
  void merge_tiles(RankDevice& device, const Pair& pair, const void* splits, const ShownHalves& halves,
                   Stream stream) const;
  void merge_halves(RankDevice& device, const Pair& pair, const Memory& memory, Stream stream) const;
  void merge_copied(RankDevice& device, const Pair& pair, const Borders& borders, const Memory& memory,
                    Stream stream) const;
  void read_cut(const Device& device, const Pair& pair, const void* splits, Cut& cut, Stream stream) const;
  [[nodiscard]] MergedRun part_of(const MergedRun& run, std::uint64_t begin,
                                  std::uint64_t length) const noexcept;
  /// To where a pointer is; what has none is left out.
  void copy(const Device& device, const RunArrays& to, const MergedRun& run, Stream stream) const;

  KernelSource near_split_kernel_;
  KernelSource far_split_kernel_;
  KernelSource chunk_kernel_;
  KernelSource merge_kernel_;
  std::optional<KeyHalves> halves_;
  CopyRules rules_;
  ItemBytes bytes_;
  std::uint64_t tile_ = 1;  ///< keys of a block
};

}  // namespace bitune::multi
