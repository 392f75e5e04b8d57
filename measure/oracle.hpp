#pragma once

/// \file
/// The oracle: whether the result of an operation is right.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"

namespace bitune {

/// What a problem does not say, and how the oracle works.
struct OracleOptions {
  unsigned threads = 0;                                  ///< of the host, at most; 0: one for each core
  std::uint64_t keys_a_thread = std::uint64_t{1} << 16;  ///< the fewest for which another thread pays
  std::uint64_t seed = 0x62697475'6E65u;                 ///< of the digests that tell permutations
};

/// Says what is wrong with a result; nothing if it is right. The operands are in the host's memory: `keys_in`
/// and `values_in` as they were before the call, and what the call has written. The sentence names the first
/// row (or segment) that is wrong, its first place that is wrong, and what belongs there.
///
/// What is right:
/// - *sort*: each row of keys_out is the row of keys_in in order, bit for bit.
/// - *sort_pairs*: so are the keys, and values_out holds for each key a value that it had in values_in.
/// - *argsort*: indices_out holds each index of the row once, and keys_in by these indices is in order.
///   keys_out may be missing; where it is given, it follows the indices.
/// - *top_k*: the first k of the row in this order, or all of a row that has fewer. Of equal keys the first
///   ones of the input are taken, in their order. One of keys_out and indices_out may be missing. What a row
///   lacks of k is filled: with the last key of all in this order, with values of zero bytes, and with
///   indices of ones in all bits.
/// In each of them values are checked if the problem has value_bytes, and indices if it has index_bytes.
///
/// The order is that of model/key_order.hpp: -0 before +0, every NaN behind all numbers; descending is the
/// exact reverse. Where nothing travels with the keys, NaNs are told apart by their bits, so that only one
/// result is right. Where a value or an index travels, all NaNs are equal keys, as in NumPy; -0 and +0 stay
/// two keys. A stable sort and every top_k keep equal keys in the order of the input, descending ones too. In
/// an unstable sort their order is free; so what is right for a stable sort is right for an unstable one.
///
/// Rows begin `stride` elements apart, in each operand by its own stride. Segments lie in all operands where
/// `offsets` and `ends` say; but top_k writes segment r to place r * stride. With `lengths`, row or segment r
/// counts lengths[r] keys only, as far as it has so many; their stride is the bytes of each, 4 or 8. What
/// lies outside is no matter of the oracle: see GuardedImage.
///
/// It takes one pass over input and result where there are no ties to look at, else a sort of the row with
/// its indices. A fault is only told after that sort; that all is right may rest on a digest (ItemDigest).
/// \throws Error (usage) where an operand is missing or too small, or segments overlap,
/// end before they begin, or end behind the keys.
[[nodiscard]] std::optional<std::string> find_fault(const Problem& problem, const Operands& on_host,
                                                    const OracleOptions& options = {});

/// The same for keys alone, the rows one behind the other in both.
[[nodiscard]] std::optional<std::string> find_fault_of_keys(const Problem& problem,
                                                            std::span<const std::byte> keys,
                                                            std::span<const std::byte> sorted);

}  // namespace bitune
