#include <algorithm>

#include "model/operation.hpp"
#include "model/problem_operands.hpp"
#include "runtime/parts/host_parts.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t least_keys = 1024;

/// A part of so many keys as it goes to the device: first, and to be sorted to its place at last.
struct PartProblems {
  Problem first;
  Problem last;
};

PartProblems problems_of(const Problem& problem, std::uint64_t keys) {
  PartProblems part{problem, problem};
  if (problem.n <= keys) {
    part.first.rows =
        std::min(problem.rows, std::max<std::uint64_t>(keys / std::max<std::uint64_t>(problem.n, 1), 1));
    part.last = part.first;
    return part;
  }
  part.first.n = keys;
  part.first.rows = 1;
  if (selects(problem.operation)) {
    part.first.k = std::min(problem.k, keys);
    part.last = part.first;
    return part;
  }
  part.first.operation = facts_of(problem.operation).with_keys;
  part.last = part.first;
  if (const std::uint32_t carried = carried_bytes(problem); carried != 0) {
    part.last.operation = Operation::sort_pairs;
    part.last.value_bytes = carried;
    part.last.index_bytes = 0;
  }
  return part;
}

}  // namespace

std::uint64_t array_bytes(const Problem& problem) {
  std::uint64_t bytes = 0;
  for (const CallArray& array : arrays_of(problem)) {
    bytes += array.row_length * problem.rows * array.element_bytes;
  }
  return bytes;
}

PartSizes part_sizes(const Problem& problem, std::uint64_t bytes, unsigned at_once,
                     const std::function<std::uint64_t(const Problem&)>& workspace_of) {
  const auto bytes_of = [&](const Problem& part) { return array_bytes(part) + workspace_of(part); };
  const std::uint64_t share = bytes / at_once;
  const std::uint64_t all = problem.n * problem.rows;
  const double bytes_of_key = static_cast<double>(array_bytes(problem)) / static_cast<double>(all);
  std::uint64_t keys = std::min(all, static_cast<std::uint64_t>(static_cast<double>(share) / bytes_of_key));
  for (keys = std::max(keys, least_keys); keys > least_keys; keys = std::max(keys / 4 * 3, least_keys)) {
    const PartProblems part = problems_of(problem, keys);
    if (bytes_of(part.first) <= share && bytes_of(part.last) <= share) break;
  }
  return {keys, at_once};
}

}  // namespace bitune
