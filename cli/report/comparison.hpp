#pragma once

/// \file
/// Recorded comparisons with other sorts, beside what was tuned.

#include <span>
#include <string>
#include <vector>

#include "bench/records.hpp"
#include "cli/report/groups.hpp"
#include "measure/json.hpp"

namespace bitune::cli {

/// Verified records with a peer, made on a device of this name, about these problems. If these are single
/// arrays, records of single arrays of any length count, of the same key type and order. By ascending n.
[[nodiscard]] std::vector<BenchRecord> records_about(std::span<const BenchRecord> records,
                                                     const std::string& device_name,
                                                     std::span<const Problem> problems);

/// The records of one group of problems, the methods of the peer that are the fastest somewhere, and where
/// bitune or the peer overtakes the other. Null if there are no records.
[[nodiscard]] Json comparison_json(const std::vector<BenchRecord>& records);

[[nodiscard]] Json crossovers_json(const std::vector<Crossover>& crossovers);

}  // namespace bitune::cli
