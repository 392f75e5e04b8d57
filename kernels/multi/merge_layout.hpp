#pragma once

/// \file
/// Sizes of what merging two runs keeps in shared memory.

#include "kernels/network/network_layout.hpp"

namespace bitune::layout {

/// Keys before a chunk, where each chunk is half of what is left.
template <class Index>
constexpr Index chunk_begin(Index keys, unsigned chunk, Index multiple) {
  return (keys - (keys >> chunk)) / multiple * multiple;
}

/// Upper halves of keys of four bytes.
constexpr unsigned upper_halves() { return 65536; }

/// Keys that a thread halves at once: up to so many places but one behind the last key are written.
constexpr unsigned halved_at_once() { return 8; }

/// A place in a tile has 16 bits.
constexpr Size place_bytes() { return 2; }

/// Where the place of a tile's key `index` stands: two of padding after every 16, against bank conflicts.
template <class Index>
constexpr Index padded_place(Index index) {
  return index + index / 16 * 2;
}

/// Keys that a tile's room has more than it: each of two runs begins where it does in memory, as lanes of a warp lie.
constexpr Size unread_places() { return 3 * 32; }

/// What a tile keeps: its keys, their places in order, and what travels with those that are far, of so many bytes.
struct TwoRunsTile {
  Size places;
  Size carried;
  Size bytes;
};
constexpr TwoRunsTile two_runs_tile(Size keys, Size key_bytes, Size far_carried_bytes) {
  const Size room = keys + unread_places();
  const Size places = rounded_up(room * key_bytes, place_bytes());
  const Size carried = rounded_up(places + padded_place(keys) * place_bytes(), 16);
  return {places, carried, carried + room * far_carried_bytes};
}

}  // namespace bitune::layout
