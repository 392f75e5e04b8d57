#pragma once

/// \file
/// Selection for one device with the candidates read at most once for each class of problems.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "model/problem_class.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"

namespace bitune {

/// A configuration that the device had no room for, or that is not to be selected otherwise. `why` is a
/// clause for people; empty where there is nothing to tell.
struct TooLarge {
  Configuration configuration;
  std::string why;
};

/// Where candidates come from: `read_candidates` on some path, or a test's table. May set the warning.
using CandidateReader = std::function<CandidateSet(const Problem& problem, std::string* warning)>;

/// Selects configurations on one device.
///
/// Candidates are read once for each group of problems that may serve each other (`group_of`), when the first
/// of them is asked for: a selector does not see what is tuned later. Thread-safe.
class Selector {
 public:
  Selector(DeviceInfo device, CandidateReader reader, std::span<const Variant* const> variants);

  /// The selection among all but `too_large` and what is left out; its reason also says what these are, and
  /// what was wrong with the databases. \throws Error (unavailable) if nothing can do the problem
  [[nodiscard]] Selection select(const Problem& problem, std::span<const TooLarge> too_large = {});

  /// What sorts the problem and is compiled in some tenths of a second, the likely fastest first.
  [[nodiscard]] std::vector<Configuration> quick(const Problem& problem) const;

  /// From now on this configuration is not selected for the problem.
  void leave_out(const Problem& problem, const TooLarge& too_large);

  /// The plan that the selected configuration makes of the problem. \throws Error (usage)
  [[nodiscard]] Plan plan(const Problem& problem, const Configuration& configuration) const;

 private:
  struct Known {
    CandidateSet candidates;
    std::string warning;
  };
  struct LeftOut {
    Problem problem;
    TooLarge too_large;
  };
  [[nodiscard]] std::shared_ptr<const Known> known(const Problem& problem);

  const DeviceInfo device_;
  const CandidateReader reader_;
  const std::span<const Variant* const> variants_;
  std::mutex mutex_;
  std::map<ServingGroup, std::shared_ptr<const Known>> known_;  ///< guarded by mutex_
  std::vector<LeftOut> left_out_;                               ///< guarded by mutex_
};

}  // namespace bitune
