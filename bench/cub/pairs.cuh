#pragma once

/// \file
/// How CUB's sorts of pairs are called by key type and width of the values, and how they make an argsort.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "bench/cub/call.cuh"

namespace bitune::cub_peer {

/// Writes for each key where it stands in its row.
template <class Place>
__global__ void write_places(Place* places, std::uint64_t items, std::uint64_t n) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < items; i += step) {
    // Only rows need the remainder, and they are numbered by 32 bits (fits_32_bits).
    const bool is_array = n == items;
    places[i] =
        is_array ? static_cast<Place>(i) : static_cast<std::uint32_t>(i) % static_cast<std::uint32_t>(n);
  }
}

/// Parts of a workspace, one behind the other, each aligned as CUB wants it.
class Parts {
 public:
  explicit Parts(void* workspace) : begin_(static_cast<std::byte*>(workspace)) {}

  void* take(std::size_t bytes) {
    void* const part = begin_ == nullptr ? nullptr : begin_ + taken_;
    taken_ += (bytes + alignment - 1) / alignment * alignment;
    return part;
  }
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  static constexpr std::size_t alignment = 256;
  std::byte* begin_;
  std::size_t taken_ = 0;
};

/// An argsort of pairs: the sorted keys, and the places as values where the method does not make them itself,
/// go to the workspace.
template <class Method, class Key, class Place>
cudaError_t run_argsort(Call& call) {
  Parts parts(call.workspace);
  Call sort = call;
  sort.out = parts.take(call.items() * sizeof(Key));
  if constexpr (!Method::makes_places) {
    auto* const places = static_cast<Place*>(parts.take(call.items() * sizeof(Place)));
    sort.values = places;
    if (call.workspace != nullptr) {
      constexpr int threads = 256;
      const std::uint64_t blocks = (call.items() + 4 * threads - 1) / (4 * threads);
      const auto grid = static_cast<unsigned>(blocks < 65536 ? blocks : 65536);
      write_places<<<grid, threads, 0, call.stream>>>(places, call.items(), call.n);
      if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) return status;
    }
  }
  const std::size_t before = parts.taken();
  sort.workspace = parts.take(0);
  sort.bytes = call.bytes < before ? 0 : call.bytes - before;
  cudaError_t status = cudaSuccess;
  if constexpr (Method::makes_places) {
    status = Method::template run_places<Key, Place>(sort);
  } else {
    status = Method::template run<Key, Place>(sort);
  }
  if (call.workspace == nullptr) call.bytes = before + sort.bytes;
  return status;
}

/// Values of 16 bytes.
struct alignas(16) WideValue {
  std::uint64_t words[2];
};

/// The keys that are measured most; nvcc takes long for each type.
template <class Key>
constexpr bool is_usual_key = std::is_same_v<Key, std::uint16_t> || std::is_same_v<Key, std::uint32_t> ||
                              std::is_same_v<Key, float> || std::is_same_v<Key, std::uint64_t>;

template <class Value>
constexpr bool is_usual_value = sizeof(Value) == 4 || sizeof(Value) == 8;

template <class Key, class Value>
constexpr bool is_usual = (sizeof(Value) == 4 || sizeof(Value) == 8) && is_usual_key<Key>;

template <class Method, class Key, class Value>
int run_pairs(Values values, Call& call) {
  constexpr bool descends = Method::template descends<Key>;
  constexpr bool is_sampled = std::is_same_v<Key, std::uint32_t> && sizeof(Value) == 4;
  if constexpr (is_sample ? !is_sampled : !Method::template is_built_for<Key, Value>) {
    return not_built_in;
  } else if (call.descending && !descends) {
    return not_built_in;
  } else if (!values.makes_places) {
    return status_of(Method::template run<Key, Value>(call));
  } else if constexpr (Method::in_place || !is_usual_value<Value>) {
    return not_built_in;  // an argsort leaves the keys as they are, and its indices have 4 or 8 bytes
  } else {
    return status_of(run_argsort<Method, Key, Value>(call));
  }
}

template <class Method, class Key>
int dispatch_values(Values values, Call& call) {
  switch (values.bytes) {
    case 1:
      return run_pairs<Method, Key, std::uint8_t>(values, call);
    case 2:
      return run_pairs<Method, Key, std::uint16_t>(values, call);
    case 4:
      return run_pairs<Method, Key, std::uint32_t>(values, call);
    case 8:
      return run_pairs<Method, Key, std::uint64_t>(values, call);
    case 16:
      return run_pairs<Method, Key, WideValue>(values, call);
    default:
      return not_built_in;
  }
}

/// Sorts by the method what it is built for.
template <class Method>
int dispatch_pairs(KeyType key, Values values, Call& call) {
  switch (key) {
    case KeyType::u8:
      return dispatch_values<Method, std::uint8_t>(values, call);
    case KeyType::i8:
      return dispatch_values<Method, std::int8_t>(values, call);
    case KeyType::u16:
      return dispatch_values<Method, std::uint16_t>(values, call);
    case KeyType::i16:
      return dispatch_values<Method, std::int16_t>(values, call);
    case KeyType::f16:
      return dispatch_values<Method, __half>(values, call);
    case KeyType::bf16:
      return dispatch_values<Method, __nv_bfloat16>(values, call);
    case KeyType::u32:
      return dispatch_values<Method, std::uint32_t>(values, call);
    case KeyType::i32:
      return dispatch_values<Method, std::int32_t>(values, call);
    case KeyType::f32:
      return dispatch_values<Method, float>(values, call);
    case KeyType::u64:
      return dispatch_values<Method, std::uint64_t>(values, call);
    case KeyType::i64:
      return dispatch_values<Method, std::int64_t>(values, call);
    case KeyType::f64:
      return dispatch_values<Method, double>(values, call);
  }
  return not_built_in;
}

}  // namespace bitune::cub_peer
