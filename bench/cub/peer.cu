/// \file
/// The peer "cub": CUB's device-wide radix sort and merge sort, and its segmented sorts, of keys, of pairs
/// and as argsort, behind the interface of bench/peer_abi.hpp.
///
/// Each method is the fastest form that CUB offers for "n keys, sorted, workspace given beforehand".
///
/// - radix: out of place (keys -> out), which saves CUB the copy back.
/// - merge: in place, and as "merge_copy" out of place. Which is faster depends on the parity of the
///   number of merge passes.
/// - Segmented sorts of rows: out of place, from pointer to pointer. For rows of up to a tile that is one
///   pass, as with a DoubleBuffer. For longer ones it differs only in that the spare buffer is part of the
///   workspace. Offsets have 32 bits and are computed by an iterator, so none are read from memory. Those of
///   segments are read from memory, 32 bits each. With more than 500 rows DeviceSegmentedSort waits for the
///   device in between: that is part of its time.
/// - An argsort is a sort of pairs whose values are the places of the keys. The sort's merge_copy counts
///   them by an iterator. The others read them from memory, and writing them there is part of the call.
///   The sorted keys, which nobody asked for, go to the workspace.
/// - A top_k leaves its keys in any order, and takes any of equal ones: it does less than is asked of bitune.
///
/// All of CUB's sorts of pairs here are stable. So they do what is asked for, stable or not.

#include <cuda_runtime.h>

#include <cub/version.cuh>

#include <iterator>
#include <string>

#include "bench/cub/call.cuh"
#include "bitune/operands.hpp"

namespace bitune::cub_peer {
namespace {

using SortKeys = int (*)(KeyType key, Call& call);
using SortPairs = int (*)(KeyType key, Values values, Call& call);

/// Segments are for the segmented sorts, which make no indices of them.
template <SortKeys keys, SortPairs pairs>
int dispatch(const Problem& problem, Call& call) {
  constexpr bool is_segmented = keys == sort_segmented || keys == sort_segmented_radix;
  const bool makes_indices = problem.operation == Operation::argsort;
  if (call.ragged && (!is_segmented || makes_indices)) return not_built_in;
  switch (problem.operation) {
    case Operation::sort:
      return problem.index_bytes != 0 ? not_built_in : keys(problem.key, call);
    case Operation::sort_pairs:
      return pairs(problem.key, {.bytes = problem.value_bytes, .makes_places = false}, call);
    case Operation::argsort:
      return pairs(problem.key, {.bytes = problem.index_bytes, .makes_places = true}, call);
    default:
      return not_built_in;
  }
}

/// The first keys with their indices.
template <int (*first_keys)(KeyType, Call&)>
int dispatch_top_k(const Problem& problem, Call& call) {
  const bool is_built_in = problem.operation == Operation::top_k && !problem.ragged &&
                           problem.value_bytes == 0 && problem.index_bytes == 4;
  return is_built_in ? first_keys(problem.key, call) : not_built_in;
}

template <int (*dispatch)(const Problem&, Call&)>
int workspace_bytes(const Problem* problem, std::uint64_t* bytes) {
  Call call{.descending = problem->order == Order::descending,
            .n = problem->n,
            .rows = problem->rows,
            .k = problem->k,
            .ragged = problem->ragged};
  const int status = dispatch(*problem, call);
  *bytes = call.bytes;
  return status;
}

template <int (*dispatch)(const Problem&, Call&)>
int sort(const Problem* problem, const Operands* operands, void* stream) {
  const auto of = [operands](Role role) { return (*operands)[role]; };
  const bool writes_indices = problem->index_bytes != 0;
  if (problem->ragged && of(Role::offsets).stride != sizeof(int)) return not_built_in;
  Call call{.descending = problem->order == Order::descending,
            .n = problem->n,
            .rows = problem->rows,
            .k = problem->k,
            .ragged = problem->ragged,
            .offsets = static_cast<const int*>(of(Role::offsets).data),
            .keys = of(Role::keys_in).data,
            .out = of(Role::keys_out).data,
            .values = of(Role::values_in).data,
            .values_out = of(writes_indices ? Role::indices_out : Role::values_out).data,
            .workspace = of(Role::workspace).data,
            .bytes = of(Role::workspace).elements,
            .stream = static_cast<cudaStream_t>(stream)};
  return dispatch(*problem, call);
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

template <SortKeys keys, SortPairs pairs>
constexpr BitunePeerMethod method(const char* name, bool in_place, bool of_rows) {
  return {name,
          in_place ? 1 : 0,
          of_rows ? 1 : 0,
          0,
          workspace_bytes<dispatch<keys, pairs>>,
          sort<dispatch<keys, pairs>>};
}

template <int (*first_keys)(KeyType, Call&)>
constexpr BitunePeerMethod top_k_method(const char* name, bool of_rows) {
  return {name,
          0,
          of_rows ? 1 : 0,
          1,
          workspace_bytes<dispatch_top_k<first_keys>>,
          sort<dispatch_top_k<first_keys>>};
}

constexpr BitunePeerMethod methods[] = {
    method<sort_radix, sort_radix_pairs>("radix", false, false),
    method<sort_merge, sort_merge_pairs>("merge", true, false),
    method<sort_merge_copy, sort_merge_copy_pairs>("merge_copy", false, false),
    method<sort_segmented, sort_segmented_pairs>("segmented", false, true),
    method<sort_segmented_radix, sort_segmented_radix_pairs>("segmented_radix", false, true),
    top_k_method<top_k_of_array>("top_k", false),
    top_k_method<top_k_of_rows>("batched_top_k", true),
};

}  // namespace
}  // namespace bitune::cub_peer

extern "C" __attribute__((visibility("default"))) const BitunePeer* bitune_peer() {
  using namespace bitune::cub_peer;
  static const std::string version = std::to_string(CUB_MAJOR_VERSION) + "." +
                                     std::to_string(CUB_MINOR_VERSION) + "." +
                                     std::to_string(CUB_SUBMINOR_VERSION);
  static const BitunePeer peer = {BITUNE_PEER_ABI,
                                  "cub",
                                  version.c_str(),
                                  "cuda",
                                  error_text,
                                  select_device,
                                  static_cast<int>(std::size(methods)),
                                  methods};
  return &peer;
}
