/// \file
/// CUB's merge sort of pairs, in its stable form. The one that copies is not said to be stable, and has the
/// same kernels: the oracle looks at each result. Built ascending alone, as nvcc takes long for each.

#include <cub/device/device_merge_sort.cuh>

#include "bench/cub/pairs.cuh"

namespace bitune::cub_peer {
namespace {

struct MergePairs {
  static constexpr bool in_place = true;
  template <class Key, class Value>
  static constexpr bool is_built_for = is_usual<Key, Value>;
  template <class Key>
  static constexpr bool descends = false;

  template <class Key, class Value>
  static cudaError_t run(Call& call) {
    auto* keys = static_cast<Key*>(call.keys);
    auto* values = static_cast<Value*>(call.values);
    return cub::DeviceMergeSort::StableSortPairs(call.workspace, call.bytes, keys, values, call.n,
                                                 Ascending{}, call.stream);
  }
};

struct MergeCopyPairs {
  static constexpr bool in_place = false;
  static constexpr bool makes_places = true;  ///< takes iterators: an argsort needs no array of places
  template <class Key, class Value>
  static constexpr bool is_built_for = is_usual<Key, Value>;
  template <class Key>
  static constexpr bool descends = false;

  template <class Key, class Value>
  static cudaError_t run(Call& call) {
    return sort_from<Key>(call, static_cast<const Value*>(call.values), static_cast<Value*>(call.values_out));
  }
  template <class Key, class Place>
  static cudaError_t run_places(Call& call) {
    return sort_from<Key>(call, thrust::counting_iterator<Place>(0), static_cast<Place*>(call.values_out));
  }

 private:
  template <class Key, class From, class Value>
  static cudaError_t sort_from(Call& call, From values, Value* values_out) {
    const auto* keys = static_cast<const Key*>(call.keys);
    auto* out = static_cast<Key*>(call.out);
    return cub::DeviceMergeSort::SortPairsCopy(call.workspace, call.bytes, keys, values, out, values_out,
                                               call.n, Ascending{}, call.stream);
  }
};

}  // namespace

int sort_merge_pairs(KeyType key, Values values, Call& call) {
  return dispatch_pairs<MergePairs>(key, values, call);
}
int sort_merge_copy_pairs(KeyType key, Values values, Call& call) {
  return dispatch_pairs<MergeCopyPairs>(key, values, call);
}

}  // namespace bitune::cub_peer
