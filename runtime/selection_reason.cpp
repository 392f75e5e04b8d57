#include <fmt/format.h>

#include <string>
#include <string_view>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/problem_class.hpp"
#include "runtime/selection_rank.hpp"

namespace bitune::ranking {
namespace {

std::string size_of_problem(const Problem& problem) {
  if (problem.ragged) {
    return fmt::format("{} in {} segments of {} on average", size_text(problem.n), problem.rows,
                       size_text(mean_length(problem)));
  }
  return problem.rows == 1 ? size_text(problem.n)
                           : fmt::format("{} rows of {}", problem.rows, size_text(problem.n));
}

/// How its size was found near. Segments go by their mean length first, and by octaves.
std::string_view nearness(const Problem& tuned, const Problem& asked) {
  if (asked.ragged) {
    const Problem a = class_of(tuned).problem();
    const Problem b = class_of(asked).problem();
    if (mean_length(a) != mean_length(b)) return ", the nearest mean length";
    return a.n == b.n ? ", the same mean length and size" : ", the same mean length";
  }
  return tuned.n == asked.n && tuned.rows == asked.rows ? ", the same size" : ", the nearest size";
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
  if (tuned.k != asked.k) text += fmt::format("; tuned for k={}, used for k={}", tuned.k, asked.k);
  if (differ_in_stability(tuned, asked)) text += "; tuned for a stable sort, which this need not be";
  return text;
}

}  // namespace

std::string reason_of(const Ranked& best, const Problem& problem) {
  const Candidate& candidate = *best.candidate;
  const DeviceInfo& there = candidate.device;
  std::string where = "this device";
  std::string why;
  switch (best.step) {
    case Step::exact:
      break;
    case Step::near_size:
      why = nearness(candidate.problem, problem);
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
                     best.rank.older_kernels ? ", with another version of the kernels" : "",
                     other_work(candidate.problem, problem));
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

}  // namespace bitune::ranking
