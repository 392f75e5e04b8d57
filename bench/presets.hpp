#pragma once

/// \file
/// The suite "presets": published bitonic sorts (bench/preset_plans.hpp) on host arrays, transfers included.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bitune/types.hpp"

namespace bitune {

/// Name under which the suite measures what bitune selects by itself.
inline constexpr std::string_view selected_preset = "bitune";

/// What to measure.
struct PresetBenchRequest {
  std::string device = "auto";         ///< selector, as for open_device
  std::filesystem::path database;      ///< the user's tuning database
  std::filesystem::path kernel_cache;  ///< directory
  std::vector<KeyType> keys = {KeyType::u32};
  std::vector<std::uint64_t> sizes;  ///< empty: 2^20 ... 2^29 (2^8 ... 2^12 on the emulated device)
  std::vector<std::string> presets;  ///< by name, and "bitune"; empty: all of them
  std::string against;               ///< name of the peer, or "none"; empty: cub on a GPU
  int samples = 9;                   ///< samples a preset and size, fewer where a second and a half is over
  std::uint64_t most_host_keys = std::uint64_t{1} << 27;  ///< longer arrays are not given to the host's sorts
  std::uint64_t seed = 1;
};

/// One preset at one size. Times are medians in microseconds for one sort.
struct PresetRecord {
  std::string preset;
  KeyType key = KeyType::u32;
  std::uint64_t n = 0;
  double total_us = 0;  ///< host array to sorted host array, on the host's clock
  /// By kernel, in the order in which they first run; from runs of their own, in which an event stands
  /// wherever one kernel follows another.
  std::vector<std::pair<std::string, double>> kernels_us;
  double h2d_us = 0;
  double sort_us = 0;  ///< all kernels, from the run that gave total_us
  double d2h_us = 0;
  std::uint64_t launches = 0;
  bool pinned = false;  ///< page-locked host memory, else pageable

  std::string peer;                    ///< "cub radix"; empty if there was none
  std::optional<double> peer_us;       ///< total of the peer, with page-locked host memory
  std::optional<double> peer_sort_us;  ///< its part without transfers
  std::optional<double> ratio;         ///< peer_us / total_us: above 1 the preset is faster
  std::optional<double> qsort_us;      ///< on the host, one run
  std::optional<double> std_sort_us;   ///< on the host, one run
  bool verified = false;  ///< this, the peer and the host's sorts all equal the reference; else no ratio

  std::string configuration;
  int samples = 0;
  std::string device;
  std::string driver;
  std::string peer_version;
  std::string date;  ///< UTC, "2026-11-21"
};

/// Where the suite is, for a progress display. Called from its own thread.
struct PresetBenchProgress {
  std::size_t index = 0;
  std::size_t count = 0;
  std::string_view preset;
  KeyType key = KeyType::u32;
  std::uint64_t n = 0;
};

struct PresetBenchResult {
  std::vector<PresetRecord> records;
  std::string note;  ///< what was left out, and why; empty if nothing was
};

/// Runs the suite. Every sort is verified against the host's reference in the run that warms it up. What a
/// preset does not take is left out, and `note` says why. `stop`, when set, ends the suite after the preset
/// under way. \throws Error (usage, unavailable, device, compile)
[[nodiscard]] PresetBenchResult run_preset_bench(
    const PresetBenchRequest& request, const std::function<void(const PresetBenchProgress&)>& progress,
    const std::atomic<bool>& stop);

/// The records as a JSON array, one object a line.
[[nodiscard]] std::string preset_records_json(std::span<const PresetRecord> records);

/// Stores the records in a JSON file: those that it has for the same (preset, key type, n) are replaced,
/// others kept. \throws Error (io, input)
void store_preset_records(const std::filesystem::path& path, std::span<const PresetRecord> records);

/// The records as tables in Markdown, one for each key type and size.
[[nodiscard]] std::string preset_records_markdown(std::span<const PresetRecord> records);

}  // namespace bitune
