#include "model/reference_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "model/key_order.hpp"
#include "model/key_type.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t keys_per_thread = std::uint64_t{1} << 16;

}  // namespace

void reference_sort_rows(std::span<std::byte> keys, const Problem& problem) {
  const std::uint64_t row_bytes = problem.n * size_of(problem.key);
  const std::uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t parts =
      std::clamp<std::uint64_t>(problem.n * problem.rows / keys_per_thread, 1,
                                std::max<std::uint64_t>(1, std::min(cores, problem.rows)));
  const auto sort_rows = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t row = begin; row < end; ++row) {
      reference_sort(keys.data() + row * row_bytes, problem.n, problem.key, problem.order,
                     static_cast<unsigned>(cores / parts));
    }
  };
  const auto first_row = [&](std::uint64_t part) {
    return problem.rows / parts * part + std::min(part, problem.rows % parts);
  };
  std::vector<std::jthread> threads;
  for (std::uint64_t part = 1; part < parts; ++part) {
    threads.emplace_back(sort_rows, first_row(part), first_row(part + 1));
  }
  sort_rows(0, first_row(1));
}

}  // namespace bitune
