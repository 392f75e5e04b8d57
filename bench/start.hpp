#pragma once

/// \file
/// The suite "start": what the first sort of a process takes, beyond CUDA's own start.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/records.hpp"
#include "bitune/types.hpp"
#include "measure/json.hpp"

namespace bitune {

/// What to measure.
struct StartBenchRequest {
  /// The bitune executable: processes of it are measured. The default is this very program.
  std::string program = "/proc/self/exe";
  std::string device = "auto";  ///< selector, as for open_device
  std::string database;         ///< tuning database; empty: the default
  std::string kernel_cache;     ///< directory; empty: the default
  std::vector<KeyType> keys = {KeyType::u32};
  std::vector<std::uint64_t> sizes;  ///< empty: 2^10, 2^16, 2^20, 2^24 (2^10 on the emulated device)
  Order order = Order::ascending;
  int samples = 5;         ///< processes a key type and size, besides one that fills the kernel cache
  std::uint64_t seed = 1;  ///< of the keys
};

/// Where the suite is, for a progress display. Called from its own thread.
struct StartBenchProgress {
  std::size_t index = 0;  ///< of the process that is about to begin
  std::size_t count = 0;
  Problem problem;
};

struct StartBenchResult {
  std::vector<BenchRecord> records;
  std::string note;  ///< what was not counted, and why; empty if nothing was
};

/// Runs the suite: for each problem one process after the other. The first one is not measured and leaves the
/// kernels in the kernel cache; one that compiles kernels even so is not counted. Each sort's result is
/// compared with the host's reference.
///
/// As this process has opened the driver already, CUDA's start does not contain what waking an idle GPU
/// takes.
///
/// `stop`, when set, ends the suite, and the process under way, whose problem has no record then.
/// \throws Error (usage; unavailable, if a process fails or no kernel stays in the kernel cache)
[[nodiscard]] StartBenchResult run_start_bench(const StartBenchRequest& request,
                                               const std::function<void(const StartBenchProgress&)>& progress,
                                               const std::atomic<bool>& stop);

/// What one process of the suite does.
struct StartProcessRequest {
  std::string device;        ///< UUID of a GPU, or "emulated"
  std::string database;      ///< as for SorterOptions
  std::string kernel_cache;  ///< as for SorterOptions
  Problem problem;
  std::uint64_t seed = 1;
};

/// What it tells of itself.
struct StartProcessAnswer {
  double cuda_start_us = 0;
  double first_us = 0;
  double second_us = 0;
  int compiled_kernels = 0;  ///< 0: all came from the kernel cache
  bool verified = false;     ///< both sorts
  std::string configuration;
  std::string match;
};

[[nodiscard]] Json json_of(const StartProcessAnswer& answer);
/// \throws Error (input)
[[nodiscard]] StartProcessAnswer start_answer_from(const Json& json);

/// Measures this process, which must not have used CUDA before: starts CUDA, then has a new Sorter sort an
/// array in device memory twice. \throws Error
[[nodiscard]] StartProcessAnswer measure_start(const StartProcessRequest& request);

/// The process's side: measures, and writes the answer, or what went wrong, to standard output as a line of
/// JSON. Returns the exit code.
int run_start_process(const StartProcessRequest& request);

}  // namespace bitune
