// Times the sort of an array in the host's memory that is larger than the device's memory may be. A line of
// JSON for each size; scripts/gpu/multi.sh runs it.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bitune/bitune.hpp"
#include "model/problem.hpp"
#include "runtime/at_once.hpp"
#include "runtime/device.hpp"
#include "runtime/parts/host_scratch.hpp"

namespace bitune {
namespace {

struct Options {
  std::string device = "auto";
  std::string sizes = "2^32";
  std::string device_memory = "4G";
  int samples = 3;
};

constexpr std::uint64_t block = std::uint64_t{1} << 22;

/// Calls work(first, count) for all blocks of the array, on all cores.
template <class Work>
void for_blocks(std::uint64_t n, const Work& work) {
  at_once((n + block - 1) / block, std::thread::hardware_concurrency(),
          [&](std::uint64_t i) { work(i * block, std::min(block, n - i * block)); });
}

/// The same random key at each place (SplitMix64), whoever writes it.
std::uint32_t key_at(std::uint64_t place, std::uint64_t seed) {
  std::uint64_t z = (place + 1) * 0x9e3779b97f4a7c15U + seed;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<std::uint32_t>(z ^ (z >> 31U));
}

/// Whether the keys are in order, and as many and of the same sum as those that were made.
bool is_right(std::span<const std::uint32_t> keys, std::uint64_t seed) {
  std::atomic<std::uint64_t> unordered{0};
  std::atomic<std::uint64_t> sum{0};
  for_blocks(keys.size(), [&](std::uint64_t first, std::uint64_t count) {
    std::uint64_t wrong = 0;
    std::uint64_t difference = 0;
    for (std::uint64_t i = first; i < first + count; ++i) {
      wrong += i > 0 && keys[i] < keys[i - 1] ? 1U : 0U;
      difference += keys[i] - std::uint64_t{key_at(i, seed)};
    }
    unordered += wrong;
    sum += difference;
  });
  return unordered == 0 && sum == 0;
}

void measure(const Options& options, Sorter& sorter, std::uint64_t n) {
  const HostScratch memory(n * sizeof(std::uint32_t));
  const std::span<std::uint32_t> keys(reinterpret_cast<std::uint32_t*>(memory.data()), n);
  const auto device = open_device(options.device);
  nlohmann::ordered_json record = {{"device", device->info().name},
                                   {"driver", device->software().driver},
                                   {"date", fmt::format("{:%F}", fmt::gmtime(std::time(nullptr)))},
                                   {"host_cores", std::thread::hardware_concurrency()},
                                   {"n", n},
                                   {"key", "u32"},
                                   {"device_memory", parse_size(options.device_memory)}};
  for (int sample = 0; sample < options.samples; ++sample) {
    const auto seed = static_cast<std::uint64_t>(sample);
    for_blocks(n, [&](std::uint64_t first, std::uint64_t count) {
      for (std::uint64_t i = first; i < first + count; ++i) keys[i] = key_at(i, seed);
    });
    const HostSortTimes times = sorter.sort_host(keys.data(), n, KeyType::u32);
    // Those of the parts are added up: together more than the whole where they overlap.
    record["samples_us"].push_back({{"all", times.total_us},
                                    {"host_to_device", times.host_to_device_us},
                                    {"kernels", times.kernels_us},
                                    {"device_to_host", times.device_to_host_us},
                                    {"parts", times.parts}});
    if (!is_right(keys, seed)) throw Error(ErrorCode::verification, "the keys are not sorted");
  }
  record["verified"] = true;
  fmt::print("{}\n", record.dump());
}

}  // namespace
}  // namespace bitune

int main(int argc, char** argv) try {
  bitune::Options options;
  CLI::App app("Times the sort of an array in the host's memory");
  app.add_option("--device", options.device);
  app.add_option("--sizes", options.sizes, "Keys of 4 bytes");
  app.add_option("--device-memory", options.device_memory, "What the sort may take of the device's");
  app.add_option("--samples", options.samples)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  bitune::SorterOptions sorting;
  sorting.device = options.device;
  sorting.device_memory = bitune::parse_size(options.device_memory);
  bitune::Sorter sorter(sorting);
  for (const std::uint64_t n : bitune::parse_sizes(options.sizes)) bitune::measure(options, sorter, n);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "host_bench: {}\n", error.what());
  return 1;
}
