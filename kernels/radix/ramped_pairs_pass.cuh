#pragma once

// The same pass as radix_pairs_pass, where several waves of tiles follow each other: it begins and ends with small tiles
// (layout::RampedTiles).

#include "kernels/radix/radix_pairs_pass.cuh"

namespace bitune {

/// As radix_pairs_pass. tiles, step, falls_from: of layout::ramped_tiles. Grid: a block for every tile. Dynamic shared memory: RadixTile's,
/// and a TileSpan.
template <class Codec, class Payload, int value_bytes, ValueSource source, bool writes_keys, int nt, int vt, int bits,
          int loads, int counter_bytes, int min_blocks, bool values_beside_keys, bool allows_next_early>
BITUNE_KERNEL(nt, min_blocks)
ramped_pairs_pass(typename Codec::Raw* keys_out, const typename Codec::Raw* keys_in, typename CarriedValue<value_bytes>::Type* values_out,
                  const typename CarriedValue<value_bytes>::Type* values_in, u64 n, u32 pass, u32* tickets,
                  const typename Storage<counter_bytes>::Word* counts, typename Storage<counter_bytes>::Word* states, u32 tiles, u32 step,
                  u32 falls_from) {
  using Traffic = PairTraffic<Codec, value_bytes, source, writes_keys, values_beside_keys>;
  using Digit = Digits<Codec, bits>;
  using Counter = typename Storage<counter_bytes>::Word;
  u8* const memory = shared_memory<u8>();
  const RadixTile<Codec, Counter, nt, vt, bits, Traffic::slot_bytes()> tile(reinterpret_cast<typename Codec::Word*>(memory));
  TileSpan* const span = reinterpret_cast<TileSpan*>(memory + layout::tile_span_begin(tile.parts()));
  begin_launch_of_plan<allows_next_early>();
  if (thread_index() == 0) *span = ramped_tile<nt, vt>(n, step, falls_from, atomic_add(tickets + pass, 1));
  for (u32 i = lane(); i < Digit::values; i += warp_size) tile.ranks[warp_index() * Digit::values + i] = 0;
  sync_block();
  sort_tile_by_digit<Traffic, nt, vt, bits, loads, 0, packs_places<Traffic>(nt, vt, min_blocks, bits)>(
      Traffic{keys_out, keys_in, values_out, values_in}, n, pass, PassCounts<Counter>{counts, states, tiles, pass}, tile, *span,
      [&] { return pass + 1 >= Digit::passes; }, [] {});
}

}  // namespace bitune
