#pragma once

/// \file
/// Sizes that several families share. A layout is plain constexpr C++: the kernels compile it, and so do the makers of plans. So each
/// size is said once. All of it is functions, since a constant would become a variable in the memory of every compiled kernel.

namespace bitune::layout {

/// A number of bytes, words or keys.
using Size = long long;

/// The next multiple of `unit`.
constexpr Size rounded_up(Size value, Size unit) { return (value + unit - 1) / unit * unit; }

/// Smallest k with 2^k >= value; 0 for values below 2.
constexpr int ceil_log2(Size value) { return value < 2 ? 0 : 1 + ceil_log2((value + 1) / 2); }

constexpr Size warps_of(Size threads) { return threads / 32; }

/// Words of a tile in shared memory: there is one of padding after each 128 bytes, against bank conflicts.
constexpr Size padded_words(Size keys, Size word_bytes) { return keys + keys / (128 / word_bytes); }

constexpr Size padded_bytes(Size keys, Size word_bytes) { return padded_words(keys, word_bytes) * word_bytes; }

/// Words of GroupSum for a group of so many threads, which add up `numbers` numbers each.
constexpr Size sum_words(Size threads, Size numbers) { return 2 * warps_of(threads) * numbers; }

/// Words of GroupPrefixSum for a group of so many threads.
constexpr Size prefix_sum_words(Size threads) { return 2 * warps_of(threads); }

}  // namespace bitune::layout
