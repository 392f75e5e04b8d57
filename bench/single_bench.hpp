#pragma once

/// \file
/// The suite "single": bitune against its peers on one array in device memory, in one process, in turn.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/types.hpp"

namespace bitune {

/// What to compare.
struct SingleBenchRequest {
  std::string device = "auto";  ///< selector, as for open_device
  std::string database;         ///< tuning database; empty: the default
  std::string kernel_cache;     ///< directory; empty: the default
  std::vector<KeyType> keys = {KeyType::u32, KeyType::f32};
  std::vector<std::uint64_t> sizes;  ///< empty: 2^8 ... 2^28 (2^8 ... 2^12 on the emulated device)
  Order order = Order::ascending;
  std::string against = "cub";  ///< name of the peer, or "none"
  int samples = 15;             ///< samples a side and size; the median is reported
  std::uint64_t seed = 1;       ///< of the random keys
};

/// One comparison. Times are medians in microseconds for one sort.
struct BenchRecord {
  std::string suite = "single";
  std::string peer;  ///< "cub"; empty if there was none
  KeyType key = KeyType::u32;
  Order order = Order::ascending;
  std::uint64_t n = 0;
  std::uint64_t rows = 1;
  double bitune_us = 0;
  std::optional<double> peer_us;      ///< the fastest of the peer's methods
  std::optional<double> ratio;        ///< peer_us / bitune_us: above 1 bitune is faster
  std::string configuration;          ///< canonical text of what bitune selected
  std::string match;                  ///< rung of the selection ladder
  std::optional<double> expected_us;  ///< what the trial behind an exact match took: the tuner's word for it
  bool verified = false;  ///< both sides bit for bit equal to the host's reference; else there is no ratio

  std::map<std::string, double> methods_us;  ///< each method of the peer: "radix", "merge", ...
  std::string peer_method;                   ///< the fastest of them
  double gkeys_per_s = 0;                    ///< bitune's rate
  int samples = 0;
  int batch = 1;  ///< sorts between two events: the same for both sides
  std::string device;
  std::string driver;
  std::string peer_version;
  std::string date;  ///< UTC, "2026-11-21"
};

/// Where a bench is, for a progress display. Called from the bench's thread.
struct BenchProgress {
  std::size_t index = 0;  ///< of the comparison that is about to begin, or has ended if `finished` is set
  std::size_t count = 0;
  KeyType key = KeyType::u32;
  std::uint64_t n = 0;
  const BenchRecord* finished = nullptr;
};

/// All comparisons, and how the peer was found.
struct SingleBenchResult {
  std::vector<BenchRecord> records;
  std::string peer_path;  ///< the module that was opened; empty if none
  std::string note;       ///< why there is no peer, or what was left out; empty if nothing was
};

/// Runs the suite. Keys are random (finite for floating point, no -0: the peers order those differently),
/// both sides are verified against the host's reference, then timed in turn (A B A B ...): the input is
/// restored before each sample and outside of the events, and `batch` sorts of separately restored buffers
/// are queued before the clock starts. A missing peer is no error: `note` says what was looked for.
/// A side that sorts wrongly is named in `note`: a peer's method is left out, bitune's record is not
/// `verified`.
///
/// `stop`, when set, ends the suite after the comparison under way.
/// \throws Error (usage, unavailable, device, compile)
[[nodiscard]] SingleBenchResult run_single_bench(const SingleBenchRequest& request,
                                                 const std::function<void(const BenchProgress&)>& progress,
                                                 const std::atomic<bool>& stop);

/// The records as a JSON array, one object a line.
[[nodiscard]] std::string bench_records_json(std::span<const BenchRecord> records);

/// Reads what `bench_records_json` writes. \throws Error (input) that names `source`
[[nodiscard]] std::vector<BenchRecord> parse_bench_records(std::string_view json, const std::string& source);

/// Stores the records in the file: those that it has for the same (suite, peer, key type, order, n, rows) are
/// replaced, others kept. Written beside and renamed. \throws Error (io, input)
void store_bench_records(const std::filesystem::path& path, std::span<const BenchRecord> records);

}  // namespace bitune
