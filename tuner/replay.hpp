#pragma once

/// \file
/// Replay: a search over configurations whose trials are on record, without a device.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/trial.hpp"
#include "tuner/strategy.hpp"

namespace bitune {

/// What is on record of one problem: made on one device, under one protocol, with one version of each
/// variant's kernels.
struct RecordedSpace {
  std::string device;  ///< its name
  Problem problem;
  Protocol protocol;
  SearchDomain domain;        ///< the configurations on record; starts: defaults of today that are
  std::vector<Trial> trials;  ///< parallel to the domain's configurations
  double best_us = 0;         ///< the lowest median on record
};

/// Spaces from tuning databases and from all files that `read_recordings` reads. What several files have of
/// one problem (a file for each variant) is one space. Of a configuration with several trials the newest of
/// a search counts, else the newest finalist. Spaces without any time are left out. Sorted by problem.
/// \throws Error (io, input, database)
[[nodiscard]] std::vector<RecordedSpace> read_recorded_spaces(
    const std::vector<std::filesystem::path>& paths);

/// Bounds of a replay, and how it goes.
struct ReplayOptions {
  std::uint64_t seed = 1;
  std::uint64_t evaluations = ~std::uint64_t{0};
  std::optional<double> seconds = std::nullopt;  ///< of virtual time
  std::optional<double> until_within =
      std::nullopt;         ///< ends when a time is at most so far above the best on record
  std::size_t at_once = 1;  ///< proposals under way at a time
};

/// A configuration that, measured in full, was faster than all before it.
struct ReplayStep {
  std::uint64_t evaluations = 0;  ///< up to it, itself counted
  double seconds = 0;             ///< of virtual time
  double best_us = 0;
  std::size_t index = 0;  ///< into the domain
};

struct ReplayResult {
  std::uint64_t evaluations = 0;
  std::uint64_t failed = 0;
  double seconds = 0;             ///< virtual: what compiling, verifying and measuring took on record
  std::vector<ReplayStep> steps;  ///< each better than the one before

  /// Where a time was first at most (1 + `within`) times `best_us`; nothing if it never was.
  [[nodiscard]] std::optional<ReplayStep> first_within(double within, double best_us) const;
};

/// Searches the space by the strategy. Where `fidelity` asks for a share of a configuration's samples, the
/// answer is the median of the first of them, and costs that share of its time. A pure function.
[[nodiscard]] ReplayResult replay(const RecordedSpace& space, const StrategyEntry& entry,
                                  const ReplayOptions& options);

}  // namespace bitune
