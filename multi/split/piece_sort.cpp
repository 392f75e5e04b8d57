#include "multi/split/piece_sort.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "multi/rank_plan.hpp"

namespace bitune::multi {

void PieceSort::run(const std::vector<SortedPiece>& pieces, std::uint64_t skipped, std::uint64_t count,
                    const Memory& memory) {
  if (count == 0) return;
  std::uint64_t n = 0;
  std::vector<std::vector<std::uint64_t>> first_digits;
  std::vector<std::uint64_t> all(radix_.counters(), 0);
  for (const SortedPiece& piece : pieces) {
    const auto begin = piece.digits.begin();
    first_digits.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(radix_.first_counters()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += piece.digits[i];
    n += piece.n;
  }
  const std::vector<FirstPlaces> places = first_places(first_digits);

  const Device& device = device_.device();
  device.fill(memory.first, 0, memory.first_bytes, stream_);
  const RadixInPieces::RestMemory rest = radix_.rest_memory();
  device.fill(memory.workspace + rest.cleared, 0, rest.bytes - rest.cleared, stream_);
  copy_counters(memory.workspace + rest.counters, all);

  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pieces[a].turn < pieces[b].turn; });
  const RunArrays between = {memory.workspace + rest.keys, memory.workspace + rest.values};
  std::byte* workspace = memory.first;
  for (const std::size_t i : order) {
    const SortedPiece& piece = pieces[i];
    if (piece.n == 0) continue;
    if (piece.copied != nullptr) device.wait_for(*piece.copied, stream_);
    copy_counters(workspace + RadixInPieces::counters_at, places[i].steps);
    const Plan pass = radix_.first_pass(piece.n);
    launch(pass, piece.from, bytes_.at(between, places[i].first), piece.n, workspace);
    workspace += rounded_piece(pass.workspace_bytes);
  }
  launch(radix_.rest(n, skipped, count), memory.to, memory.to, count, memory.workspace);
}

void PieceSort::launch(const Plan& plan, const RunArrays& from, const RunArrays& to, std::uint64_t n,
                       std::byte* workspace) {
  Operands operands;
  operands[Role::keys_in] = {from.keys, n, n};
  operands[Role::keys_out] = {to.keys, n, n};
  if (bytes_.carried != 0) {
    operands[Role::values_in] = {from.carried, n, n};
    operands[Role::values_out] = {to.carried, n, n};
  }
  operands[Role::workspace] = {workspace, plan.workspace_bytes, 0};
  device_.run(plan, operands, stream_);
}

void PieceSort::copy_counters(std::byte* to, const std::vector<std::uint64_t>& counts) {
  std::vector<std::byte>& bytes = copied_.emplace_back(counts.size() * radix_.counter_bytes());
  std::byte* next = bytes.data();
  for (const std::uint64_t count : counts) {
    std::memcpy(next, &count, radix_.counter_bytes());
    next += radix_.counter_bytes();
  }
  device_.device().copy_to_device(to, bytes.data(), bytes.size(), stream_);
}

}  // namespace bitune::multi
