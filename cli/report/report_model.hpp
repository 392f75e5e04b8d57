#pragma once

/// \file
/// The content of a report as one JSON document: what the page's scripts draw.

#include <functional>
#include <span>
#include <string>

#include "bench/records.hpp"
#include "cache/tuning_database.hpp"
#include "measure/json.hpp"

namespace bitune::cli {

/// What a report is about.
struct ReportRequest {
  TrialFilter filter;                  ///< which devices and problems; nothing about trials
  std::span<const BenchRecord> bench;  ///< comparisons; those of other devices or problems are left out
  std::string time;                    ///< when the report is made, as the reader sees it
};

/// Told of each problem before it is read: how many are done, and of how many.
using ReportProgress = std::function<void(std::size_t done, std::size_t count)>;

/// Depends on nothing but its arguments. Times are in microseconds, with five significant digits.
[[nodiscard]] Json report_model(const TuningDatabase& database, const ReportRequest& request,
                                const ReportProgress& progress = {});

}  // namespace bitune::cli
