#pragma once

// The first k keys of rows that shared memory holds, a warp or a part of one for each row.
//
// As in select_rows.cuh the k-th smallest of the minima of groups of keys is a bound, and what is not behind it is sorted. But a row is not
// held by registers. It is copied to shared memory, asynchronously, and read from there twice: for the minima of chunks of keys, and, where
// the minimum of a chunk is not behind the bound, once more. So a warp can have a long row, waits for no other warp, and the next row is on
// its way while the candidates are sorted.

#include "kernels/topk/copied_layout.hpp"
#include "kernels/topk/key_stream.cuh"
#include "kernels/topk/select_rows.cuh"

namespace bitune {

/// A row in shared memory, for nt threads with `chunks` chunks of `vectors` vectors of 16 bytes each. Neighbouring vectors are of
/// neighbouring threads. What the row lacks is the last key there is.
template <class Codec, int nt, int chunks, int vectors>
struct CopiedRow {
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  static constexpr int vector = 16 / static_cast<int>(sizeof(Raw));
  static constexpr int of_chunk = vectors * vector;
  static constexpr u32 room = u32{nt} * chunks * of_chunk;
  static_assert(chunks <= 32 && of_chunk <= 32);

  Raw* keys;

  BITUNE_DEVICE static u32 place(u32 chunk, u32 i) {
    return ((chunk * vectors + i / vector) * nt + RowThreads<nt>::index()) * vector + i % vector;
  }

  /// Begins to copy a row. Before it is read: cp_async_wait_all, and a barrier of its threads.
  BITUNE_DEVICE void copy(const Raw* row, u32 length) const {
    const u32 thread = RowThreads<nt>::index();
    const u32 whole = reinterpret_cast<u64>(row) % 16 == 0 ? length / vector * vector : 0;
    BITUNE_UNROLL_N(8)
    for (u32 i = thread * vector; i < whole; i += nt * vector) cp_async_16(keys + i, row + i);
    for (u32 i = whole + thread; i < length; i += nt) keys[i] = row[i];
    for (u32 i = length + thread; i < room; i += nt) keys[i] = Codec::decode(Codec::mask);
  }

  BITUNE_DEVICE void load(u32 chunk, Raw (&raw)[of_chunk]) const {
    BITUNE_UNROLL
    for (int i = 0; i < of_chunk; i += vector) load_vector(keys + place(chunk, i), *reinterpret_cast<Raw(*)[vector]>(raw + i));
  }

  /// The smallest word of each of the thread's chunks.
  BITUNE_DEVICE void minima(Word (&smallest)[chunks]) const {
    BITUNE_UNROLL
    for (int c = 0; c < chunks; ++c) {
      Raw raw[of_chunk];
      load(c, raw);
      smallest[c] = Codec::encode(raw[0]);
      BITUNE_UNROLL
      for (int i = 1; i < of_chunk; ++i) smallest[c] = minimum(smallest[c], Codec::encode(raw[i]));
    }
  }
};

/// Writes the first k keys of each of `rows` rows of n keys, as select_rows does.
///
/// minima: groups of each thread's chunks; all are at least k. capacity: candidates of a row; at least k.
/// Grid: as many blocks as run at once, with rows_per_block rows at a time. Dynamic shared memory: rows_per_block times layout::copied_row.
template <class Codec, class Payload, PlacedForm form, int value_bytes, int index_bytes, int nt, int chunks, int vectors,
          int rows_per_block, int minima, int capacity, int min_blocks>
BITUNE_KERNEL(nt * rows_per_block, min_blocks)
copied_rows(typename Codec::Raw* keys_out, u64 keys_out_stride, const typename Codec::Raw* keys_in, u64 keys_in_stride,
            typename CarriedValue<value_bytes>::Type* values_out, u64 values_out_stride,
            const typename CarriedValue<value_bytes>::Type* values_in, u64 values_in_stride,
            typename CarriedValue<index_bytes>::Type* indices_out, u64 indices_out_stride, const u8* lengths, u64 length_bytes, u64 rows,
            u32 n, u32 k) {
  using Threads = RowThreads<nt>;
  using Row = ResultRow<Codec, form, value_bytes, index_bytes>;
  using Copied = CopiedRow<Codec, nt, chunks, vectors>;
  using Raw = typename Codec::Raw;
  using Word = typename Codec::Word;
  using Words = SelectedWord<Codec, PlacedForm::word64>;  // a key without its place
  using Form = typename Row::Form;
  using Item = typename Form::Item;
  static_assert(!Threads::is_block && nt * rows_per_block >= static_cast<int>(warp_size) && minima <= chunks);
  constexpr layout::CopiedRow parts = layout::copied_row(Copied::room * sizeof(Raw), capacity, sizeof(Item));
  const u32 group = thread_index() / nt;
  u8* const shared = shared_memory<u8>() + group * static_cast<u32>(parts.bytes);
  const Copied copied{reinterpret_cast<Raw*>(shared)};
  const Candidates<Form, nt, capacity, 5> candidates{reinterpret_cast<Item*>(shared + parts.candidates)};
  u32* const count = reinterpret_cast<u32*>(shared + parts.count);

  // The plan's only launch: the next one may begin when all before this one is done.
  wait_for_previous_launch();
  allow_next_launch();
  // Groups without a row go through all barriers and shuffles with the last one. They write nothing.
  u64 row = u64{block_index()} * rows_per_block + group;
  const u64 step = u64{block_count()} * rows_per_block;
  u64 source = minimum(row, rows - 1);
  u32 length = counted_keys(lengths, length_bytes, source, n);
  copied.copy(keys_in + source * keys_in_stride, length);
  for (u64 base = u64{block_index()} * rows_per_block; base < rows; base += step) {
    const Row result(source, keys_out, keys_out_stride, keys_in, keys_in_stride, values_out, values_out_stride, values_in, values_in_stride,
                     indices_out, indices_out_stride);
    const u32 wanted = minimum(k, length);
    cp_async_wait_all();
    Threads::sync();
    Word of_chunks[chunks];
    copied.minima(of_chunks);
    Word smallest;
    Word kth;
    {
      Word of_groups[minima];
      BITUNE_UNROLL
      for (int c = 0; c < chunks; ++c) of_groups[c % minima] = c < minima ? of_chunks[c] : minimum(of_groups[c % minima], of_chunks[c]);
      KthMinimum<Word, nt, minima, 5>::find(of_groups, maximum(wanted, 1u), nullptr, nullptr, smallest, kth);
    }
    bool joins_nans = false;
    if constexpr (Row::Order::reads_nans) {
      joins_nans = Words::is_nan(smallest) || Words::is_nan(kth);
      if (joins_nans) {
        smallest = Words::of_equal_nans(smallest);
        kth = Words::of_equal_nans(kth);
        BITUNE_UNROLL
        for (int c = 0; c < chunks; ++c) of_chunks[c] = Words::of_equal_nans(of_chunks[c]);
      }
    }
    RowBound<Word> bound(smallest, kth, length);
    u32 all = 0;
    for (bool fits = false;;) {
      if (!fits && Threads::index() == 0) *count = 0;
      Threads::sync();
      u32 left = 0;
      BITUNE_UNROLL
      for (int c = 0; c < chunks; ++c) left |= of_chunks[c] <= bound.word && !fits ? u32{1} << c : 0;
      for (; left != 0; left &= left - 1) {
        const u32 chunk = lowest_bit(left);
        Raw raw[Copied::of_chunk];
        copied.load(chunk, raw);
        u32 bits = 0;
        BITUNE_UNROLL
        for (int i = 0; i < Copied::of_chunk; ++i) {
          Word word = Codec::encode(raw[i]);
          if (joins_nans) word = Words::of_equal_nans(word);
          bits |= word < bound.word || (word == bound.word && copied.place(chunk, i) < bound.end) ? u32{1} << i : 0;
        }
        if (bits == 0) continue;
        u32 to = atomic_add(count, bit_count(bits));
        for (; bits != 0 && to < capacity; bits &= bits - 1, ++to) {
          const u32 place = copied.place(chunk, lowest_bit(bits));
          candidates[to] = Form::make(Row::Order::encode(copied.keys[place]), place);
        }
      }
      Threads::sync();
      all = *count;
      fits = all >= wanted && all <= capacity;
      if (Threads::all_rows(fits)) break;
      if (!fits) bound.narrow(all < wanted);
      Threads::sync();  // for nobody: lanes have met
    }
    const bool is_row = row < rows;
    row += step;
    if (base + step < rows) {
      source = minimum(row, rows - 1);
      length = counted_keys(lengths, length_bytes, source, n);
      copied.copy(keys_in + source * keys_in_stride, length);
    }
    candidates.template sort<capacity / 2>(all);
    if (is_row) candidates.write_first(result, k, wanted);
    Threads::sync();  // for nobody: lanes meet before they write again
  }
}

}  // namespace bitune
