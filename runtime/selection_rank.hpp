#pragma once

/// \file
/// How candidates are ranked on the selection ladder. Private to selection.

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "model/standing.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/selection.hpp"

namespace bitune::ranking {

/// The steps of the ladder within one database, best first. What is elsewhere is never selected.
enum class Step : std::uint8_t { exact, near_size, same_capability, same_major, elsewhere };

/// Where it was tuned, and whether for this very problem: key type and order may differ, and the kernels are
/// today's. Another device of the same capability, with as many multiprocessors, says more of a problem than
/// this device does of others.
enum class Origin : std::uint8_t { this_problem_here, this_problem_on_alike_device, any };

/// Where a candidate stands: less is better. Compared member by member, in this order.
struct Rank {
  Origin origin = Origin::any;
  bool other_device = false;
  bool shipped_elsewhere = false;  ///< of another device, and shipped
  bool older_kernels = false;
  Step device_step = Step::exact;  ///< of another device; else `exact`
  int major_distance = 0;
  int minor_distance = 0;
  int sm_distance = 0;
  double distance =
      0;  ///< in octaves: of the (mean) length, half of rows' alignment, and of what is done for each key
  double work_distance = 0;
  bool other_operation = false;
  bool other_stability = false;
  double count_distance = 0;  ///< in octaves: of the rows, or of the keys of all segments
  bool shipped = false;
  bool other_key = false;
  bool other_order = false;
  bool smaller = false;   ///< at the same distance the larger size goes first
  bool narrower = false;  ///< and what travels with the keys was wider
  TrialRank trial;

  [[nodiscard]] auto members() const {
    return std::tie(origin, other_device, shipped_elsewhere, older_kernels, device_step, major_distance,
                    minor_distance, sm_distance, distance, work_distance, other_operation, other_stability,
                    count_distance, shipped, other_key, other_order, smaller, narrower, trial);
  }
};

/// A candidate in its place.
struct Ranked {
  Rank rank;
  Step step = Step::exact;
  const Candidate* candidate = nullptr;
};

/// Whether only one of them keeps equal keys in order. Never of keys alone: equal ones cannot be told apart.
[[nodiscard]] bool differ_in_stability(const Problem& a, const Problem& b);

/// All candidates that say something about the problem, in the order in which they are asked. A pure
/// function.
[[nodiscard]] std::vector<Ranked> ladder(const Problem& problem, const DeviceInfo& device,
                                         const CandidateSet& candidates,
                                         const KernelDigests& current_kernels);

/// One sentence for people: where it was tuned, and for what.
[[nodiscard]] std::string reason_of(const Ranked& best, const Problem& problem);

[[nodiscard]] MatchKind match_of(const Ranked& best);

}  // namespace bitune::ranking
