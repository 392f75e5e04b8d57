#pragma once

/// \file
/// Sizes of the radix variant's data.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

constexpr Size digit_values(Size digit_bits) { return Size{1} << digit_bits; }

/// Passes over the keys: one for each digit.
constexpr Size digit_passes(Size key_bits, Size digit_bits) { return (key_bits + digit_bits - 1) / digit_bits; }

/// Bytes of a counter of keys. Two of its bits say what it counts (LookBack), so that 4 bytes count fewer than 2^30 keys.
constexpr Size digit_counter_bytes(unsigned long long keys) { return keys < 1ull << 30 ? 4 : 8; }

/// u32 in shared memory while digits are counted: so many copies of each counter.
constexpr Size count_digits_words(Size key_bits, Size digit_bits, Size copies) {
  return digit_passes(key_bits, digit_bits) * digit_values(digit_bits) * copies;
}

/// Keys of a tile at most: a place in a tile has 16 bits.
constexpr Size most_radix_keys() { return 65536; }

/// Bytes of a place in a tile that holds the words of keys, and then their values, or both at once.
constexpr Size pair_slot_bytes(Size word_bytes, Size value_bytes, bool at_once) {
  return at_once ? word_bytes + value_bytes : word_bytes > value_bytes ? word_bytes : value_bytes;
}

/// Where the parts of RadixTile begin in a block's shared memory, and how many bytes they are together.
struct RadixTileParts {
  Size targets;
  Size ranks;
  Size scratch;
  Size ticket;
  Size bytes;
};

constexpr RadixTileParts radix_tile_parts(Size threads, Size items, Size digit_bits, Size slot_bytes, Size counter_bytes) {
  const Size targets = threads * items * slot_bytes;
  const Size ranks = targets + digit_values(digit_bits) * counter_bytes;
  const Size scratch = ranks + warps_of(threads) * digit_values(digit_bits) * 2;
  const Size ticket = scratch + 4 * prefix_sum_words(threads);
  return {targets, ranks, scratch, ticket, ticket + 4};
}

/// Registers of a thread that sorts its items by a digit: an item's word or what travels with it, of so many bytes, its place in the tile and
/// its digit, and others. packed: places and digits share registers with others.
constexpr Size radix_registers(Size threads, Size items, Size digit_bits, Size item_bytes, bool packed) {
  const Size digits = digit_values(digit_bits) / threads;  // that a thread adds up
  const Size places = packed ? (items + 1) / 2 + (items + 3) / 4 - 8 : items;
  return items * (item_bytes / 4) + places + 20 + (digits > 1 ? 9 * digits : 0);
}

/// Whether they are packed: where a multiprocessor's registers, 65536, are too few otherwise.
constexpr bool packs_radix_places(Size threads, Size items, Size blocks, Size digit_bits, Size item_bytes) {
  return radix_registers(threads, items, digit_bits, item_bytes, false) * threads * blocks > 65536;
}

/// Counters that a pass's blocks tell each other, of one pass: a counter of each digit for each tile. There are two such arrays, for even
/// and for odd passes.
constexpr unsigned long long look_back_counters(unsigned long long tiles, unsigned long long digit_values) {
  return tiles * digit_values;
}

}  // namespace bitune::layout
