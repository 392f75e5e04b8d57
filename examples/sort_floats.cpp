/// \file
/// Sorts floats of the host on the GPU (without one, on the emulated device), and tells how.
///
/// An array that is in device memory already is sorted in place, asynchronously, by
///   sorter.sort(device_pointer, n, bitune::KeyType::f32, stream);

#include <algorithm>
#include <bitune/bitune.hpp>
#include <cstdio>
#include <random>
#include <span>
#include <vector>

int main() try {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> keys(5000);
  std::generate(keys.begin(), keys.end(), [&] { return normal(random); });

  bitune::Sorter sorter;
  const bitune::HostSortTimes times = sorter.sort(std::span<float>(keys));

  const bitune::Problem problem{{.key = bitune::KeyType::f32}, {.n = keys.size()}};
  const bitune::Explanation how = sorter.explain(problem);
  std::printf("sorted %zu floats on %s: %.1f us in kernels, %.1f us in all\n", keys.size(),
              sorter.device().c_str(), times.kernels_us, times.total_us);
  std::printf("by %s (%s: %s)\n", how.configuration.c_str(), how.match.c_str(), how.reason.c_str());
  return std::is_sorted(keys.begin(), keys.end()) ? 0 : 1;
} catch (const bitune::Error& error) {
  std::fprintf(stderr, "sort_floats: %s\n", error.what());
  return 1;
}
