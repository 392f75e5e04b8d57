#pragma once

// Buckets of a sample sort: the last of the samplesort variant's kernels. Each is sorted in the registers of one block.

#include "kernels/network/block_sum.cuh"
#include "kernels/network/encoded_codec.cuh"
#include "kernels/network/launch.cuh"
#include "kernels/network/register_tile.cuh"
#include "kernels/network/tile_io.cuh"
#include "kernels/samplesort/sample_buckets.cuh"
#include "kernels/samplesort/samplesort_layout.hpp"

namespace bitune {

/// Sorts `count` words in global memory, a comparator a thread and step. It is for buckets that fit nowhere else.
template <int nt, class Raw>
BITUNE_DEVICE void sort_in_memory(Raw* words, u32 count) {
  for (u32 run = 1; run < count; run *= 2) {
    for (u32 distance = run; distance > 0; distance /= 2) {
      const u32 partner_mask = distance == run ? 2 * run - 1 : distance;
      for (u32 pair = thread_index();; pair += nt) {
        const u32 i = pair + (pair & ~(distance - 1));  // a zero bit inserted
        if (i >= count) break;
        const u32 partner = i ^ partner_mask;
        if (partner < count && words[partner] < words[i]) {
          const Raw larger = words[i];
          words[i] = words[partner];
          words[partner] = larger;
        }
      }
      sync_block();
    }
  }
}

/// The bucket that a block takes, and what it must know of all.
struct BucketOfBlock {
  u32 index;
  u32 between;   ///< its keys
  u32 equal;     ///< keys that equal its splitter
  u32 before;    ///< keys before it
  u32 frequent;  ///< keys that equal a splitter of which there are more than a tile
};
static_assert(sizeof(BucketOfBlock) == layout::bucket_of_block_bytes());

/// A bucket that fills one tile, or a second one in part, which is sorted like the first and merged with it.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int imad_quarters>
struct LeafTile {
  using Raw = typename Codec::Raw;
  using Word = Item<Codec, Payload>;
  using Tile = RegisterTile<Word, Comparator<imad_quarters>, nt, vt, shuffle_steps>;
  using Encoded = StripedTile<EncodedCodec<Codec>, Payload, nt, vt, 1>;

  BITUNE_DEVICE static u32 in_tile(u32 count, u32 tile) { return minimum(count - tile * Tile::nv, Tile::nv); }

  /// Decodes what is in striped order. There is one path for full tiles and others, since buckets hardly ever fill theirs.
  BITUNE_DEVICE static void store(Raw* keys, u32 count, const Word (&items)[vt]) {
    BITUNE_UNROLL
    for (int r = 0; r < vt; ++r) {
      const u32 i = thread_index() + r * nt;
      if (i < count) keys[i] = Codec::decode(items[r]);
    }
  }

  /// Sorts the words of the bucket, at most two tiles, to `keys`. What is known of the bucket is read from shared memory wherever it is
  /// needed, so that it takes no registers from the tile.
  BITUNE_DEVICE static void sort(Raw* all_words, u32 capacity, Raw* all_keys, const BucketOfBlock& bucket) {
    Word* const shared = shared_memory<Word>();
    const auto words = [&] { return all_words + u64{bucket.index} * capacity; };
    const auto keys = [&] { return all_keys + bucket.before; };
    const u32 tiles = bucket.between > Tile::nv ? 2 : 1;
    BITUNE_UNROLL_N(1)
    for (u32 tile = 0; tile < tiles; ++tile) {
      Word items[vt];
      Encoded::load(words() + tile * Tile::nv, in_tile(bucket.between, tile), items);
      Tile::sort(shared, items);
      Tile::template to_striped<1>(shared, items);
      if (tiles == 1) {
        store(keys(), bucket.between, items);
      } else {
        Encoded::store(words() + tile * Tile::nv, in_tile(bucket.between, tile), items);
        sync_block();
      }
    }
    if (tiles == 1) return;
    for (u32 i = thread_index(); i < bucket.between - Tile::nv; i += nt) {  // the flip
      Raw& lower = words()[Tile::nv - 1 - i];
      Raw& upper = words()[Tile::nv + i];
      if (upper < lower) {
        const Raw larger = lower;
        lower = upper;
        upper = larger;
      }
    }
    sync_block();
    BITUNE_UNROLL_N(1)
    for (u32 tile = 0; tile < tiles; ++tile) {
      const u32 here = in_tile(bucket.between, tile);
      // No barriers: the tile's first layout is striped, and so is its last one. A thread takes just what it puts here.
      for (u32 i = thread_index(); i < Tile::nv; i += nt) shared[Tile::padded(i)] = i < here ? words()[tile * Tile::nv + i] : Codec::padding;
      Word items[vt];
      Tile::template merge<Tile::in_shared, false, Tile::L, false>(shared, items);
      Tile::template to_striped<1>(shared, items);
      store(keys() + tile * Tile::nv, in_tile(bucket.between, tile), items);
    }
  }
};

/// `count` times the same key.
template <int nt, class Raw>
BITUNE_DEVICE void fill(Raw* keys, u32 count, Raw key) {
  for (u32 i = thread_index(); i < count; i += nt) keys[i] = key;
}

/// A frequent key is one that equals a splitter and occurs more than `many` times. There are `all` keys like that, and each block fills in
/// its share of them. A share is shorter than twice `many`, so that it has a few different keys at most. Shared memory: two of
/// GroupPrefixSum's, and the list of these keys.
template <class Codec, int nt>
BITUNE_DEVICE void fill_frequent_keys(typename Codec::Raw* keys, const BucketCounts& counts, const Splitters<typename Codec::Word>& splitters,
                                      u32 many, u32 all) {
  using PrefixSum = GroupPrefixSum<ThreadGroup<nt, 1>>;
  const u32 first = static_cast<u32>(u64{all} * block_index() / splitters.buckets);
  const u32 last = static_cast<u32>(u64{all} * (block_index() + 1) / splitters.buckets);
  PrefixSum keys_before(shared_memory<u32>());
  PrefixSum frequent_before(keys_before.shared + PrefixSum::words);
  u32* const list_length = frequent_before.shared + PrefixSum::words;
  u32* const list = list_length + 1;  // [][bucket, place, count]
  if (thread_index() == 0) *list_length = 0;
  for (u32 base = 0; base < splitters.buckets; base += nt) {
    const u32 bucket = base + thread_index();
    const u32 between = bucket < splitters.buckets ? counts.between(bucket) : 0;
    const u32 equal = bucket < splitters.buckets ? counts.equal(bucket) : 0;
    const u32 place = keys_before(between + equal) + between;
    const u32 frequent = equal > many ? equal : 0;
    const u32 before = frequent_before(frequent);
    const u32 begin = maximum(before, first);
    const u32 end = minimum(before + frequent, last);
    if (begin < end) {
      u32* const entry = list + 3 * atomic_add(list_length, 1);
      entry[0] = bucket;
      entry[1] = place + (begin - before);
      entry[2] = end - begin;
    }
  }
  sync_block();
  for (u32 i = 0; i < *list_length; ++i) {
    const u32* const entry = list + 3 * i;
    fill<nt>(keys + entry[1], entry[2], Codec::decode(splitters[entry[0]]));
  }
  sync_block();  // the memory has other uses next
}

/// The order in which blocks take the buckets. Buckets of more than a tile take twice as long. They come first, so that none of them is the
/// last one, for which all others would wait. So the first blocks take the long buckets, and the blocks that these belong to take those of
/// the first blocks.
struct BucketOrder {
  static constexpr u32 most = warp_size;  ///< long buckets; if there are more, all blocks take their own
  static constexpr u32 words = 1 + 2 * most;

  u32* found_count;
  u32* found;   // long buckets, in any order
  u32* sorted;  // and in order

  BITUNE_DEVICE explicit BucketOrder(u32* memory) : found_count(memory), found(memory + 1), sorted(found + most) {}

  BITUNE_DEVICE void clear() const {
    if (thread_index() == 0) *found_count = 0;
  }

  BITUNE_DEVICE void add(u32 bucket) const {
    const u32 place = atomic_add(found_count, 1);
    if (place < most) found[place] = bucket;
  }

  /// The bucket that this block takes, when all long ones were added.
  BITUNE_DEVICE u32 bucket() const {
    const u32 mine = block_index();
    const u32 count = *found_count;
    if (count == 0 || count > most) return mine;
    if (mine >= count && all_of_warp(lane() >= count || found[lane()] != mine)) return mine;
    if (thread_index() < count) {
      u32 rank = 0;
      for (u32 i = 0; i < count; ++i) rank += found[i] < found[thread_index()];
      sorted[rank] = found[thread_index()];
    }
    sync_block();
    if (mine < count) return sorted[mine];
    u32 at_home = 0;  // long buckets of the first blocks
    while (at_home < count && sorted[at_home] < count) ++at_home;
    u32 result = 0;  // each long bucket from there on, up to this one, takes the next bucket of the first blocks that is not long
    for (u32 i = at_home;; ++i, ++result) {
      for (u32 j = 0; j < at_home; ++j) result += sorted[j] == result;  // ascending
      if (sorted[i] == mine) return result;
    }
  }
};

template <int nt>
BITUNE_DEVICE u32 keys_before_bucket(const BucketCounts& counts, u32 bucket) {
  u32 before[1] = {0};
  for (u32 i = thread_index(); i < bucket; i += nt) before[0] += counts.between(i) + counts.equal(i);
  GroupSum<u32, ThreadGroup<nt, 1>, 1> sum(shared_memory<u32>());
  sum(before);
  return before[0];
}

/// Writes to shared memory which bucket the block takes. Shared memory besides: GroupSum's for two numbers, then BucketOrder's, which is
/// clear.
template <int nt, u32 tile>
BITUNE_DEVICE void choose_bucket(const BucketCounts& counts, u32 buckets, const BucketOrder& order, BucketOfBlock* result) {
  // Nearly always the block's own: that is asked for before it is certain.
  BucketOfBlock bucket{block_index(), counts.between(block_index()), counts.equal(block_index()), 0, 0};
  u32 sums[2] = {0, 0};
  for (u32 i = thread_index(); i < buckets; i += nt) {
    const u32 between = counts.between(i);
    const u32 equal = counts.equal(i);
    if (i < block_index()) sums[0] += between + equal;
    if (equal > tile) sums[1] += equal;
    if (between > tile) order.add(i);
  }
  GroupSum<u32, ThreadGroup<nt, 1>, 2> sum(shared_memory<u32>());
  sum(sums);
  const u32 chosen = order.bucket();
  if (chosen != block_index()) {
    bucket = {chosen, counts.between(chosen), counts.equal(chosen), 0, 0};
    sums[0] = keys_before_bucket<nt>(counts, chosen);
  }
  bucket.before = sums[0];
  bucket.frequent = sums[1];
  if (thread_index() == 0) *result = bucket;
  sync_block();  // the rest of the memory has other uses next
}

/// Fills in the keys that equal splitters: those of the block's bucket where they are few, and its share of those that are more than a
/// tile. Shared memory: fill_frequent_keys'.
template <class Codec, int nt, u32 tile>
BITUNE_DEVICE void fill_equal_keys(typename Codec::Raw* keys, const BucketCounts& counts, const Splitters<typename Codec::Word>& splitters,
                                   const BucketOfBlock& bucket) {
  if (bucket.equal != 0 && bucket.equal <= tile) {
    fill<nt>(keys + bucket.before + bucket.between, bucket.equal, Codec::decode(splitters[bucket.index]));
  }
  if (bucket.frequent != 0) fill_frequent_keys<Codec, nt>(keys, counts, splitters, tile, bucket.frequent);
}

/// Sorts each bucket to its place in `keys`; the arguments are those of sample_partition. Grid: a block for each bucket. Dynamic shared
/// memory: RegisterTile::shared_words words, then a BucketOfBlock. capacity: two tiles. A bucket that spilled is slow, but right.
template <class Codec, class Payload, int nt, int vt, int shuffle_steps, int imad_quarters, int min_blocks>
BITUNE_KERNEL(nt, min_blocks)
leaf_sort(typename Codec::Raw* keys, typename Codec::Raw* words, const typename Codec::Raw* spilled, u32* bucket_counts, u32 capacity,
          const typename Codec::Word* samples, u32 sample_count) {
  using Word = Item<Codec, Payload>;
  using Leaf = LeafTile<Codec, Payload, nt, vt, shuffle_steps, imad_quarters>;
  const Splitters<Word> splitters{samples, sample_count, block_count()};
  const BucketCounts counts{bucket_counts};
  const BucketOrder order(shared_memory<u32>() + GroupSum<u32, ThreadGroup<nt, 1>, 2>::words);
  order.clear();
  sync_block();
  begin_launch();
  const auto bucket = reinterpret_cast<BucketOfBlock*>(shared_memory<Word>() + Leaf::Tile::shared_words);
  choose_bucket<nt, nt * vt>(counts, block_count(), order, bucket);
  fill_equal_keys<Codec, nt, nt * vt>(keys, counts, splitters, *bucket);
  if (bucket->between <= capacity) {
    if (bucket->between != 0) Leaf::sort(words, capacity, keys, *bucket);
    return;
  }
  const u32 mine = bucket->index;
  const u32 count = bucket->between;
  keys += bucket->before;
  words += u64{mine} * capacity;
  for (u32 i = thread_index(); i < capacity; i += nt) keys[i] = words[i];
  const u32 all_spilled = bucket_counts[2 * block_count()];
  GroupPrefixSum<ThreadGroup<nt, 1>> found_before(shared_memory<u32>());
  for (u32 base = 0; base < all_spilled; base += nt) {
    const u32 i = base + thread_index();
    const Word word = i < all_spilled ? Word{spilled[i]} : Word{0};
    const bool is_mine = i < all_spilled && word < splitters[mine] && (mine == 0 || word > splitters[mine - 1]);
    const u32 place = found_before(is_mine ? 1 : 0);
    if (is_mine) keys[capacity + place] = spilled[i];
  }
  sync_block();
  sort_in_memory<nt>(keys, count);
  for (u32 i = thread_index(); i < count; i += nt) keys[i] = Codec::decode(keys[i]);
}

}  // namespace bitune
