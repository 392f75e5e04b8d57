/// \file
/// CUB's radix sort of pairs, which is stable.

#include <cub/device/device_radix_sort.cuh>

#include "bench/cub/pairs.cuh"

namespace bitune::cub_peer {
namespace {

struct RadixPairs {
  static constexpr bool in_place = false;
  static constexpr bool makes_places = false;

  template <class Key, class Value>
  static cudaError_t run(Call& call) {
    const auto* keys = static_cast<const Key*>(call.keys);
    const auto* values = static_cast<const Value*>(call.values);
    auto* out = static_cast<Key*>(call.out);
    auto* values_out = static_cast<Value*>(call.values_out);
    constexpr int bits = static_cast<int>(sizeof(Key) * 8);
    return call.descending
               ? cub::DeviceRadixSort::SortPairsDescending(call.workspace, call.bytes, keys, out, values,
                                                           values_out, call.n, 0, bits, call.stream)
               : cub::DeviceRadixSort::SortPairs(call.workspace, call.bytes, keys, out, values, values_out,
                                                 call.n, 0, bits, call.stream);
  }
};

}  // namespace

int sort_radix_pairs(KeyType key, Values values, Call& call) {
  return dispatch_pairs<RadixPairs>(key, values, call);
}

}  // namespace bitune::cub_peer
