#include "runtime/selection_rank.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "model/problem_class.hpp"

namespace bitune::ranking {
namespace {

/// |log2(a / b)|, in floating point throughout: lengths reach past 2^31.
double log2_distance(std::uint64_t a, std::uint64_t b) {
  const auto log = [](std::uint64_t value) {
    return std::log2(static_cast<double>(std::max<std::uint64_t>(value, 1)));
  };
  return std::abs(log(a) - log(b));
}

/// The step on which a candidate stands; nothing if it says nothing about this problem on this device.
std::optional<Step> step_of(const Candidate& candidate, const Problem& problem, const DeviceInfo& device,
                            const std::string& device_digest) {
  if (candidate.device.kind != device.kind || !may_serve(candidate.problem, problem)) return std::nullopt;
  if (candidate.device_digest == device_digest) {
    return class_of(candidate.problem) == class_of(problem) ? Step::exact : Step::near_size;
  }
  if (candidate.device.compute_major != device.compute_major) return Step::elsewhere;
  if (candidate.device.compute_minor == device.compute_minor) return Step::same_capability;
  return candidate.device.compute_minor < device.compute_minor ? Step::same_major : Step::elsewhere;
}

/// How many times as slow a trial may be as the best one of as many keys of the same width, or of longer
/// arrays, and still say something. Where the best ones do not fit, a good trial of a farther length is
/// better than a poor one of the nearest. So is the default. Key types of one width differ by less (by 1.2 at
/// most in the shipped tunings): what is this far behind has not been tuned with the best variant, or not for
/// long enough.
constexpr double most_behind = 1.4;
constexpr double most_behind_elsewhere = 1.25;  ///< at another length than the problem's

/// How many times as long the arrays of its own problem may not be. Many rows leave
/// registers idle that they do not fill; a single short array takes as long as one that does.
std::uint64_t times_too_long(const Problem& problem) { return problem.rows == 1 ? 8 : 4; }

/// Whether segments of one mean length say something of those of the other. Which classes of length have a
/// launch of their own follows from the lengths: what was tuned for short segments sorts longer ones digit by
/// digit, one tile each. So does how many segments a block reads: of one key each, what was tuned for 16 took
/// 2.8 times as long as what was tuned for one. Below and above these bounds all lengths are sorted alike.
bool are_of_like_lengths(const Problem& a, const Problem& b) {
  const auto bounded = [](const Problem& p) {
    return std::clamp<std::uint64_t>(mean_length(p), 2, std::uint64_t{1} << 17);
  };
  return log2_distance(bounded(a), bounded(b)) <= 2;
}

/// Whether segments are as many keys as keep the device busy. If they are not, time goes by how many launches
/// follow each other, else by what these do: neither says anything of the other.
bool fill_device(const Problem& problem, const DeviceInfo& device) {
  return problem.n >= static_cast<std::uint64_t>(device.sm_count) << 14;
}

/// Whether a tuning for so many segments says something of the others. Both are of their classes.
bool are_alike_segments(const Problem& tuned, const Problem& asked, const DeviceInfo& device) {
  return are_of_like_lengths(tuned, asked) && fill_device(tuned, device) == fill_device(asked, device);
}

/// Whether as many of the first keys are wanted, within a factor of four, of as many rows: either of few, for
/// each of which there is a multiprocessor or two, or of many. Few keys are filtered, and many go to buckets
/// or are sorted; few rows have several multiprocessors each. What was tuned for one way says nothing of the
/// other.
bool want_alike(const Problem& tuned, const Problem& asked, const DeviceInfo& device) {
  if (!selects(asked.operation)) return true;
  const auto are_many = [&](const Problem& problem) {
    return problem.rows > 2 * static_cast<std::uint64_t>(std::max(device.sm_count, 1));
  };
  return log2_distance(tuned.k, asked.k) <= 2 && (asked.ragged || are_many(tuned) == are_many(asked));
}

/// On how many bytes, as a power of two and 16 at most, all of a problem's equal rows begin. What begins on
/// no whole vectors is read and written by other means, and what is best for even neighbours may take such
/// rows several times as long.
int alignment_of(const Problem& problem) {
  if (problem.rows == 1 || problem.ragged) return 4;
  return std::countr_zero(std::uint64_t{16} | problem.n * size_of(problem.key));
}

/// Problems that take as long, but for what encoding the keys costs. What older kernels took counts as well:
/// a new version of one variant makes no poor trial of another the best there is.
struct AlikeProblems {
  std::string device_digest;
  ServingGroup group;
  Operation operation;
  std::uint32_t carried_bytes;
  bool stable;
  std::uint64_t k;
  std::uint64_t rows;
  int alignment;
  std::uint64_t length;  ///< last, so that in their order a longer one follows a shorter one

  friend auto operator<=>(const AlikeProblems&, const AlikeProblems&) = default;
};

AlikeProblems alike_of(const Candidate& candidate) {
  const Problem& p = candidate.problem;
  const Problem alike = class_of(p).problem();
  return {.device_digest = candidate.device_digest,
          .group = group_of(p),
          .operation = p.operation,
          .carried_bytes = carried_bytes(p),
          .stable = alike.stable,
          .k = alike.k,
          .rows = p.rows,
          .alignment = alignment_of(p),
          .length = mean_length(p)};
}

/// Of each shape the least time that any of it took, or any longer one: what sorts more keys in less time
/// could have sorted these.
std::map<AlikeProblems, double> best_times(std::initializer_list<const std::vector<Candidate>*> sets) {
  std::map<AlikeProblems, double> bests;
  for (const std::vector<Candidate>* set : sets) {
    for (const Candidate& candidate : *set) {
      const auto [entry, is_new] = bests.try_emplace(alike_of(candidate), candidate.median_us);
      if (!is_new) entry->second = std::min(entry->second, candidate.median_us);
    }
  }
  const std::pair<const AlikeProblems, double>* longer = nullptr;
  auto entry = bests.end();
  while (entry != bests.begin()) {
    --entry;
    if (longer != nullptr) {
      AlikeProblems as_long = entry->first;
      as_long.length = longer->first.length;
      if (as_long == longer->first) entry->second = std::min(entry->second, longer->second);
    }
    longer = &*entry;
  }
  return bests;
}

/// Of a rank that is known otherwise.
Origin origin_of(const Rank& rank, Step step) {
  const bool is_this_problem = rank.distance == 0 && rank.count_distance == 0 && !rank.other_operation &&
                               !rank.other_stability && !rank.older_kernels;
  if (!is_this_problem) return Origin::any;
  if (step < Step::same_capability) return Origin::this_problem_here;
  const bool is_alike = step == Step::same_capability && rank.sm_distance == 0;
  return is_alike ? Origin::this_problem_on_alike_device : Origin::any;
}

void rank_all(const std::vector<Candidate>& candidates, bool shipped,
              const std::map<AlikeProblems, double>& bests, const Problem& problem, const DeviceInfo& device,
              const std::string& device_digest, const KernelDigests& current_kernels,
              std::vector<Ranked>& ranked) {
  const Problem asked = class_of(problem).problem();
  for (const Candidate& candidate : candidates) {
    const auto step = step_of(candidate, problem, device, device_digest);
    if (!step) continue;
    const Problem tuned = class_of(candidate.problem).problem();
    const std::uint64_t length = mean_length(asked);
    const std::uint64_t tuned_length = mean_length(tuned);
    const double factor = tuned_length == length ? most_behind : most_behind_elsewhere;
    if (candidate.median_us > factor * bests.at(alike_of(candidate))) continue;
    if (!want_alike(tuned, asked, device)) continue;
    if (problem.ragged ? !are_alike_segments(tuned, asked, device)
                       : tuned_length / times_too_long(problem) >= length)
      continue;
    Rank rank;
    rank.shipped = shipped;
    rank.other_device = *step >= Step::same_capability;
    if (rank.other_device) {
      rank.shipped_elsewhere = shipped;
      rank.device_step = *step;
      rank.major_distance = std::abs(device.compute_major - candidate.device.compute_major);
      rank.minor_distance = std::abs(device.compute_minor - candidate.device.compute_minor);
      rank.sm_distance = std::abs(device.sm_count - candidate.device.sm_count);
    }
    rank.work_distance = work_distance(candidate.problem, problem);
    rank.distance = log2_distance(tuned_length, length) +
                    std::abs(alignment_of(tuned) - alignment_of(asked)) / 2.0 + rank.work_distance;
    rank.other_operation = candidate.problem.operation != problem.operation;
    rank.other_stability = differ_in_stability(candidate.problem, problem);
    rank.count_distance =
        problem.ragged ? log2_distance(tuned.n, asked.n) : log2_distance(tuned.rows, asked.rows);
    rank.other_key = candidate.problem.key != problem.key;
    rank.other_order = candidate.problem.order != problem.order;
    rank.older_kernels = candidate.kernel_digest != current_kernels(candidate.configuration.variant);
    rank.smaller = tuned_length < length;
    rank.narrower = carried_bytes(candidate.problem) < carried_bytes(problem);
    rank.trial = candidate.rank();
    rank.origin = origin_of(rank, *step);
    ranked.push_back({rank, *step, &candidate});
  }
}

}  // namespace

bool differ_in_stability(const Problem& a, const Problem& b) {
  return class_of(a).problem().stable != class_of(b).problem().stable;
}

std::vector<Ranked> ladder(const Problem& problem, const DeviceInfo& device, const CandidateSet& candidates,
                           const KernelDigests& current_kernels) {
  const std::string digest = device.digest();
  std::vector<Ranked> ranked;
  // Shipped times do not count against the user's: this device may be slower than the one that they are of.
  const auto user_bests = best_times({&candidates.user});
  const auto all_bests = best_times({&candidates.user, &candidates.shipped});
  rank_all(candidates.user, false, user_bests, problem, device, digest, current_kernels, ranked);
  rank_all(candidates.shipped, true, all_bests, problem, device, digest, current_kernels, ranked);
  std::sort(ranked.begin(), ranked.end(),
            [](const Ranked& a, const Ranked& b) { return a.rank.members() < b.rank.members(); });
  return ranked;
}

}  // namespace bitune::ranking
