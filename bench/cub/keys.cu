/// \file
/// CUB's sorts of keys alone.

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "bench/cub/call.cuh"

namespace bitune::cub_peer {
namespace {

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

struct Segmented {
  template <class Key>
  static cudaError_t run(Call& call) {
    const auto* in = static_cast<const Key*>(call.keys);
    auto* out = static_cast<Key*>(call.out);
    const auto items = static_cast<std::int64_t>(call.items());
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
        call.workspace, call.bytes, in, out, static_cast<int>(call.items()), static_cast<int>(call.rows),
        row_offsets(call, 0), row_offsets(call, 1), 0, static_cast<int>(sizeof(Key) * 8), call.stream);
  }
};

template <class Method, class Key>
int run(Call& call) {
  if constexpr (is_sample && !std::is_same_v<Key, std::uint32_t>) {
    return not_built_in;
  } else {
    return status_of(Method::template run<Key>(call));
  }
}

template <class Method>
int dispatch(KeyType key, Call& call) {
  switch (key) {
    case KeyType::u16:
      return run<Method, std::uint16_t>(call);
    case KeyType::u32:
      return run<Method, std::uint32_t>(call);
    case KeyType::i32:
      return run<Method, std::int32_t>(call);
    case KeyType::f32:
      return run<Method, float>(call);
    case KeyType::u64:
      return run<Method, std::uint64_t>(call);
    case KeyType::i64:
      return run<Method, std::int64_t>(call);
    case KeyType::f64:
      return run<Method, double>(call);
    default:
      return not_built_in;
  }
}

}  // namespace

int sort_radix(KeyType key, Call& call) { return dispatch<Radix>(key, call); }
int sort_merge(KeyType key, Call& call) { return dispatch<Merge>(key, call); }
int sort_merge_copy(KeyType key, Call& call) { return dispatch<MergeCopy>(key, call); }

/// The segmented sorts take nvcc long: they are built for fewer types.
int sort_segmented(KeyType key, Call& call) {
  if (!fits_32_bits(call)) return not_built_in;
  switch (key) {
    case KeyType::u16:
      return run<Segmented, std::uint16_t>(call);
    case KeyType::u32:
      return run<Segmented, std::uint32_t>(call);
    case KeyType::f32:
      return run<Segmented, float>(call);
    case KeyType::u64:
      return run<Segmented, std::uint64_t>(call);
    default:
      return not_built_in;
  }
}

int sort_segmented_radix(KeyType key, Call& call) {
  if (key != KeyType::u32 || call.descending || !fits_32_bits(call)) return not_built_in;
  return run<SegmentedRadix, std::uint32_t>(call);
}

}  // namespace bitune::cub_peer
