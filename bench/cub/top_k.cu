/// \file
/// CUB's top-k of arrays and of rows, where the toolkit has them (CCCL 3.5 and later), with indices. Which of
/// equal keys it takes is anybody's, and it leaves what it takes in any order.

#include "bench/cub/call.cuh"

#if __has_include(<cub/device/device_batched_topk.cuh>)
#include <cub/device/device_batched_topk.cuh>
#include <cub/device/device_topk.cuh>

#include <cuda/execution.determinism.h>
#include <cuda/execution.output_ordering.h>
#include <cuda/execution.require.h>
#include <cuda/execution.tie_break.h>
#include <cuda/argument>
#include <cuda/stream_ref>

namespace bitune::cub_peer {
namespace {

namespace execution = cuda::execution;

/// Where a row of an array begins.
template <class T>
struct RowPointer {
  T* first;
  std::uint64_t stride;
  __host__ __device__ T* operator()(std::int64_t row) const {
    return first + static_cast<std::uint64_t>(row) * stride;
  }
};

/// Places of keys, the same ones for each row.
struct Places {
  __host__ __device__ thrust::counting_iterator<std::uint32_t> operator()(std::int64_t /*row*/) const {
    return thrust::make_counting_iterator(std::uint32_t{0});
  }
};

template <class Of>
auto of_rows(Of of) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), of);
}

template <class Key>
cudaError_t of_array(Call& call) {
  const auto required =
      execution::require(execution::determinism::not_guaranteed, execution::output_ordering::unsorted);
  const auto env = cuda::std::execution::env{cuda::stream_ref{call.stream}, required};
  const auto* keys = static_cast<const Key*>(call.keys);
  auto* out = static_cast<Key*>(call.out);
  auto* indices = static_cast<std::uint32_t*>(call.values_out);
  const auto places = thrust::make_counting_iterator(std::uint32_t{0});
  const auto n = static_cast<std::int64_t>(call.n);
  const auto k = static_cast<std::int64_t>(call.k);
  return call.descending
             ? cub::DeviceTopK::MaxPairs(call.workspace, call.bytes, keys, out, places, indices, n, k, env)
             : cub::DeviceTopK::MinPairs(call.workspace, call.bytes, keys, out, places, indices, n, k, env);
}

/// CUB asks for rows' longest length when it is compiled: this is the longest one here.
constexpr std::int64_t longest_row = 131072;

/// Of rows of at most `longest` keys, or else by the next bound.
template <class Key, std::int64_t longest>
cudaError_t of_rows_up_to(Call& call) {
  if constexpr (longest < longest_row) {
    if (static_cast<std::int64_t>(call.n) > longest) return of_rows_up_to<Key, 4 * longest>(call);
  }
  const auto required =
      execution::require(execution::determinism::not_guaranteed, execution::tie_break::unspecified,
                         execution::output_ordering::unsorted);
  const auto env = cuda::std::execution::env{cuda::stream_ref{call.stream}, required};
  const auto keys = of_rows(RowPointer<const Key>{static_cast<const Key*>(call.keys), call.n});
  const auto out = of_rows(RowPointer<Key>{static_cast<Key*>(call.out), call.k});
  const auto indices =
      of_rows(RowPointer<std::uint32_t>{static_cast<std::uint32_t*>(call.values_out), call.k});
  const cuda::args::immediate n{static_cast<std::int64_t>(call.n),
                                cuda::args::static_bounds<std::int64_t{1}, longest>{}};
  const cuda::args::immediate k{static_cast<std::int64_t>(call.k),
                                cuda::args::static_bounds<std::int64_t{1}, longest>{}};
  const auto rows = static_cast<std::int64_t>(call.rows);
  return call.descending ? cub::DeviceBatchedTopK::MaxPairs(call.workspace, call.bytes, keys, out,
                                                            of_rows(Places{}), indices, n, k, rows, env)
                         : cub::DeviceBatchedTopK::MinPairs(call.workspace, call.bytes, keys, out,
                                                            of_rows(Places{}), indices, n, k, rows, env);
}

}  // namespace

int top_k_of_array(KeyType key, Call& call) {
  if (key == KeyType::f32) return status_of(of_array<float>(call));
  return key == KeyType::u32 ? status_of(of_array<std::uint32_t>(call)) : not_built_in;
}

int top_k_of_rows(KeyType key, Call& call) {
  if (key != KeyType::f32 || static_cast<std::int64_t>(call.n) > longest_row) return not_built_in;
  return status_of(of_rows_up_to<float, 128>(call));
}

}  // namespace bitune::cub_peer
#else
namespace bitune::cub_peer {

int top_k_of_array(KeyType /*key*/, Call& /*call*/) { return not_built_in; }
int top_k_of_rows(KeyType /*key*/, Call& /*call*/) { return not_built_in; }

}  // namespace bitune::cub_peer
#endif
