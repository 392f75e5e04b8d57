#include "runtime/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/problem_class.hpp"
#include "model/standing.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/selection_ladder.hpp"

namespace bitune {
namespace {

/// The steps of the ladder within one database, best first. What is elsewhere is never selected.
enum class Step : std::uint8_t { exact, near_size, same_capability, same_major, elsewhere };

/// Where a candidate stands: less is better. Compared member by member, in this order.
struct Rank {
  bool other_device = false;
  bool shipped_elsewhere = false;  ///< of another device, and shipped
  bool older_kernels = false;
  Step device_step = Step::exact;  ///< of another device; else `exact`
  int major_distance = 0;
  int minor_distance = 0;
  int sm_distance = 0;
  double distance = 0;  ///< in octaves: of the length, and of what is done for each key
  double work_distance = 0;
  bool other_operation = false;
  bool other_stability = false;
  double rows_distance = 0;
  bool shipped = false;
  bool other_key = false;
  bool other_order = false;
  bool smaller = false;   ///< at the same distance the larger size goes first
  bool narrower = false;  ///< and what travels with the keys was wider
  TrialRank trial;

  [[nodiscard]] auto members() const {
    return std::tie(other_device, shipped_elsewhere, older_kernels, device_step, major_distance,
                    minor_distance, sm_distance, distance, work_distance, other_operation, other_stability,
                    rows_distance, shipped, other_key, other_order, smaller, narrower, trial);
  }
};

/// |log2(a / b)|, in floating point throughout: lengths reach past 2^31.
double log2_distance(std::uint64_t a, std::uint64_t b) {
  const auto log = [](std::uint64_t value) {
    return std::log2(static_cast<double>(std::max<std::uint64_t>(value, 1)));
  };
  return std::abs(log(a) - log(b));
}

/// Not of keys alone: equal ones cannot be told apart.
bool differ_in_stability(const Problem& a, const Problem& b) {
  return class_of(a).problem().stable != class_of(b).problem().stable;
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

struct Ranked {
  Rank rank;
  Step step = Step::exact;
  const Candidate* candidate = nullptr;
};

/// How much slower than the best trial of as many keys of the same width, or of longer arrays, a trial may be
/// and still say something: where the best ones do not fit, a good trial of a farther length is better than a
/// poor one of the nearest, and so is the default. Key types of one width differ by less: what is this far
/// behind has just not been tuned with the variant that is best, or for long enough.
constexpr double most_behind = 1.5;
constexpr double most_behind_elsewhere = 1.25;  ///< at another length than the problem's

/// How many times as long the arrays of its own problem may not be. Many rows leave registers idle that they
/// do not fill; a single short array takes as long as one that does.
std::uint64_t times_too_long(const Problem& problem) { return problem.rows == 1 ? 8 : 4; }

/// Problems that take as long, but for what encoding the keys costs, with one version of the kernels.
struct AlikeProblems {
  std::string device_digest;
  bool older_kernels;
  ServingGroup group;
  Operation operation;
  std::uint32_t carried_bytes;
  bool stable;
  std::uint64_t rows;
  std::uint64_t n;  ///< last, so that in their order a longer one follows a shorter one

  friend auto operator<=>(const AlikeProblems&, const AlikeProblems&) = default;
};

AlikeProblems alike_of(const Candidate& candidate, const KernelDigests& current_kernels) {
  const Problem& p = candidate.problem;
  return {.device_digest = candidate.device_digest,
          .older_kernels = candidate.kernel_digest != current_kernels(candidate.configuration.variant),
          .group = group_of(p),
          .operation = p.operation,
          .carried_bytes = carried_bytes(p),
          .stable = class_of(p).problem().stable,
          .rows = p.rows,
          .n = p.n};
}

/// Of each shape the least time that any of it took, or any longer one: what sorts more keys in less time
/// could have sorted these.
std::map<AlikeProblems, double> best_times(const std::vector<AlikeProblems>& shapes,
                                           const std::vector<Candidate>& candidates) {
  std::map<AlikeProblems, double> bests;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto [entry, is_new] = bests.try_emplace(shapes[i], candidates[i].median_us);
    if (!is_new) entry->second = std::min(entry->second, candidates[i].median_us);
  }
  const std::pair<const AlikeProblems, double>* longer = nullptr;
  auto entry = bests.end();
  while (entry != bests.begin()) {
    --entry;
    if (longer != nullptr) {
      AlikeProblems as_long = entry->first;
      as_long.n = longer->first.n;
      if (as_long == longer->first) entry->second = std::min(entry->second, longer->second);
    }
    longer = &*entry;
  }
  return bests;
}

void rank_all(const std::vector<Candidate>& candidates, bool shipped, const Problem& problem,
              const DeviceInfo& device, const std::string& device_digest,
              const KernelDigests& current_kernels, std::vector<Ranked>& ranked) {
  std::vector<AlikeProblems> shapes;  // parallel to the candidates
  shapes.reserve(candidates.size());
  for (const Candidate& candidate : candidates) shapes.push_back(alike_of(candidate, current_kernels));
  const std::map<AlikeProblems, double> bests = best_times(shapes, candidates);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    const auto step = step_of(candidate, problem, device, device_digest);
    if (!step) continue;
    const double factor = candidate.problem.n == problem.n ? most_behind : most_behind_elsewhere;
    if (candidate.median_us > factor * bests.at(shapes[i])) continue;
    if (candidate.problem.n / times_too_long(problem) >= problem.n) continue;
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
    rank.distance = log2_distance(candidate.problem.n, problem.n) + rank.work_distance;
    rank.other_operation = candidate.problem.operation != problem.operation;
    rank.other_stability = differ_in_stability(candidate.problem, problem);
    rank.rows_distance = log2_distance(candidate.problem.rows, problem.rows);
    rank.other_key = candidate.problem.key != problem.key;
    rank.other_order = candidate.problem.order != problem.order;
    rank.older_kernels = shapes[i].older_kernels;
    rank.smaller = candidate.problem.n < problem.n;
    rank.narrower = carried_bytes(candidate.problem) < carried_bytes(problem);
    rank.trial = candidate.rank();
    ranked.push_back({rank, *step, &candidate});
  }
}

/// All candidates that say something about the problem, in the order in which they are asked.
std::vector<Ranked> ladder(const Problem& problem, const DeviceInfo& device, const CandidateSet& candidates,
                           const KernelDigests& current_kernels) {
  const std::string digest = device.digest();
  std::vector<Ranked> ranked;
  rank_all(candidates.user, false, problem, device, digest, current_kernels, ranked);
  rank_all(candidates.shipped, true, problem, device, digest, current_kernels, ranked);
  std::sort(ranked.begin(), ranked.end(),
            [](const Ranked& a, const Ranked& b) { return a.rank.members() < b.rank.members(); });
  return ranked;
}

/// Checks configurations of one problem on one device; each variant's space is built once.
class Validity {
 public:
  Validity(const Problem& problem, const DeviceInfo& device, std::span<const Variant* const> variants)
      : problem_(problem), device_(device), variants_(variants) {}

  /// Whether the configuration is valid, and does not take several launches where it was tuned with one: that
  /// it was fast there says nothing then.
  bool operator()(const Candidate& candidate) {
    const Configuration& configuration = candidate.configuration;
    auto found = spaces_.find(configuration.variant);
    if (found == spaces_.end())
      found = spaces_.emplace(configuration.variant, space_of(configuration.variant)).first;
    const auto& space = found->second;
    if (!space || space->violation(configuration, problem_, device_)) return false;
    if (candidate.problem.n >= problem_.n || space->violation(configuration, candidate.problem, device_))
      return true;
    return launches(configuration, candidate.problem) != 1 || launches(configuration, problem_) == 1;
  }

 private:
  [[nodiscard]] const Variant* variant_of(std::string_view name) const {
    const auto found = std::find_if(variants_.begin(), variants_.end(),
                                    [&](const Variant* variant) { return variant->name() == name; });
    return found == variants_.end() ? nullptr : *found;
  }

  /// Nothing if the variant is unknown (a database of another version) or cannot sort the problem.
  [[nodiscard]] std::optional<SearchSpace> space_of(std::string_view name) const {
    const Variant* variant = variant_of(name);
    if (variant == nullptr || !variant->supports(problem_, device_)) return std::nullopt;
    return variant->space(problem_, device_);
  }

  [[nodiscard]] std::size_t launches(const Configuration& configuration, const Problem& problem) const {
    return variant_of(configuration.variant)->plan(problem, configuration, device_).launches.size();
  }

  const Problem& problem_;
  const DeviceInfo& device_;
  std::span<const Variant* const> variants_;
  std::map<std::string, std::optional<SearchSpace>, std::less<>> spaces_;
};

bool is_among(std::span<const Configuration> configurations, const Configuration& configuration) {
  return std::find(configurations.begin(), configurations.end(), configuration) != configurations.end();
}

std::string size_of_problem(const Problem& problem) {
  return problem.rows == 1 ? size_text(problem.n)
                           : fmt::format("{} rows of {}", problem.rows, size_text(problem.n));
}

/// "f32 descending keys": only what differs from the problem is worth a word.
std::string tuned_for(const Candidate& candidate, const Problem& problem) {
  std::string text = fmt::format("n={}", size_of_problem(candidate.problem));
  if (candidate.problem.key != problem.key) text += fmt::format(" of {}", name_of(candidate.problem.key));
  if (candidate.problem.order != problem.order) text += fmt::format(" {}", name_of(candidate.problem.order));
  return text;
}

/// "sort_pairs with values of 4 bytes"
std::string carrying_text(const Problem& problem) {
  return fmt::format("{} with {} of {} bytes", name_of(problem.operation),
                     problem.value_bytes != 0 ? "values" : "indices", carried_bytes(problem));
}

/// What else it was tuned for is done for each key here; nothing if that is the same.
std::string other_work(const Problem& tuned, const Problem& asked) {
  std::string text;
  if (tuned.operation != asked.operation) {
    text = fmt::format("; tuned for {}, used for {}", carrying_text(tuned), carrying_text(asked));
  } else if (carried_bytes(tuned) != carried_bytes(asked)) {
    text =
        fmt::format("; tuned for {} of {} bytes, used for {}", tuned.value_bytes != 0 ? "values" : "indices",
                    carried_bytes(tuned), carried_bytes(asked));
  }
  if (differ_in_stability(tuned, asked)) text += "; tuned for a stable sort, which this need not be";
  return text;
}

std::string reason_of(const Ranked& best, const Problem& problem) {
  const Candidate& candidate = *best.candidate;
  const DeviceInfo& there = candidate.device;
  std::string where = "this device";
  std::string why;
  switch (best.step) {
    case Step::exact:
      break;
    case Step::near_size:
      why = candidate.problem.n == problem.n && candidate.problem.rows == problem.rows ? ", the same size"
                                                                                       : ", the nearest size";
      break;
    case Step::same_capability:
      where = fmt::format("{} ({} SMs)", there.name, there.sm_count);
      why = fmt::format(", a device of the same compute capability {}.{}", there.compute_major,
                        there.compute_minor);
      break;
    case Step::same_major:
    case Step::elsewhere:
      where = fmt::format("{} ({} SMs)", there.name, there.sm_count);
      why = fmt::format(", a device of the lower compute capability {}.{}", there.compute_major,
                        there.compute_minor);
      break;
  }
  return fmt::format("{}tuned on {} for {}{}{}{}", best.rank.shipped ? "shipped with bitune: " : "", where,
                     best.step == Step::exact ? "this problem" : tuned_for(candidate, problem), why,
                     other_work(candidate.problem, problem),
                     best.rank.older_kernels ? ", with another version of the kernels" : "");
}

MatchKind match_of(const Ranked& best) {
  if (best.rank.shipped) return MatchKind::shipped;
  switch (best.step) {
    case Step::exact:
      return MatchKind::exact;
    case Step::near_size:
      return MatchKind::near_size;
    case Step::same_capability:
    case Step::same_major:
    case Step::elsewhere:
      break;
  }
  return MatchKind::near_device;
}

}  // namespace

std::string_view name_of(MatchKind kind) noexcept {
  switch (kind) {
    case MatchKind::exact:
      return "exact";
    case MatchKind::near_size:
      return "near size";
    case MatchKind::near_device:
      return "near device";
    case MatchKind::shipped:
      return "shipped";
    case MatchKind::defaulted:
      break;
  }
  return "default";
}

Selection select_among(const Problem& problem, const DeviceInfo& device, const CandidateSet& candidates,
                       std::span<const Variant* const> variants, const KernelDigests& current_kernels,
                       std::span<const Configuration> left_out) {
  const std::vector<Ranked> ranked = ladder(problem, device, candidates, current_kernels);
  Validity valid(problem, device, variants);
  const auto best = std::find_if(ranked.begin(), ranked.end(), [&](const Ranked& entry) {
    return entry.step != Step::elsewhere && !is_among(left_out, entry.candidate->configuration) &&
           valid(*entry.candidate);
  });
  if (best == ranked.end()) return default_among(problem, device, variants, left_out);

  Selection selection;
  selection.configuration = best->candidate->configuration;
  selection.match = match_of(*best);
  selection.evidence = *best->candidate;
  if (best->step == Step::exact && !best->rank.older_kernels)
    selection.expected_us = best->candidate->median_us;
  selection.reason = reason_of(*best, problem);
  return selection;
}

std::vector<const Candidate*> ladder_of(const Problem& problem, const DeviceInfo& device,
                                        const CandidateSet& candidates,
                                        const KernelDigests& current_kernels) {
  std::vector<const Candidate*> all;
  for (const Ranked& entry : ladder(problem, device, candidates, current_kernels)) {
    all.push_back(entry.candidate);
  }
  return all;
}

std::vector<const Variant*> by_preference(const Problem& problem, const DeviceInfo& device,
                                          std::span<const Variant* const> variants) {
  std::vector<const Variant*> preferred;
  std::copy_if(variants.rbegin(), variants.rend(), std::back_inserter(preferred),
               [&](const Variant* variant) { return variant->supports(problem, device); });
  std::stable_partition(preferred.begin(), preferred.end(),
                        [&](const Variant* variant) { return variant->suits(problem, device); });
  return preferred;
}

Selection default_among(const Problem& problem, const DeviceInfo& device,
                        std::span<const Variant* const> variants, std::span<const Configuration> left_out) {
  for (const Variant* variant : by_preference(problem, device, variants)) {
    Configuration configuration = variant->default_configuration(problem, device);
    if (is_among(left_out, configuration) ||
        variant->space(problem, device).violation(configuration, problem, device))
      continue;
    Selection selection;
    selection.configuration = std::move(configuration);
    selection.reason =
        fmt::format("no tuning fits: the default of variant '{}' from the device's limits", variant->name());
    return selection;
  }
  throw Error(ErrorCode::unavailable,
              fmt::format("no variant of bitune can do '{}' on {}: use another key type or "
                          "device",
                          text_of(problem), device.name));
}

Selection select(const Problem& problem, const DeviceInfo& device, const CandidateSet& candidates) {
  return select_among(problem, device, candidates, variants(), kernel_sources_digest);
}

Selection default_selection(const Problem& problem, const DeviceInfo& device) {
  return default_among(problem, device, variants());
}

}  // namespace bitune
