// Times one array over several devices against the same array on the first of them, in one process. A line of
// JSON for each case; scripts/gpu/multi.sh runs it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bitune/bitune.hpp"
#include "bitune/multi.hpp"
#include "measure/inputs.hpp"
#include "measure/oracle.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/device.hpp"

namespace bitune {
namespace {

struct Options {
  std::vector<std::string> devices;
  std::string sizes = "2^26..2^30:2";
  std::vector<std::string> keys = {"u32", "f32"};
  std::vector<std::uint32_t> value_bytes = {0, 4};
  std::vector<std::string> distributions = {"random", "all_equal", "few_distinct", "sorted"};
  int samples = 7;
  std::uint64_t verify_to = std::uint64_t{1} << 24;
};

using Buffer = std::unique_ptr<DeviceBuffer>;

/// Keys and values of one rank, or of the whole, on a device.
struct Arrays {
  const Device* device = nullptr;
  std::uint64_t n = 0;
  std::uint64_t result = 0;
  Buffer keys_in, keys_out, values_in, values_out;

  Arrays(const Device& on, const SortSpec& spec, std::uint64_t given, std::uint64_t got,
         const std::byte* keys, const std::byte* values)
      : device(&on), n(given), result(got) {
    keys_in = put(keys, n * size_of(spec.key));
    keys_out = on.allocate(result * size_of(spec.key));
    values_in = put(values, n * spec.value_bytes);
    values_out = on.allocate(result * spec.value_bytes);
    on.synchronize(nullptr);
  }

  [[nodiscard]] Operands operands(const SortSpec& spec) const {
    Operands all;
    all[Role::keys_in] = {keys_in->data(), n, n};
    all[Role::keys_out] = {keys_out->data(), result, result};
    if (spec.value_bytes == 0) return all;
    all[Role::values_in] = {values_in->data(), n, n};
    all[Role::values_out] = {values_out->data(), result, result};
    return all;
  }

 private:
  [[nodiscard]] Buffer put(const std::byte* from, std::uint64_t bytes) const {
    Buffer buffer = device->allocate(bytes);
    device->copy_to_device(buffer->data(), from, bytes, nullptr);
    return buffer;
  }
};

/// Median of the wall times in microseconds, after one call that is not counted.
double median_us(int samples, const std::function<void()>& call) {
  std::vector<double> times;
  for (int i = 0; i <= samples; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    if (i == 0) continue;
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options), one_(single_options(options)), all_(multi_options(options)) {
    for (const std::string& name : options.devices) devices_.push_back(open_device(name));
  }

  void measure(const SortSpec& spec, std::uint64_t n, Distribution distribution) {
    const std::vector<std::byte> keys = make_keys(spec.key, n, distribution, 1);
    std::vector<std::byte> values(n * spec.value_bytes);
    fill_values(values, 2);
    nlohmann::ordered_json record = {{"device", all_.device()},
                                     {"ranks", all_.ranks()},
                                     {"problem", text_of(Problem{spec, {.n = n}})},
                                     {"n", n},
                                     {"key", name_of(spec.key)},
                                     {"value_bytes", spec.value_bytes},
                                     {"distribution", name_of(distribution)}};
    measure_one(spec, n, keys, values, record);
    measure_all(spec, n, keys, values, record);
    fmt::print("{}\n", record.dump());
    std::fflush(stdout);
  }

 private:
  static SorterOptions single_options(const Options& options) {
    SorterOptions one;
    one.device = options.devices.front();
    return one;
  }

  static MultiOptions multi_options(const Options& options) {
    MultiOptions all;
    all.devices = options.devices;
    return all;
  }

  /// The whole on the first device, where it has room for it.
  void measure_one(const SortSpec& spec, std::uint64_t n, const std::vector<std::byte>& keys,
                   const std::vector<std::byte>& values, nlohmann::ordered_json& record) {
    try {
      const Arrays whole(*devices_.front(), spec, n, n, keys.data(), values.data());
      const Problem problem{spec, {.n = n}};
      record["one_us"] = median_us(options_.samples, [&] {
        one_.run(problem, whole.operands(spec));
        whole.device->synchronize(nullptr);
      });
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_resources) throw;
    }
  }

  void measure_all(const SortSpec& spec, std::uint64_t n, const std::vector<std::byte>& keys,
                   const std::vector<std::byte>& values, nlohmann::ordered_json& record) {
    std::vector<Arrays> arrays;
    std::vector<MultiPart> parts;
    std::uint64_t first = 0;
    for (std::size_t rank = 0; rank < devices_.size(); ++rank) {
      const std::uint64_t part = all_.equal_part_of(n, static_cast<int>(rank));
      arrays.emplace_back(*devices_[rank], spec, part, part, keys.data() + first * size_of(spec.key),
                          values.data() + first * spec.value_bytes);
      MultiPart& one = parts.emplace_back();
      one.operands = arrays.back().operands(spec);
      one.n = part;
      first += part;
    }
    std::vector<MultiResult> results;
    record["all_us"] = median_us(options_.samples, [&] { results = all_.run(spec, parts); });
    if (record.contains("one_us")) {
      record["speed_up"] = record["one_us"].get<double>() / record["all_us"].get<double>();
    }
    std::uint64_t most = 0;
    for (const MultiResult& result : results) {
      most = std::max(most, result.count);
      record["ranks_us"].push_back({{"sort", result.sort_us},
                                    {"split", result.split_us},
                                    {"exchange", result.exchange_us},
                                    {"merge", result.merge_us},
                                    {"exchange_gb_s", static_cast<double>(result.received_bytes) /
                                                          (1000 * std::max(result.exchange_us, 1e-3))}});
    }
    record["largest_part_over_mean"] =
        static_cast<double>(most) * static_cast<double>(results.size()) / static_cast<double>(n);
    if (n > options_.verify_to) return;
    std::vector<std::byte> sorted(keys.size());
    std::size_t place = 0;
    for (const Arrays& part : arrays) {
      part.device->copy_to_host(sorted.data() + place, part.keys_out->data(), part.keys_out->size(), nullptr);
      part.device->synchronize(nullptr);
      place += part.keys_out->size();
    }
    const Problem problem{{.key = spec.key, .order = spec.order}, {.n = n}};
    if (const auto fault = find_fault_of_keys(problem, keys, sorted)) {
      throw Error(ErrorCode::verification, *fault);
    }
    record["verified"] = true;
  }

  const Options& options_;
  Sorter one_;
  MultiSorter all_;
  std::vector<std::shared_ptr<Device>> devices_;
};

void run(const Options& options) {
  Bench bench(options);
  for (const std::string& key : options.keys) {
    for (const std::uint32_t value_bytes : options.value_bytes) {
      SortSpec spec{.key = parse_key_type(key), .value_bytes = value_bytes};
      if (value_bytes != 0) {
        spec.operation = Operation::sort_pairs;
        spec.stable = true;
      }
      for (const std::uint64_t n : parse_sizes(options.sizes)) {
        for (const std::string& name : options.distributions) {
          bench.measure(spec, n, parse_distribution(name));
        }
      }
    }
  }
}

}  // namespace
}  // namespace bitune

int main(int argc, char** argv) try {
  bitune::Options options;
  CLI::App app("Times one array over several devices");
  app.add_option("--devices", options.devices, "A rank each")->delimiter(',')->required();
  app.add_option("--sizes", options.sizes, "Keys in all");
  app.add_option("--keys", options.keys, "Key types")->delimiter(',');
  app.add_option("--value-bytes", options.value_bytes, "0: keys alone")->delimiter(',');
  app.add_option("--distributions", options.distributions)->delimiter(',');
  app.add_option("--samples", options.samples)->check(CLI::PositiveNumber);
  app.add_option("--verify-to", options.verify_to, "Results of so many keys are verified");
  CLI11_PARSE(app, argc, argv);
  bitune::run(options);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "multi_bench: {}\n", error.what());
  return 1;
}
