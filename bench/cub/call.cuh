#pragma once

/// \file
/// What the sources of the peer "cub" share: a call, how keys are compared, where rows begin.

#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "bench/peer_abi.hpp"
#include "bitune/types.hpp"

namespace bitune::cub_peer {

constexpr int not_built_in = BITUNE_PEER_NOT_BUILT_IN;

/// Whether the module is built for u32 alone, which shows that it compiles in a fraction of the time.
#ifdef BITUNE_CUB_SAMPLE
constexpr bool is_sample = true;
#else
constexpr bool is_sample = false;
#endif

/// One sort call; with `workspace` null it only sets `bytes`, as CUB's functions do.
struct Call {
  bool descending = false;
  std::uint64_t n = 0;
  std::uint64_t rows = 1;
  std::uint64_t k = 0;  ///< of a top_k
  bool ragged = false;  ///< the rows are segments, of n keys in all
  const int* offsets = nullptr;
  void* keys = nullptr;
  void* out = nullptr;
  void* values = nullptr;
  void* values_out = nullptr;
  void* workspace = nullptr;
  std::size_t bytes = 0;
  cudaStream_t stream = nullptr;

  [[nodiscard]] std::uint64_t items() const { return ragged ? n : n * rows; }
};

struct Ascending {
  template <class Key>
  __device__ bool operator()(const Key& a, const Key& b) const {
    return a < b;
  }
};

struct Descending {
  template <class Key>
  __device__ bool operator()(const Key& a, const Key& b) const {
    return b < a;
  }
};

/// Where the rows begin. nvcc takes long for each type of offsets, so that there is one for both shapes.
struct RowOffset {
  int length;
  const int* offsets;  ///< of segments; null: rows of one length
  __host__ __device__ int operator()(int row) const {
    return offsets == nullptr ? row * length : offsets[row];
  }
};

inline auto row_offsets(const Call& call, int first) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(first),
                                         RowOffset{static_cast<int>(call.n), call.offsets});
}

/// Whether row_offsets has room for the place behind the last row.
inline bool fits_32_bits(const Call& call) {
  const std::uint64_t behind = call.ragged ? 0 : call.n;
  return call.items() <= static_cast<std::uint64_t>(std::numeric_limits<int>::max()) - behind;
}

/// Leaves no sticky error behind for the next caller of the runtime.
inline int status_of(cudaError_t status) {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return static_cast<int>(status);
}

/// CUB's sorts of keys alone (keys.cu). They return 0, a cudaError_t, or not_built_in.
int sort_radix(KeyType key, Call& call);
int sort_merge(KeyType key, Call& call);
int sort_merge_copy(KeyType key, Call& call);
int sort_segmented(KeyType key, Call& call);
int sort_segmented_radix(KeyType key, Call& call);

/// The same with values of 4 or 8 bytes (radix_pairs.cu, merge_pairs.cu, segmented_pairs.cu). With
/// `makes_places` the values are where the keys stand in their row: CUB has no argsort.
struct Values {
  std::uint32_t bytes = 0;
  bool makes_places = false;
};
int sort_radix_pairs(KeyType key, Values values, Call& call);
int sort_merge_pairs(KeyType key, Values values, Call& call);
int sort_merge_copy_pairs(KeyType key, Values values, Call& call);
int sort_segmented_pairs(KeyType key, Values values, Call& call);
int sort_segmented_radix_pairs(KeyType key, Values values, Call& call);

/// The first k keys and their indices, of 4 bytes, of an array or of each row (top_k.cu).
int top_k_of_array(KeyType key, Call& call);
int top_k_of_rows(KeyType key, Call& call);

}  // namespace bitune::cub_peer
