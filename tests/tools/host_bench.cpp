// Times the sort of an array in the host's memory that is larger than the device's memory may be, and its
// copies alone. A line of JSON for each size and kind of memory; scripts/gpu/multi.sh runs it.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "bitune/bitune.hpp"
#include "model/problem.hpp"
#include "runtime/at_once.hpp"
#include "runtime/device.hpp"
#include "runtime/host_sort.hpp"
#include "runtime/parts/host_scratch.hpp"

namespace bitune {
namespace {

struct Options {
  std::string device = "auto";
  std::string sizes = "2^32";
  std::string device_memory = "4G";
  std::vector<std::string> memories = {"pageable", "pinned"};
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

/// What an array's parts, several under way at once, are copied at, in GB/s: to the device, from there, and
/// both, each.
nlohmann::ordered_json copy_rates(const std::shared_ptr<const Device>& device, std::byte* memory,
                                  std::size_t bytes) {
  constexpr std::size_t part = std::size_t{256} << 20;
  constexpr unsigned parts_at_once = 3;
  HostSort copies(device);
  nlohmann::ordered_json rates;
  for (const auto& [name, up, down] :
       {std::tuple("up", true, false), {"down", false, true}, {"both", true, true}}) {
    for (const bool is_first : {true, false}) {  // what is allocated at first counts for nothing
      const auto begin = std::chrono::steady_clock::now();
      at_once(bytes / part, parts_at_once, [&, to_device = up, to_host = down](std::uint64_t i) {
        HostArray array{.from = {}, .to = {}, .bytes = part};
        if (to_device) array.from.push_back({memory + i * part, part});
        if (to_host) array.to.push_back({memory + i * part, part});
        static_cast<void>(copies.run(std::span(&array, 1), [](std::span<void* const>, Stream) {}));
      });
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
      if (!is_first) rates[name] = static_cast<double>(bytes) / time.count();
    }
  }
  return rates;
}

void measure(const Options& options, Sorter& sorter, std::uint64_t n, const std::string& kind) {
  const auto device = open_device(options.device);
  const bool is_pinned = kind == "pinned";
  const HostScratch pageable(is_pinned ? 0 : n * sizeof(std::uint32_t));
  const auto pinned = device->allocate_host(is_pinned ? n * sizeof(std::uint32_t) : 0);
  std::byte* const memory = is_pinned ? pinned->data() : pageable.data();
  const std::span<std::uint32_t> keys(reinterpret_cast<std::uint32_t*>(memory), n);
  nlohmann::ordered_json record = {{"device", device->info().name},
                                   {"driver", device->software().driver},
                                   {"date", fmt::format("{:%F}", fmt::gmtime(std::time(nullptr)))},
                                   {"host_cores", std::thread::hardware_concurrency()},
                                   {"n", n},
                                   {"key", "u32"},
                                   {"memory", kind},
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
  record["copies_gb_s"] =
      copy_rates(device, memory, std::min(n * sizeof(std::uint32_t), std::uint64_t{4} << 30));
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
  app.add_option("--memory", options.memories, "pageable, pinned")->delimiter(',');
  app.add_option("--samples", options.samples)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  bitune::SorterOptions sorting;
  sorting.device = options.device;
  sorting.device_memory = bitune::parse_size(options.device_memory);
  bitune::Sorter sorter(sorting);
  for (const std::uint64_t n : bitune::parse_sizes(options.sizes)) {
    for (const std::string& memory : options.memories) bitune::measure(options, sorter, n, memory);
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "host_bench: {}\n", error.what());
  return 1;
}
