#pragma once

/// \file
/// Trials of the tuning database as files that other tools read. docs/exchange.md shows how they load them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cache/tuning_database.hpp"

namespace bitune {

/// The formats in which trials leave the database.
enum class ExchangeFormat {
  cache,    ///< Kernel Tuner's cache: one file for each device, kernel and problem
  t4,       ///< T4 results, version 1.1.0: one file for each device, kernel and problem
  t1,       ///< T1 input: the configuration space that was recorded, one file for each cache
  results,  ///< Kernel Tuner's results file: the best for each device and size, one file for each kernel
  wisdom,  ///< Kernel Launcher's wisdom: the verified best for each device and size, one file for each kernel
  csv,     ///< a row for each trial, one file
  json,    ///< bitune's own: all that is known of each trial, one file
};

/// \throws Error (usage) that lists the formats
[[nodiscard]] ExchangeFormat parse_exchange_format(std::string_view text);

/// A file that is to be written. A kernel is a variant for one key type and order.
struct ExchangeFile {
  std::string name;
  std::string content;
  std::size_t trials = 0;  ///< how many it holds
};

struct ExportOptions {
  ExchangeFormat format = ExchangeFormat::json;
  TrialFilter filter;
  bool open = false;  ///< leave caches open, as Kernel Tuner leaves one that it is still writing to
};

/// The files for all trials that match; none if there is no such trial.
///
/// Some formats have one entry for a configuration. Of all trials of one device, kernel and problem they take
/// the series (protocol and version of the kernels) that selection would take. What bitune measured goes
/// before what was read from a file, a series with finalists before one without, then the newest. Of a
/// configuration that was measured twice they take the finalist, then the newer. \throws Error (database)
[[nodiscard]] std::vector<ExchangeFile> export_trials(const TuningDatabase& database,
                                                      const ExportOptions& options);

}  // namespace bitune
