#include "multi/split/piece_sort.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "multi/rank_plan.hpp"

namespace bitune::multi {

void PieceSort::run(const std::vector<SortedPiece>& pieces, std::uint64_t n, const Memory& memory) {
  if (n == 0) return;
  std::vector<std::vector<std::uint64_t>> first_digits;
  std::vector<std::uint64_t> all(radix_.counters(), 0);
  for (const SortedPiece& piece : pieces) {
    const auto begin = piece.digits.begin();
    first_digits.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(radix_.first_counters()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += piece.digits[i];
  }
  const std::vector<FirstPlaces> places = first_places(first_digits);

  const Device& device = device_.device();
  device.fill(memory.first, 0, memory.first_bytes, stream_);
  device.fill(memory.workspace + rest_.cleared, 0, rest_.plan.workspace_bytes - rest_.cleared, stream_);
  copy_counters(memory.workspace + rest_.counters, all);

  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pieces[a].turn < pieces[b].turn; });
  const RunArrays between = {memory.workspace + rest_.keys, memory.workspace + rest_.values};
  std::byte* workspace = memory.first;
  for (const std::size_t i : order) {
    const SortedPiece& piece = pieces[i];
    if (piece.n == 0) continue;
    if (piece.is_copied) copies_.are_read_by(stream_, piece.mark);
    copy_counters(workspace + RadixInPieces::counters_at, places[i].steps);
    const Plan pass = radix_.first_pass(piece.n);
    launch(pass, piece.from, bytes_.at(between, places[i].first), piece.n, workspace);
    workspace += rounded_piece(pass.workspace_bytes);
  }
  launch(rest_.plan, memory.to, memory.to, n, memory.workspace);
}

void PieceSort::count(const RunArrays& from, std::uint64_t n, std::byte* counters) {
  if (n != 0) launch(radix_.counting(n), from, from, n, counters);
}

std::vector<std::uint64_t> PieceSort::counts_of(const std::byte* counters) const {
  std::vector<std::uint64_t> counts(radix_.counters(), 0);
  for (std::uint64_t& count : counts) {
    std::memcpy(&count, counters, radix_.counter_bytes());  // the lower bytes: hosts are little-endian
    counters += radix_.counter_bytes();
  }
  return counts;
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
