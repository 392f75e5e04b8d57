#pragma once

/// \file
/// What a rank does that sends its keys away before they are sorted, and the memory that it takes meanwhile.

#include <cstdint>
#include <optional>
#include <vector>

#include "bitune/types.hpp"
#include "model/plan.hpp"
#include "model/problem.hpp"
#include "multi/agreement.hpp"
#include "multi/rank_device.hpp"
#include "multi/run_arrays.hpp"
#include "multi/split/sampled_cuts.hpp"
#include "runtime/variants/radix_in_pieces.hpp"

namespace bitune::multi {

/// Keys of other ranks that are sent come to as round a place as the one they are sent from, in items,
/// counted in so many: NCCL copies from others byte by byte.
inline constexpr std::uint64_t sent_alignment = 128;

/// A rank's share of a call that splits first. Of a call that sorts at least one key.
struct SplitPlan {
  /// Nothing where the keys, the ranks or their parts are not for it. Every rank finds the same. Compiles
  /// what must be. \throws Error
  [[nodiscard]] static std::optional<SplitPlan> of(RankDevice& device, const Terms& terms, int rank,
                                                   bool has_keys_out);

  /// Of a plan that knows its items and its sort. `ranks`: of the call.
  void name_kernels(const SortSpec& spec, std::size_t ranks, const DeviceInfo& device);
  /// What it launches by itself, of so many keys as there may be.
  [[nodiscard]] std::vector<KernelSource> kernels() const;

  Sampling sampling;
  std::vector<std::uint64_t> cuts;  ///< sampled_cuts
  ItemBytes bytes_of_item;
  std::uint64_t word_bytes = 0;  ///< of a sample
  std::uint64_t tiles = 0;       ///< of the keys that are split
  std::uint64_t classes = 0;
  std::uint64_t cut_room = 0;  ///< keys at a cut
  Problem samples;             ///< sorts all samples with their indices
  std::optional<RadixInPieces> radix;
  RadixInPieces::RestMemory rest;

  KernelSource sample_kernel;
  KernelSource bounds_kernel;
  KernelSource count_kernel;
  KernelSource place_kernel;
  KernelSource split_kernel;
  std::uint64_t count_shared_bytes = 0;
  std::uint64_t split_shared_bytes = 0;

  /// Where things begin in the workspace, in bytes.
  std::uint64_t split_keys = 0;  ///< launch by launch, and behind that those at cuts
  std::uint64_t split_carried = 0;
  std::uint64_t unasked_keys = 0;  ///< sorted keys that nobody asked for
  std::uint64_t words = 0;         ///< of this rank's samples
  std::uint64_t indices = 0;
  std::uint64_t all_words = 0;
  std::uint64_t all_indices = 0;
  std::uint64_t chosen = 0;  ///< which samples are bounds
  std::uint64_t bounds = 0;
  std::uint64_t counted = 0;  ///< u64: how often each digit is in each class, and behind that the items
                              ///< before each launch that splits
  std::uint64_t tile_counts = 0;
  std::uint64_t tile_bases = 0;
  std::uint64_t first_passes = 0;
  std::uint64_t first_passes_bytes = 0;
  std::uint64_t rest_workspace = 0;  ///< and before that, what sorting the samples takes
  std::uint64_t rest_bytes = 0;
  std::uint64_t bytes = 0;

  /// u64 in `counted` of a launch: all, and those of digits.
  [[nodiscard]] std::uint64_t counted_numbers() const { return digit_numbers() + classes; }
  [[nodiscard]] std::uint64_t digit_numbers() const { return classes * radix->counters(); }
};

}  // namespace bitune::multi
