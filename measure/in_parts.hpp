#pragma once

/// \file
/// Work on the host that is split over threads.

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace bitune {

/// Into how many parts work of `n` items is worth splitting: each has at least so many, and a core of its
/// own.
[[nodiscard]] inline unsigned parts_of(std::uint64_t n, std::uint64_t least_items,
                                       unsigned cores = std::thread::hardware_concurrency()) {
  return static_cast<unsigned>(std::clamp<std::uint64_t>(n / least_items, 1, std::max(1u, cores)));
}

/// Calls work(part, begin, end) for equal parts of [0, n), each on a thread of its own, and waits for all.
/// `work` must not throw.
template <class Work>
void in_parts(std::uint64_t n, unsigned parts, const Work& work) {
  const auto first = [n, parts](std::uint64_t part) { return n / parts * part + std::min(part, n % parts); };
  std::vector<std::jthread> threads;
  for (unsigned part = 1; part < parts; ++part) {
    threads.emplace_back([&work, &first, part] { work(part, first(part), first(part + 1)); });
  }
  work(0u, std::uint64_t{0}, first(1));
}

}  // namespace bitune
