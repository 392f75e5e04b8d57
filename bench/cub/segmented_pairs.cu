/// \file
/// CUB's segmented sorts of pairs, for rows; both are stable. They take nvcc long: they are built for fewer
/// types, and ascending.

#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "bench/cub/pairs.cuh"

namespace bitune::cub_peer {
namespace {

struct SegmentedPairs {
  static constexpr bool in_place = false;
  static constexpr bool makes_places = false;
  template <class Key, class Value>
  static constexpr bool is_built_for = sizeof(Value) == 4 && is_usual_key<Key>;
  template <class Key>
  static constexpr bool descends = false;

  template <class Key, class Value>
  static cudaError_t run(Call& call) {
    const auto* keys = static_cast<const Key*>(call.keys);
    const auto* values = static_cast<const Value*>(call.values);
    auto* out = static_cast<Key*>(call.out);
    auto* values_out = static_cast<Value*>(call.values_out);
    return cub::DeviceSegmentedSort::StableSortPairs(
        call.workspace, call.bytes, keys, out, values, values_out, static_cast<std::int64_t>(call.items()),
        static_cast<std::int64_t>(call.rows), row_offsets(call, 0), row_offsets(call, 1), call.stream);
  }
};

struct SegmentedRadixPairs {
  static constexpr bool in_place = false;
  static constexpr bool makes_places = false;
  template <class Key, class Value>
  static constexpr bool is_built_for = std::is_same_v<Key, std::uint32_t> && sizeof(Value) == 4;
  template <class Key>
  static constexpr bool descends = false;

  template <class Key, class Value>
  static cudaError_t run(Call& call) {
    const auto* keys = static_cast<const Key*>(call.keys);
    const auto* values = static_cast<const Value*>(call.values);
    auto* out = static_cast<Key*>(call.out);
    auto* values_out = static_cast<Value*>(call.values_out);
    return cub::DeviceSegmentedRadixSort::SortPairs(
        call.workspace, call.bytes, keys, out, values, values_out, static_cast<int>(call.items()),
        static_cast<int>(call.rows), row_offsets(call, 0), row_offsets(call, 1), 0,
        static_cast<int>(sizeof(Key) * 8), call.stream);
  }
};

}  // namespace

int sort_segmented_pairs(KeyType key, Values values, Call& call) {
  if (!fits_32_bits(call)) return not_built_in;
  return dispatch_pairs<SegmentedPairs>(key, values, call);
}

int sort_segmented_radix_pairs(KeyType key, Values values, Call& call) {
  if (!fits_32_bits(call)) return not_built_in;
  return dispatch_pairs<SegmentedRadixPairs>(key, values, call);
}

}  // namespace bitune::cub_peer
