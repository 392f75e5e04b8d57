#pragma once

/// \file
/// Reading the files in which tuners exchange trials: Kernel Tuner's caches, T4 results, results files, and
/// bitune's own. docs/exchange.md describes each.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/device_info.hpp"
#include "model/trial.hpp"

namespace bitune {

/// Trials that were made under the same circumstances. What a file does not tell stands at its default.
struct Recording {
  std::string source;         ///< "cache 'h200.json'"
  bool has_device = false;    ///< whether the facts of the device are known; if not, only its name is
  DeviceInfo device;          ///< of kind "unknown" where only the name is known
  DeviceSoftware software;    ///< empty texts where unknown
  Protocol protocol;          ///< of distribution "unknown" where unknown
  std::vector<Trial> trials;  ///< in the order of the file; samples in microseconds
};

/// The bounds that a file must keep, whatever it claims: a hostile one costs no more than these.
struct ReadLimits {
  std::uint64_t bytes = std::uint64_t{256} << 20;  ///< of text, after unpacking
  std::uint64_t values = 8'000'000;                ///< numbers, texts, lists and objects, all together
  int depth = 16;                                  ///< lists and objects in one another
};

/// All trials in a file of any of the formats. The content tells which one. The file may be compressed by
/// gzip, and a cache may be open (unfinished). Nothing of the file is evaluated. Trials with times are
/// `unverified`, whatever the file says. Parameters are not compared with the variants of today. Reentrant.
/// \throws Error (io) if the file cannot be read; Error (input) if it is none of the formats or anything in
/// it is wrong: one sentence that names the file and the entry
[[nodiscard]] std::vector<Recording> read_recordings(const std::filesystem::path& path,
                                                     const ReadLimits& limits = {});

/// The name under which one variant's kernels for one type and order stand in the files of other tools:
/// "bitune_warp_u32_ascending".
[[nodiscard]] std::string kernel_name_of(const Problem& problem, std::string_view variant);

}  // namespace bitune
