// Times one array over several devices against the same array on the first of them, in one process. A line of
// JSON for each case; scripts/gpu/multi.sh runs it.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bitune/bitune.hpp"
#include "bitune/multi.hpp"
#include "measure/inputs.hpp"
#include "measure/spread_array.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/device.hpp"
#include "tests/multi/nccl_ranks.hpp"

namespace bitune {
namespace {

struct Options {
  std::vector<std::string> devices;
  std::string sizes = "2^26..2^30:2";
  std::vector<std::string> keys = {"u32", "f32"};
  std::vector<std::uint32_t> value_bytes = {0, 4};
  std::vector<std::string> distributions = {"random", "all_equal", "sorted", "reversed", "zipf"};
  int samples = 7;
  bool nccl = false;
  std::string copied_from;
  std::string least_chunk;
  std::string split_from;
  std::string halved_from;
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
  explicit Bench(const Options& options) : options_(options), one_(single_options(options)) {
    for (const std::string& name : options.devices) {
      devices_.push_back(std::make_unique<DeviceParts>(open_device(name)));
    }
    if (!options.nccl) return;
    std::vector<int> gpus;
    for (const std::string& name : options.devices) gpus.push_back(std::stoi(name));
    nccl_.emplace(gpus, multi_options(options).split_from_bytes);
  }

  void measure(const SortSpec& spec, std::uint64_t n, Distribution distribution) {
    nlohmann::ordered_json record = {{"device", devices_.front()->device().info().name},
                                     {"driver", devices_.front()->device().software().driver},
                                     {"date", fmt::format("{:%F}", fmt::gmtime(std::time(nullptr)))},
                                     {"ranks", devices_.size()},
                                     {"link", nccl_ ? "nccl" : "direct"},
                                     {"problem", text_of(Problem{spec, {.n = n}})},
                                     {"n", n},
                                     {"key", name_of(spec.key)},
                                     {"value_bytes", spec.value_bytes},
                                     {"distribution", name_of(distribution)}};
    measure_one(spec, n, distribution, record);
    measure_all(spec, n, distribution, record);
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
    if (!options.copied_from.empty()) all.copied_from_bytes = parse_size(options.copied_from);
    if (!options.halved_from.empty()) all.halved_from_bytes = parse_size(options.halved_from);
    if (!options.least_chunk.empty()) all.least_chunk_bytes = parse_size(options.least_chunk);
    if (!options.split_from.empty()) all.split_from_bytes = parse_size(options.split_from);
    return all;
  }

  /// The whole on the first device, where it has room for it and sorts so many keys.
  void measure_one(const SortSpec& spec, std::uint64_t n, Distribution distribution,
                   nlohmann::ordered_json& record) {
    try {
      const SpreadArray whole(devices_, spec, distribution, {n});
      const Problem problem{spec, {.n = n}};
      record["one_us"] = median_us(options_.samples, [&] {
        one_.run(problem, whole.operands(0));
        devices_.front()->device().synchronize(nullptr);
      });
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_resources && error.code() != ErrorCode::unavailable) throw;
    }
  }

  void measure_all(const SortSpec& spec, std::uint64_t n, Distribution distribution,
                   nlohmann::ordered_json& record) {
    MultiSorter all(multi_options(options_));  // gives its memory back: one device alone needs room, too
    std::vector<std::uint64_t> lengths;
    for (int rank = 0; rank < all.ranks(); ++rank) lengths.push_back(all.equal_part_of(n, rank));
    const SpreadArray array(devices_, spec, distribution, lengths);
    std::vector<MultiPart> parts;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
      parts.push_back({.operands = array.operands(rank), .n = lengths[rank]});
    }
    std::vector<MultiResult> results;
    record["all_us"] = median_us(options_.samples,
                                 [&] { results = nccl_ ? nccl_->run(spec, parts) : all.run(spec, parts); });
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
                                    {"total", result.total_us}});
      // Keys are copied, or they come while they are merged; beside a sort it does not show how long it
      // takes.
      const double reading_us = result.exchange_us != 0 ? result.exchange_us : result.merge_us;
      if (reading_us == 0) continue;
      record["ranks_us"].back()["exchange_gb_s"] =
          static_cast<double>(result.received_bytes) / (1000 * reading_us);
    }
    record["largest_part_over_mean"] =
        static_cast<double>(most) * static_cast<double>(results.size()) / static_cast<double>(n);
    if (const std::string fault = array.fault(); !fault.empty()) throw Error(ErrorCode::verification, fault);
    record["verified"] = true;
  }

  const Options& options_;
  Sorter one_;
  std::optional<test::NcclRanks> nccl_;
  std::vector<std::unique_ptr<DeviceParts>> devices_;
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
  app.add_flag("--nccl", options.nccl, "A rank each of a communicator of NCCL's");
  app.add_option("--copied-from", options.copied_from, "MultiOptions::copied_from_bytes");
  app.add_option("--least-chunk", options.least_chunk, "MultiOptions::least_chunk_bytes");
  app.add_option("--split-from", options.split_from, "MultiOptions::split_from_bytes");
  app.add_option("--halved-from", options.halved_from, "MultiOptions::halved_from_bytes");
  CLI11_PARSE(app, argc, argv);
  bitune::run(options);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "multi_bench: {}\n", error.what());
  return 1;
}
