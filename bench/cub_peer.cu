/// \file
/// The peer "cub": CUB's device-wide radix sort and merge sort, and its segmented sorts, behind the C
/// interface of bench/peer_abi.h.
///
/// Each method is the fastest form that CUB offers for "n keys, sorted, workspace given beforehand".
///
/// - radix: out of place (keys -> out), which saves CUB the copy back.
/// - merge: in place, and as "merge_copy" out of place. Which is faster depends on the parity of the
///   number of merge passes.
/// - Segmented sorts of rows: out of place, from pointer to pointer. For rows of up to a tile that is one
///   pass, as with a DoubleBuffer. For longer ones it differs only in that the spare buffer is part of the
///   workspace. Offsets have 32 bits and are computed by an iterator, so none are read from memory. With
///   more than 500 rows DeviceSegmentedSort waits for the device in between: that is part of its time.

#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/version.cuh>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>

#include "bench/peer_abi.h"
#include "bitune/operands.hpp"
#include "bitune/types.hpp"

namespace {

constexpr int not_built_in = -1;

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

/// One sort call; with `workspace` null it only sets `bytes`, as CUB's functions do.
struct Call {
  bool descending;
  void* keys;
  void* out;
  std::uint64_t n;
  std::uint64_t rows;
  void* workspace;
  std::size_t bytes;
  cudaStream_t stream;
};

struct Radix {
  template <class Key>
  static cudaError_t run(Call& call) {
    const auto* in = static_cast<const Key*>(call.keys);
    auto* out = static_cast<Key*>(call.out);
    constexpr int bits = static_cast<int>(sizeof(Key) * 8);
    return call.descending ? cub::DeviceRadixSort::SortKeysDescending(call.workspace, call.bytes, in, out,
                                                                      call.n, 0, bits, call.stream)
                           : cub::DeviceRadixSort::SortKeys(call.workspace, call.bytes, in, out, call.n, 0,
                                                            bits, call.stream);
  }
};

struct Merge {
  template <class Key>
  static cudaError_t run(Call& call) {
    auto* keys = static_cast<Key*>(call.keys);
    return call.descending ? cub::DeviceMergeSort::SortKeys(call.workspace, call.bytes, keys, call.n,
                                                            Descending{}, call.stream)
                           : cub::DeviceMergeSort::SortKeys(call.workspace, call.bytes, keys, call.n,
                                                            Ascending{}, call.stream);
  }
};

struct MergeCopy {
  template <class Key>
  static cudaError_t run(Call& call) {
    auto* keys = static_cast<Key*>(call.keys);
    auto* out = static_cast<Key*>(call.out);
    return call.descending ? cub::DeviceMergeSort::SortKeysCopy(call.workspace, call.bytes, keys, out, call.n,
                                                                Descending{}, call.stream)
                           : cub::DeviceMergeSort::SortKeysCopy(call.workspace, call.bytes, keys, out, call.n,
                                                                Ascending{}, call.stream);
  }
};

/// Where the rows begin.
struct RowOffset {
  int length;
  __host__ __device__ int operator()(int row) const { return row * length; }
};

auto row_offsets(const Call& call, int first) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(first),
                                         RowOffset{static_cast<int>(call.n)});
}

struct Segmented {
  template <class Key>
  static cudaError_t run(Call& call) {
    const auto* in = static_cast<const Key*>(call.keys);
    auto* out = static_cast<Key*>(call.out);
    const auto items = static_cast<std::int64_t>(call.n * call.rows);
    const auto rows = static_cast<std::int64_t>(call.rows);
    const auto begins = row_offsets(call, 0);
    const auto ends = row_offsets(call, 1);
    return call.descending ? cub::DeviceSegmentedSort::SortKeysDescending(
                                 call.workspace, call.bytes, in, out, items, rows, begins, ends, call.stream)
                           : cub::DeviceSegmentedSort::SortKeys(call.workspace, call.bytes, in, out, items,
                                                                rows, begins, ends, call.stream);
  }
};

struct SegmentedRadix {
  template <class Key>
  static cudaError_t run(Call& call) {
    const auto* in = static_cast<const Key*>(call.keys);
    auto* out = static_cast<Key*>(call.out);
    return cub::DeviceSegmentedRadixSort::SortKeys(
        call.workspace, call.bytes, in, out, static_cast<int>(call.n * call.rows),
        static_cast<int>(call.rows), row_offsets(call, 0), row_offsets(call, 1), 0,
        static_cast<int>(sizeof(Key) * 8), call.stream);
  }
};

/// Leaves no sticky error behind for the next caller of the runtime.
int status_of(cudaError_t status) {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return static_cast<int>(status);
}

/// Whether the module is built for one type alone, which shows that it compiles in a fifth of the time.
#ifdef BITUNE_CUB_SAMPLE
constexpr bool is_sample = true;
#else
constexpr bool is_sample = false;
#endif

template <class Method, class Key>
int run(Call& call) {
  if constexpr (is_sample && !std::is_same_v<Key, std::uint32_t>) {
    return not_built_in;
  } else {
    return status_of(Method::template run<Key>(call));
  }
}

template <class Method>
int dispatch(int key_type, Call& call) {
  switch (static_cast<bitune::KeyType>(key_type)) {
    case bitune::KeyType::u16:
      return run<Method, std::uint16_t>(call);
    case bitune::KeyType::u32:
      return run<Method, std::uint32_t>(call);
    case bitune::KeyType::i32:
      return run<Method, std::int32_t>(call);
    case bitune::KeyType::f32:
      return run<Method, float>(call);
    case bitune::KeyType::u64:
      return run<Method, std::uint64_t>(call);
    case bitune::KeyType::i64:
      return run<Method, std::int64_t>(call);
    case bitune::KeyType::f64:
      return run<Method, double>(call);
    default:
      return not_built_in;
  }
}

bool fits_32_bits(const Call& call) {
  return call.n * call.rows <= static_cast<std::uint64_t>(std::numeric_limits<int>::max()) - call.n;
}

/// The segmented sorts take nvcc long: they are built for fewer types.
template <>
int dispatch<Segmented>(int key_type, Call& call) {
  if (!fits_32_bits(call)) return not_built_in;
  switch (static_cast<bitune::KeyType>(key_type)) {
    case bitune::KeyType::u16:
      return run<Segmented, std::uint16_t>(call);
    case bitune::KeyType::u32:
      return run<Segmented, std::uint32_t>(call);
    case bitune::KeyType::f32:
      return run<Segmented, float>(call);
    case bitune::KeyType::u64:
      return run<Segmented, std::uint64_t>(call);
    default:
      return not_built_in;
  }
}

template <>
int dispatch<SegmentedRadix>(int key_type, Call& call) {
  if (key_type != static_cast<int>(bitune::KeyType::u32) || call.descending || !fits_32_bits(call)) {
    return not_built_in;
  }
  return run<SegmentedRadix, std::uint32_t>(call);
}

/// Only keys alone are built in, in arrays and rows.
bool is_built_in(const BitunePeerProblem& problem) {
  return problem.operation == static_cast<int>(bitune::Operation::sort) && problem.value_bytes == 0 &&
         problem.ragged == 0;
}

template <class Method>
int workspace_bytes(const BitunePeerProblem* problem, std::uint64_t* bytes) {
  if (!is_built_in(*problem)) return not_built_in;
  Call call{problem->descending != 0, nullptr, nullptr, problem->n, problem->rows, nullptr, 0, nullptr};
  const int status = dispatch<Method>(problem->key_type, call);
  *bytes = call.bytes;
  return status;
}

template <class Method>
int sort(const BitunePeerProblem* problem, const BitunePeerOperands* operands, void* stream) {
  if (!is_built_in(*problem)) return not_built_in;
  const auto of = [operands](bitune::Role role) { return operands->of_role[static_cast<int>(role)]; };
  Call call{problem->descending != 0,
            of(bitune::Role::keys_in).data,
            of(bitune::Role::keys_out).data,
            problem->n,
            problem->rows,
            of(bitune::Role::workspace).data,
            of(bitune::Role::workspace).elements,
            static_cast<cudaStream_t>(stream)};
  return dispatch<Method>(problem->key_type, call);
}

const char* error_text(int code) {
  return code == not_built_in ? "this problem is not built into the module"
                              : cudaGetErrorString(static_cast<cudaError_t>(code));
}

/// "GPU-" and the UUID's bytes in hexadecimal digits, as the driver's tools print it.
std::string text_of(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    for (const int digit : {(uuid.bytes[i] >> 4) & 15, uuid.bytes[i] & 15}) text += "0123456789abcdef"[digit];
  }
  return text;
}

int select_device(const char* uuid) {
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  for (int device = 0; device < count && status == cudaSuccess; ++device) {
    cudaDeviceProp properties{};
    status = cudaGetDeviceProperties(&properties, device);
    if (status == cudaSuccess && text_of(properties.uuid) == uuid) return status_of(cudaSetDevice(device));
  }
  return status_of(status == cudaSuccess ? cudaErrorInvalidDevice : status);
}

constexpr BitunePeerMethod methods[] = {
    {"radix", 0, 0, workspace_bytes<Radix>, sort<Radix>},
    {"merge", 1, 0, workspace_bytes<Merge>, sort<Merge>},
    {"merge_copy", 0, 0, workspace_bytes<MergeCopy>, sort<MergeCopy>},
    {"segmented", 0, 1, workspace_bytes<Segmented>, sort<Segmented>},
    {"segmented_radix", 0, 1, workspace_bytes<SegmentedRadix>, sort<SegmentedRadix>},
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const BitunePeer* bitune_peer() {
  static const std::string version = std::to_string(CUB_MAJOR_VERSION) + "." +
                                     std::to_string(CUB_MINOR_VERSION) + "." +
                                     std::to_string(CUB_SUBMINOR_VERSION);
  static const BitunePeer peer = {BITUNE_PEER_ABI, "cub",         version.c_str(),
                                  error_text,      select_device, static_cast<int>(std::size(methods)),
                                  methods};
  return &peer;
}
