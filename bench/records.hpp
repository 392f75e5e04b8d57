#pragma once

/// \file
/// Results of comparisons, and the files that keep them.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/types.hpp"

namespace bitune {

class Device;

/// What a process that begins to sort waits for. Medians in microseconds on the host's clock.
struct StartTimes {
  double cuda_start_us = 0;  ///< CUDA's own start, before bitune is called
  double first_us = 0;       ///< the first sort: database, selection, kernels from the kernel cache, launches
  double second_us = 0;      ///< the same sort again
  int compiled = 0;          ///< processes that had to compile kernels, and are not counted
};

/// One comparison. Times are medians in microseconds for one sort of all rows.
struct BenchRecord {
  std::string suite = "single";
  std::string peer;  ///< "cub"; empty if there was none
  Problem problem;
  std::string distribution = "random";  ///< of the keys, as inputs.hpp names them
  std::string lengths;  ///< of segments: "uniform", "zipf", "few_long" or "equal"; empty for other shapes
  int gpus = 1;         ///< that sorted together
  double bitune_us = 0;
  std::optional<double> graph_us;     ///< the same sort as a CUDA graph; only where that was asked for
  std::optional<double> between_us;   ///< between two kernels of others, where bitune_us is below 50
  std::optional<StartTimes> start;    ///< suite "start" only, where `bitune_us` is `first_us`
  std::optional<double> peer_us;      ///< the fastest of the peer's methods
  std::optional<double> ratio;        ///< peer_us / bitune_us: above 1 bitune is faster
  std::string configuration;          ///< canonical text of what bitune selected
  std::string kernel;                 ///< digest of its variant's kernel sources; empty in older records
  std::string match;                  ///< rung of the selection ladder
  std::optional<double> expected_us;  ///< what the trial behind an exact match took: the tuner's word for it
  bool verified = false;  ///< both sides bit for bit equal to the host's reference; else there is no ratio

  std::string form = "in place";             ///< of bitune's two forms the faster one, or "out of place"
  std::map<std::string, double> methods_us;  ///< each method of the peer: "radix", "merge", ...
  std::string peer_method;                   ///< the fastest of them
  double gkeys_per_s = 0;                    ///< bitune's rate
  std::optional<double> peer_gkeys_per_s;
  int samples = 0;
  int peer_samples = 0;  ///< of the fastest method; fewer than bitune's where it is very slow
  int batch = 1;         ///< bitune's sorts between two events
  std::string device;
  std::string driver;
  std::string peer_version;
  std::string date;  ///< UTC, "2026-11-21"

  std::uint64_t workspace_bytes = 0;  ///< that bitune's sort takes besides the operands

  /// Where scripts/gpu/torch_sorts.py added it: torch.sort of the same rows, or torch.argsort.
  std::optional<double> torch_us;
  std::optional<std::uint64_t> torch_bytes;  ///< the most memory that it takes besides the keys
  std::string torch_version;
};

/// Today's date, UTC: "2026-11-21".
[[nodiscard]] std::string today();

/// What is known of a record before anything is measured: the problem, the device and the day.
[[nodiscard]] BenchRecord record_of(const Problem& problem, const Device& device);

/// In thousands of millions of keys a second.
[[nodiscard]] double rate_of(const Problem& problem, double us);

/// The records as a JSON array, one object a line.
[[nodiscard]] std::string bench_records_json(std::span<const BenchRecord> records);

/// Reads what `bench_records_json` writes. \throws Error (input) that names `source`
[[nodiscard]] std::vector<BenchRecord> parse_bench_records(std::string_view json, const std::string& source);

/// Stores the records in the file. A record takes the place of an older one of the same suite, peer, problem,
/// distribution, lengths and number of GPUs; others stay. Written beside and renamed.
/// \throws Error (io, input)
void store_bench_records(const std::filesystem::path& path, std::span<const BenchRecord> records);

}  // namespace bitune
