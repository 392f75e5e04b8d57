#pragma once

// Arrays and rows with values or indices, by digits, in a cluster of blocks: one launch. A block holds its share of the row in registers, each
// key with its value or its place. In each pass it counts its keys by a digit, and sends these counts to all blocks. Until those of the others
// are there, it puts its own keys in order, so that neighbours go to neighbouring places. Then it sends them there. The last pass writes them.

#include "kernels/network/block_sum.cuh"
#include "kernels/network/carried_value.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/tie_codec.cuh"
#include "kernels/radix/digit_cluster_layout.hpp"
#include "kernels/radix/radix_digits.cuh"
#include "kernels/radix/warp_ranks.cuh"

namespace bitune {

/// Two numbers of 4 bytes, or of 8: a key's word, and what travels with it.
template <int bytes>
struct alignas(bytes) DigitItem {
  using Number = typename Storage<bytes / 2>::Word;
  Number word;
  Number carried;
};

BITUNE_DEVICE void send_item(DigitItem<8>* local, Arrivals* arrivals, u32 rank, DigitItem<8> item) { send_to_rank(local, arrivals, rank, item); }

BITUNE_DEVICE void send_item(DigitItem<16>* local, Arrivals* arrivals, u32 rank, DigitItem<16> item) {
  send_two_words_to_rank(local, arrivals, rank, item.word, item.carried);
}

/// A row of blocks * nt * vt items. Item r of a thread is in its warp's part of the row, 32 items behind its item r - 1.
///
/// Who may write where: a block sends counts once its items are in registers. So who has counts of all blocks may send items. Blocks are at most
/// one pass apart, as each needs the counts of all others: so there is memory for the counts of two passes.
template <class Codec, int item_bytes, int nt, int vt, int blocks, int bits>
struct DigitCluster {
  using Word = typename Codec::Word;
  using Item = DigitItem<item_bytes>;
  using Digit = Digits<Codec, bits>;
  using Ranks = WarpRanks<bits>;
  using Sum = GroupPrefixSum<ThreadGroup<nt, nt / Digit::values>>;
  static constexpr u32 values = Digit::values;
  static constexpr u32 warps = nt / warp_size;
  static constexpr u32 share = u32{nt} * vt;
  static_assert(nt >= values && blocks * share <= 0x10000 && sizeof(Arrivals) == 8);

  Item* items;         ///< [share]: what arrives
  Item* tile;          ///< [share]: the block's own, by digit
  u32* targets;        ///< [values]: from an item's place in the tile to its place in the row
  u16* counts;         ///< [2][blocks][values]: how many keys of each block have a digit, in even and in odd passes
  u16* ranks;          ///< [warps][values]: how many keys with the digit the warp has met; later, where in the tile its next one goes
  u32* scratch;        ///< of two GroupPrefixSum
  Arrivals* arrivals;  ///< [passes]: of counts; then [passes - 1]: of items

  BITUNE_DEVICE explicit DigitCluster(u8* shared) : items(reinterpret_cast<Item*>(shared)) {
    constexpr layout::DigitClusterParts parts = layout::digit_cluster_parts(nt, vt, item_bytes, blocks, bits, Digit::passes);
    tile = items + share;
    targets = reinterpret_cast<u32*>(shared + parts.targets);
    counts = reinterpret_cast<u16*>(shared + parts.counts);
    ranks = reinterpret_cast<u16*>(shared + parts.ranks);
    scratch = reinterpret_cast<u32*>(shared + parts.scratch);
    arrivals = reinterpret_cast<Arrivals*>(shared + parts.arrivals);
  }

  BITUNE_DEVICE u16* received(u32 pass) const { return counts + pass % 2 * (blocks * values); }
  BITUNE_DEVICE static u32 first() { return warp_index() * (warp_size * vt) + lane(); }
  BITUNE_DEVICE static u32 digit_bits(const Item& item, u32 pass) {
    return Digit::from(TieCodec<Codec>::ordered(static_cast<Word>(item.word)), pass);
  }

  /// At the kernel's beginning, before anything slow.
  BITUNE_DEVICE void expect_all() const {
    if (thread_index() == 0) {
      for (u32 i = 0; i < 2 * Digit::passes - 1; ++i) expect_bytes(arrivals + i, i < Digit::passes ? blocks * values * 2 : share * item_bytes);
      publish_arrivals();
    }
    arrive_at_cluster();
  }

  /// Sends a digit's count to all blocks, by a thread for each digit. Four neighbours send their counts together, each to every fourth block.
  BITUNE_DEVICE void send_count(u16* to_all, Arrivals* then, u32 count) const {
    u32 two = count << (16 * (lane() & 1));
    two |= shuffle_xor(two, 1);
    const u32 others = shuffle_xor(two, 2);
    const u64 four = (lane() & 2) == 0 ? u64{others} << 32 | two : u64{two} << 32 | others;
    u64* const to = reinterpret_cast<u64*>(to_all + cluster_rank() * values) + thread_index() / 4;
    BITUNE_UNROLL
    for (u32 rank = 0; rank < blocks; rank += 4) {
      if (const u32 mine = rank + lane() % 4; mine < blocks) send_to_rank(to, then, mine, four);
    }
  }

  /// The count of a warp's keys with a digit becomes the place in the tile where the first of these goes. Gives where the first of the block's
  /// keys with the thread's digit goes. By a thread for each digit.
  BITUNE_DEVICE u32 add_up_own(u32 pass) const {
    u16* const of_digit = ranks + thread_index();
    u32 keys = 0;
    BITUNE_UNROLL
    for (u32 warp = 0; warp < warps; ++warp) keys += of_digit[warp * values];
    send_count(received(pass), arrivals + pass, keys);
    const u32 first_place = Sum(scratch)(keys);
    u32 place = first_place;
    BITUNE_UNROLL
    for (u32 warp = 0; warp < warps; ++warp) {
      const u32 of_warp = of_digit[warp * values];
      of_digit[warp * values] = static_cast<u16>(place);
      place += of_warp;
    }
    return first_place;
  }

  /// Where in the row the first of the block's keys with the thread's digit goes. By a thread for each digit.
  BITUNE_DEVICE u32 add_up_all(u32 pass) const {
    wait_for_bytes(arrivals + pass);
    const u16* const of_digit = received(pass) + thread_index();
    u32 of_all = 0;
    u32 of_lower = 0;
    BITUNE_UNROLL
    for (u32 rank = 0; rank < blocks; ++rank) {
      if (rank == cluster_rank()) of_lower = of_all;
      of_all += of_digit[rank * values];
    }
    return of_lower + Sum(scratch + Sum::words)(of_all);
  }

  /// Sorts the row: `place` is where in it each item goes. Where there are several passes, all blocks have read what they are given then. By
  /// all threads of the cluster.
  BITUNE_DEVICE void sort(Item (&item)[vt], u32 (&place)[vt]) const {
    wait_for_cluster();
    const Ranks of_warp(ranks);
    BITUNE_UNROLL_N(1)
    for (u32 pass = 0;; ++pass) {
      for (u32 i = lane(); i < values; i += warp_size) ranks[of_warp.first_counter + i] = 0;
      order_before_vote();
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) place[r] = of_warp.count(digit_bits(item[r], pass));
      sync_block();
      u32 first_place = 0;
      if (thread_index() < values) first_place = add_up_own(pass);
      sync_block();
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) tile[place[r] + of_warp.counter(digit_bits(item[r], pass))] = item[r];
      if (thread_index() < values) targets[thread_index()] = add_up_all(pass) - first_place;
      sync_block();
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) {
        const u32 i = thread_index() + r * nt;
        item[r] = tile[i];
        place[r] = targets[digit_bits(item[r], pass) & (values - 1)] + i;
      }
      if (pass + 1 == Digit::passes) return;
      Arrivals* const then = arrivals + Digit::passes + pass;
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) send_item(items + place[r] % share, then, place[r] / share, item[r]);
      wait_for_bytes(then);
      BITUNE_UNROLL
      for (int r = 0; r < vt; ++r) item[r] = items[first() + r * warp_size];
    }
  }
};

/// Sorts each row of `length` keys (at most blocks * nt * vt) stably. What is written, and where to, is as in place_cluster_sort. With values
/// of 16 bytes their places travel. Grid: one cluster of `blocks` blocks a row. Dynamic shared memory: layout::digit_cluster_parts.
template <class Codec, class Payload, int value_bytes, int index_bytes, bool writes_keys, int item_bytes, int nt, int vt, int blocks, int bits>
BITUNE_KERNEL(nt, 1)
digit_cluster_sort(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
                   typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
                   const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
                   typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, u32 length) {
  using Raw = typename Codec::Raw;
  using Cluster = DigitCluster<Codec, item_bytes, nt, vt, blocks, bits>;
  using Value = typename CarriedValue<value_bytes>::Type;
  constexpr bool fetches = value_bytes == 16;
  const Cluster cluster(shared_memory<u8>());
  cluster.expect_all();
  begin_launch();
  const u64 row = block_index() / blocks;
  const u32 first = cluster_rank() * Cluster::share + Cluster::first();
  typename Cluster::Item items[vt];
  {
    Raw raw[vt];
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = first + r * warp_size;
      raw[r] = i < length ? keys_in[row * keys_in_stride + i] : Raw{0};
      items[r].carried = i;
      if constexpr (value_bytes != 0 && !fetches) {
        if (i < length) items[r].carried = values_in[row * values_in_stride + i];
      }
    }
    // Padding is behind all keys, and stays there.
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) items[r].word = first + r * warp_size < length ? Codec::encode(raw[r]) : Codec::padding;
  }
  u32 places[vt];
  cluster.sort(items, places);
  Value values[fetches ? vt : 1];
  if constexpr (fetches) {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      if (places[r] < length) values[r] = values_in[row * values_in_stride + items[r].carried];
    }
  }
  if constexpr (fetches || Cluster::Digit::passes == 1) sync_cluster();
  BITUNE_UNROLL
  for (int r = 0; r < vt; ++r) {
    const u32 place = places[r];
    if (place >= length) continue;
    if constexpr (writes_keys) keys_out[row * keys_out_stride + place] = Codec::decode(static_cast<typename Codec::Word>(items[r].word));
    if constexpr (index_bytes != 0) indices_out[row * indices_out_stride + place] = static_cast<typename CarriedValue<index_bytes>::Type>(items[r].carried);
    if constexpr (fetches) {
      values_out[row * values_out_stride + place] = values[r];
    } else if constexpr (value_bytes != 0) {
      values_out[row * values_out_stride + place] = static_cast<Value>(items[r].carried);
    }
  }
}

}  // namespace bitune
