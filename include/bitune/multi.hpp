#pragma once

/// \file
/// Sorting over several devices, of one process or of several. C++17.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bitune/error.hpp"
#include "bitune/operands.hpp"
#include "bitune/types.hpp"

namespace bitune {

struct MultiOptions {
  /// One for each rank, as SorterOptions::device names them ("0", a UUID, "emulated"), or "all" alone: a rank
  /// for each GPU. All are GPUs, or all are emulated. A device may be there several times: those ranks share
  /// it.
  std::vector<std::string> devices = {};
  /// An ncclComm_t of the caller's: this process has one of its ranks, on the GPU that it was made for, and
  /// `devices` is empty or names that one. The communicator is used by nobody else meanwhile, and outlives
  /// the sorter. NCCL (2.7 or newer) is opened when it is needed. A rank that fails ends the call of all, and
  /// the next call may go on; but if one does not come within the time limit, or the link fails, each rank
  /// that meets that aborts the communicator, which is then gone (ncclCommAbort).
  void* communicator = nullptr;
  std::string database = {};      ///< as SorterOptions::database
  std::string kernel_cache = {};  ///< as SorterOptions::kernel_cache
  /// Where GPUs read each other's memory: from so many bytes on, of keys and what travels with them, a rank
  /// copies what others have in chunks, and merges one while the next comes. Fewer it reads where they lie.
  /// What merging a chunk writes has `least_chunk_bytes` at least. If ranks get `split_from_bytes` or more on
  /// average, each sends keys away before it sorts, and nothing is merged: keys of 2 or 4 bytes, of 2 to 8
  /// ranks. If both of two ranks get `halved_from_bytes` or more, keys of 4 bytes cross the link as halves,
  /// and nothing is copied. All four 0: as `bitune tune --devices` has found for these GPUs, else defaults.
  /// One alone 0: copies always, and never splits or halves. Ranks of a communicator look at
  /// `split_from_bytes` alone: the most that any of them says counts, and 0 is never.
  std::uint64_t copied_from_bytes = 0;
  std::uint64_t least_chunk_bytes = 0;
  std::uint64_t split_from_bytes = 0;
  std::uint64_t halved_from_bytes = 0;
  /// How long a rank waits for the others before it ends the call of all. They may have to compile first.
  std::chrono::milliseconds time_limit = std::chrono::minutes(5);
};

/// The number of keys that a rank gets where all get as many, but for one key.
inline constexpr std::uint64_t equal_part = ~std::uint64_t{0};

/// What one rank gives to a call, and gets of it. All memory is its device's.
struct MultiPart {
  /// keys_in, or keys_out where the keys may be overwritten: `n` keys. keys_out, values_out, indices_out:
  /// `result` elements each. Strides are not looked at. A workspace of `workspace_size` bytes is taken if it
  /// is there; else the sorter keeps one. That may be faster: other devices read it directly where they can,
  /// and what lies in a caller's is copied.
  Operands operands = {};
  std::uint64_t n = 0;  ///< keys that this rank gives
  /// Keys of the result that this rank gets: so many, or equal_part. Those that ask for equal parts share
  /// what the others leave. Of a top_k: k, or 0 for a rank that gets nothing.
  std::uint64_t result = equal_part;
  Stream stream = nullptr;  ///< the keys are there when its work until now is done
};

/// What became of one rank's part.
struct MultiResult {
  std::uint64_t first = 0;           ///< the place in the whole of the first key that this rank has
  std::uint64_t count = 0;           ///< keys that it has
  std::uint64_t received_bytes = 0;  ///< from other ranks, as they crossed the link
  double sort_us = 0;                ///< its own keys; where they were split before, those that it gets
  double split_us = 0;               ///< finding what goes where, and waiting for ranks that are slower
  double exchange_us = 0;            ///< copying what other ranks have, as far as nothing else goes on beside
  double merge_us = 0;               ///< 0 where keys were split before they were sorted
  double host_to_device_us = 0;      ///< of run_host
  double device_to_host_us = 0;      ///< of run_host
  double total_us = 0;               ///< wall clock
};

/// Sorts one array that lies in parts on several devices. Rank 0 gets its beginning, and so on.
///
/// Each rank sorts its keys, all find together where to cut (exactly: by rank, equal keys by their rank and
/// place), and every rank gets what is its own from all others; or keys are sent to where they belong first
/// (MultiOptions::split_from_bytes). Parts are as long as was asked for, whatever the keys are.
///
/// Operations are those of a Sorter, of one array: sort, sort_pairs, argsort, and top_k. Indices count over
/// all ranks, in the order of the ranks, and have 8 bytes. Equal keys stay in the order of the ranks, and of
/// each rank's input where the call is stable. A top_k gives its whole result to every rank that asks for it.
///
/// Calls are synchronous: when one returns, all is written. One call at a time; others wait. Every function
/// throws bitune::Error. If a rank fails, or does not come within the time limit, the call fails on each, and
/// says which rank it was. The next call may go on.
class MultiSorter {
 public:
  /// A rank for each of MultiOptions::devices, or one of a communicator's.
  explicit MultiSorter(MultiOptions options);

  ~MultiSorter();
  MultiSorter(MultiSorter&&) noexcept;
  MultiSorter& operator=(MultiSorter&&) noexcept;

  /// Of all processes.
  [[nodiscard]] int ranks() const noexcept;
  /// The first of them that is this process's: 0, or that of the communicator.
  [[nodiscard]] int first_rank() const noexcept;

  /// Does it, with a part for each rank of this process. All processes call it. \throws Error: of several the
  /// one that ended the call
  std::vector<MultiResult> run(const SortSpec& spec, const std::vector<MultiPart>& parts);

  /// The sum of what all processes pass, which all call it: as the number of keys in all is what equal parts
  /// are reckoned from. \throws Error
  [[nodiscard]] std::uint64_t sum(std::uint64_t number);

  /// Does it with an array in the host's memory, over the devices of one process: each rank takes an equal
  /// part to its device, and brings its part of the result back; the first one brings all of a top_k. Indices
  /// have 8 bytes. All of it must fit the devices. \throws Error
  std::vector<MultiResult> run_host(const Problem& problem, const Operands& operands);

  /// Bytes of workspace that a rank needs, at most, for `n` keys that it gives and `result`
  /// keys that it gets, if the caller gives it. About twice the keys and what travels with them. What the
  /// sorter keeps by itself is between one and three times as much as these. Compiles what the call needs.
  [[nodiscard]] std::uint64_t workspace_size(const SortSpec& spec, std::uint64_t n, std::uint64_t result,
                                             int rank = 0);

  /// Keys that a rank gets of `n` in all, if all ask for equal parts.
  [[nodiscard]] std::uint64_t equal_part_of(std::uint64_t n, int rank) const noexcept;

  /// Description of the device of a rank of this process.
  [[nodiscard]] std::string device(int rank = 0) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace bitune
