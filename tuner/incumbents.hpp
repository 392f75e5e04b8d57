#pragma once

/// \file
/// Incumbents: what sorts took before anybody tuned.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/problem_class.hpp"
#include "runtime/selection.hpp"
#include "tuner/tuning_source.hpp"

namespace bitune {

/// What sorts take as a session begins. The session measures it for each problem, first and however late it
/// is, and again among the finalists: so nobody sorts slower for having tuned.
///
/// Candidates are read when this is made. What the session itself finds for one problem may change what
/// selection takes for the next one, but not what it took before.
///
/// Thread-safe.
class Incumbents {
 public:
  Incumbents(const TuningSource& source, const DeviceInfo& device, const std::vector<Problem>& problems,
             const std::filesystem::path& database);

  /// What a sort of the problem takes. If that was not tuned for this very problem on this device, then also
  /// what it would take if nobody had tuned this device: trials of other lengths hide what is known of the
  /// problem elsewhere. Precondition: the problem was among those given.
  [[nodiscard]] std::vector<Configuration> of(const Problem& problem) const;

 private:
  const TuningSource& source_;
  const std::string device_digest_;
  std::map<ServingGroup, CandidateSet> candidates_;
};

}  // namespace bitune
