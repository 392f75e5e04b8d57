#pragma once

/// \file
/// bitune against its peers on keys in device memory, in one process, in turn.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/records.hpp"
#include "bitune/types.hpp"
#include "measure/inputs.hpp"

namespace bitune {

/// What is compared.
enum class BenchSuite : std::uint8_t {
  single,    ///< one array
  rows,      ///< many arrays, each sorted on its own, against the peers' segmented sorts
  segments,  ///< the same of arrays of many lengths
};

[[nodiscard]] std::string_view name_of(BenchSuite suite) noexcept;
/// \throws Error (usage) that lists the suites
[[nodiscard]] BenchSuite parse_bench_suite(std::string_view text);

/// What to compare.
struct BenchRequest {
  BenchSuite suite = BenchSuite::single;
  std::string device = "auto";  ///< selector, as for open_device
  std::string database;         ///< tuning database; empty: the default
  std::string kernel_cache;     ///< directory; empty: the default
  /// What is done to which keys, each with all sizes.
  std::vector<SortSpec> specs = {{.key = KeyType::u32}, {.key = KeyType::f32}};
  /// Keys a row, or on average a segment. Empty: 2^8 ... 2^28 for single arrays, 16 ... 2^16 for rows, 16 to
  /// 100000 for segments; less on the emulated device.
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint64_t> rows;  ///< of rows and segments: how many for each size; empty: as `total` says
  std::uint64_t total = 0;          ///< of both: keys in all; 0: 2^26 (2^12 on the emulated device)
  /// Of segments: how long they are, as make_lengths takes it. A file says sizes and numbers itself.
  std::vector<std::string> lengths = {"uniform"};
  /// What the keys look like. Not `special`: NaNs of both signs are where sorts differ.
  std::vector<Distribution> distributions = {Distribution::random};
  std::string against;        ///< name of the peer, or "none"; empty: cub on a GPU
  std::string configuration;  ///< sort everything by it; empty: by what is selected
  bool graph = false;         ///< also time bitune's sorts as CUDA graphs
  int samples = 15;           ///< samples a side and size; the median is reported
  std::uint64_t seed = 1;     ///< of the keys
};

/// Where a bench is, for a progress display. Called from the bench's thread.
struct BenchProgress {
  std::size_t index = 0;  ///< of the comparison that is about to begin, or has ended if `finished` is set
  std::size_t count = 0;
  Problem problem;
  Distribution distribution = Distribution::random;
  std::string lengths;  ///< of segments
  const BenchRecord* finished = nullptr;
};

/// All comparisons, and how the peer was found.
struct BenchResult {
  std::vector<BenchRecord> records;
  std::string peer_path;  ///< the module that was opened; empty if none
  std::string note;       ///< why there is no peer, or what was left out; empty if nothing was
};

/// Runs a suite. Keys are finite for floating point, and none is -0: the peers order those differently. Both
/// sides are verified by the oracle, with all that travels with the keys. Then they are timed in turn (A B A
/// B
/// ...) by the sampler that the tuner uses (measure/sampler.hpp). Rows and pairs are sorted by bitune both in
/// place and out of place, and the faster form counts. A missing peer is no error: `note` says what was
/// looked for. With `graph`, what bitune sorts with is also captured and timed, in turn with the rest; peers
/// are not. A side that sorts wrongly is named in `note`: a peer's method is left out, bitune's record is not
/// `verified`.
///
/// `stop`, when set, ends the suite after the comparison under way.
/// \throws Error (usage, unavailable, device, compile)
[[nodiscard]] BenchResult run_bench(const BenchRequest& request,
                                    const std::function<void(const BenchProgress&)>& progress,
                                    const std::atomic<bool>& stop);

}  // namespace bitune
