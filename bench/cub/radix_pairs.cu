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
  static constexpr bool is_built_for =
      sizeof(Value) == 4 || is_usual<Key, Value> || std::is_same_v<Key, std::uint32_t> ||
      std::is_same_v<Key, std::uint64_t>;
  template <class Key>
  static constexpr bool descends = is_usual_key<Key>;

  template <class Key, class Value>
  static cudaError_t run(Call& call) {
    const auto* keys = static_cast<const Key*>(call.keys);
    const auto* values = static_cast<const Value*>(call.values);
    auto* out = static_cast<Key*>(call.out);
    auto* values_out = static_cast<Value*>(call.values_out);
    constexpr int bits = static_cast<int>(sizeof(Key) * 8);
    if constexpr (is_usual_key<Key>) {
      if (call.descending) {
        return cub::DeviceRadixSort::SortPairsDescending(call.workspace, call.bytes, keys, out, values,
                                                         values_out, call.n, 0, bits, call.stream);
      }
    }
    return cub::DeviceRadixSort::SortPairs(call.workspace, call.bytes, keys, out, values, values_out, call.n,
                                           0, bits, call.stream);
  }
};

}  // namespace

int sort_radix_pairs(KeyType key, Values values, Call& call) {
  return dispatch_pairs<RadixPairs>(key, values, call);
}

}  // namespace bitune::cub_peer
