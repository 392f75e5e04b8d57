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

/// A problem of the report, and how its best was measured.
struct TunedProblem {
  Problem problem;
  std::string configuration;
  std::string kernel_digest;
  std::string distribution;
  bool cold_l2 = false;
};

/// What may stand beside these problems: verified records with a peer, made on one GPU of this name, with a
/// warm L2 as all records are. Their keys are of the distribution that the problems were tuned on. If the
/// problems are single arrays, records of single arrays of any length count, of the same key type and order.
/// All are of one version of the peer and one driver: those of the newest record. There is one record of each
/// problem, the newest; by ascending n.
[[nodiscard]] std::vector<BenchRecord> records_about(std::span<const BenchRecord> records,
                                                     const std::string& device_name,
                                                     std::span<const TunedProblem> problems);

/// The records of one group of problems, the methods of the peer that are the fastest somewhere, and where
/// bitune or the peer overtakes the other. A record is `of_best` if bitune sorted in it as the best of the
/// problem does: else its ratio says nothing of that time. Null if there are no records.
[[nodiscard]] Json comparison_json(const std::vector<BenchRecord>& records,
                                   std::span<const TunedProblem> problems);

[[nodiscard]] Json crossovers_json(const std::vector<Crossover>& crossovers);

}  // namespace bitune::cli
