/// \file
/// The peer "host": the C++ library's stable sort of keys, of pairs, as argsort and as top_k, for the
/// emulated device, whose memory is the host's. With it all of a comparison runs on a machine without a GPU.
///
/// The sort itself takes memory for as many indices as there are keys, which std::stable_sort allocates.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>

#include "bench/peer_abi.hpp"
#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "model/key_order_of.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"

namespace bitune {
namespace {

using Index = std::uint64_t;

struct Call {
  const Problem& problem;
  const Operands& operands;

  [[nodiscard]] const Operand& operand(Role role) const { return operands[role]; }
  [[nodiscard]] std::uint64_t offset(std::uint64_t i) const {
    const auto* const offsets = static_cast<const std::byte*>(operand(Role::offsets).data);
    return operand(Role::offsets).stride == 4 ? key_orders::load<std::uint32_t>(offsets, i)
                                              : key_orders::load<std::uint64_t>(offsets, i);
  }

  /// Keys of a row, or of a segment.
  [[nodiscard]] std::uint64_t length(std::uint64_t row) const {
    return problem.ragged ? offset(row + 1) - offset(row) : problem.n;
  }
  /// Keys of each row of the result.
  [[nodiscard]] std::uint64_t count(std::uint64_t row) const {
    return selects(problem.operation) ? problem.k : length(row);
  }

  [[nodiscard]] std::byte* row_of(Role role, std::uint64_t row, std::size_t element_bytes) const {
    auto* const data = static_cast<std::byte*>(operand(role).data);
    if (data == nullptr) return nullptr;
    const bool is_input = role == Role::keys_in || role == Role::values_in;
    const std::uint64_t begin = problem.ragged ? offset(row) : row * (is_input ? problem.n : count(row));
    return data + begin * element_bytes;
  }
};

/// Copies elements in the order of the indices; nothing where nothing is to be written.
void gather(std::byte* out, const std::byte* in, const Index* order, std::uint64_t n, std::size_t bytes) {
  if (out == nullptr || bytes == 0) return;
  for (std::uint64_t i = 0; i < n; ++i) std::memcpy(out + i * bytes, in + order[i] * bytes, bytes);
}

template <class KeyOrder>
void sort_row(const Call& call, std::uint64_t row, Index* order) {
  using Bits = typename KeyOrder::Bits;
  const Problem& problem = call.problem;
  const std::byte* const keys = call.row_of(Role::keys_in, row, sizeof(Bits));
  const bool descending = problem.order == Order::descending;
  const auto place = [keys, descending](Index i) {
    return key_orders::encode<KeyOrder>(key_orders::load<Bits>(keys, i), descending);
  };
  const std::uint64_t count = call.count(row);
  Index* const end = order + call.length(row);
  std::iota(order, end, Index{0});
  std::stable_sort(order, end, [&place](Index a, Index b) { return place(a) < place(b); });
  gather(call.row_of(Role::keys_out, row, sizeof(Bits)), keys, order, count, sizeof(Bits));
  gather(call.row_of(Role::values_out, row, problem.value_bytes),
         call.row_of(Role::values_in, row, problem.value_bytes), order, count, problem.value_bytes);
  std::byte* const indices = call.row_of(Role::indices_out, row, problem.index_bytes);
  for (std::uint64_t i = 0; indices != nullptr && i < count; ++i) {
    if (problem.index_bytes == 4) {
      key_orders::store(indices, i, static_cast<std::uint32_t>(order[i]));
    } else {
      key_orders::store(indices, i, order[i]);
    }
  }
}

bool is_built_in(const Problem& problem) { return !problem.ragged || !selects(problem.operation); }

int workspace_bytes(const Problem* problem, std::uint64_t* bytes) {
  if (!is_built_in(*problem)) return BITUNE_PEER_NOT_BUILT_IN;
  *bytes = problem->n * sizeof(Index);
  return 0;
}

int sort(const Problem* problem, const Operands* operands, void* /*stream*/) {
  if (!is_built_in(*problem)) return BITUNE_PEER_NOT_BUILT_IN;
  const Call call{*problem, *operands};
  auto* const order = static_cast<Index*>((*operands)[Role::workspace].data);
  key_orders::with_order(problem->key, [&](auto key_order) {
    for (std::uint64_t row = 0; row < problem->rows; ++row) sort_row<decltype(key_order)>(call, row, order);
  });
  return 0;
}

const char* error_text(int /*code*/) { return "this problem is not built into the module"; }

int select_device(const char* /*uuid*/) { return 0; }

constexpr std::array<BitunePeerMethod, 2> methods = {
    {{"stable_sort", 0, 0, 0, workspace_bytes, sort}, {"stable_sort_rows", 0, 1, 0, workspace_bytes, sort}}};

}  // namespace
}  // namespace bitune

extern "C" __attribute__((visibility("default"))) const BitunePeer* bitune_peer() {
  static const BitunePeer peer = {BITUNE_PEER_ABI,
                                  "host",
                                  "C++20",
                                  "emulated",
                                  bitune::error_text,
                                  bitune::select_device,
                                  static_cast<int>(bitune::methods.size()),
                                  bitune::methods.data()};
  return &peer;
}
