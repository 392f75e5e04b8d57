#pragma once

/// \file
/// Which segments the parts of the variant `segments` sort, and what they take of a multiprocessor.

#include <cstdint>
#include <vector>

#include "kernels/segments/segments_layout.hpp"
#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/search_space.hpp"

namespace bitune::of_segments {

/// Of all segments: lists, and their tiles, are counted in 32 bits.
inline constexpr std::uint64_t most_keys = std::uint64_t{1} << 32;

/// Whether something travels with the keys.
[[nodiscard]] bool carries(const Problem& problem);

/// Of what a network sorts: a key, or a key with its place.
[[nodiscard]] std::int64_t item_bytes(const Problem& problem);
[[nodiscard]] std::int64_t item_registers(const Problem& problem);

/// Where something travels with keys, lists of this length and longer are sorted by digits of so many bits,
/// not by a network. Keys of 16 bits and their places are one word of 32 bits, which a network compares in
/// half the instructions. Keys of 64 bits take twice the passes.
[[nodiscard]] std::uint64_t least_by_digits(const Problem& problem);
inline constexpr std::int64_t digit_bits = 8;

/// Whether warps sort words of 32 bits with the leading bits of keys: networks of comparators of three have
/// no wider ones.
[[nodiscard]] bool sorts_by_leading_bits(const Configuration& c, const Problem& problem);

/// What a warp holds.
[[nodiscard]] std::int64_t longest_of_warp(const Configuration& c);

[[nodiscard]] layout::BlockLists lists_of(const Configuration& c, const Problem& problem);
[[nodiscard]] int list_count(const Configuration& c);

/// Of the longest segment that a block sorts, or a warp where there are no lists.
[[nodiscard]] std::uint64_t longest_of_block(const Configuration& c, const Problem& problem);

/// What no block sorts is for long_segments.
[[nodiscard]] std::uint64_t least_long(const Configuration& c, const Problem& problem);

/// With the parameters of long segments, which no search varies here: segments_radix is for that.
[[nodiscard]] Configuration with_long(Configuration c, const Problem& problem, const DeviceInfo& device);

/// How many keys a block's neighbouring segments have on average.
[[nodiscard]] std::uint64_t keys_of_block(const Configuration& c, const Problem& problem);

/// How many of these a block may copy to shared memory; 0: none.
[[nodiscard]] std::vector<std::int64_t> copied_keys_values();

/// Whether copied_keys is 0, or a quarter to sixteen times as many: so what is found for one to four times as
/// many serves means of a quarter to four times.
[[nodiscard]] bool copies_what_is_there(const Configuration& c, const Problem& problem);

/// Blocks sort segments as rows where all of theirs are of one length, of up to so many keys: for the mean
/// length of the class. 0 where that is too long, or something travels with the keys.
[[nodiscard]] std::int64_t equal_keys(const Problem& problem);

/// Shared memory of a block that sorts short segments.
[[nodiscard]] std::int64_t shared_bytes(const Configuration& c, const Problem& problem);

/// How a block sorts segments of at most so many keys.
struct ListTile {
  bool by_digits = false;      ///< else by a network
  std::int64_t threads = 0;    ///< of a segment
  std::int64_t groups = 1;     ///< of so many threads, in a block: several of one warp
  std::int64_t items = 0;      ///< of a thread
  std::int64_t registers = 0;  ///< of a thread, by what the compiler was seen to take
  std::int64_t bytes = 0;      ///< shared memory of the block

  [[nodiscard]] std::int64_t block_threads() const noexcept { return threads * groups; }
  /// Whether the device has what the block takes.
  [[nodiscard]] bool fits(const DeviceInfo& device) const;
};

/// longest: a power of two.
[[nodiscard]] ListTile tile_for(std::uint64_t longest, const Configuration& c, const Problem& problem);

/// The search space, but for the variant's name.
[[nodiscard]] SearchSpace make_space();

}  // namespace bitune::of_segments
