#include "model/problem_class.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 63;

/// The least power of two that is not below the number; 2^63 above that.
std::uint64_t rounded_up(std::uint64_t number) noexcept {
  return number > most ? most : std::bit_ceil(number);
}

/// Mean lengths and numbers of segments by octaves: at least as many segments and keys as of the shape.
Shape rounded(Shape shape) noexcept {
  const std::uint64_t segments = rounded_up(std::max<std::uint64_t>(shape.rows, 1));
  const std::uint64_t given = std::max<std::uint64_t>(shape.rows, 1);
  const std::uint64_t mean = rounded_up(shape.n / given + (shape.n % given != 0 ? 1 : 0));
  shape.rows = segments;
  shape.n = mean > most / segments ? most : mean * segments;
  return shape;
}

bool is_stable_anyway(const Problem& problem) noexcept {
  return sorts_keys_alone(problem) || facts_of(problem.operation).always_stable;
}

}  // namespace

ProblemClass class_of(const Problem& problem) noexcept {
  Problem of_class = problem;
  if (is_stable_anyway(problem)) of_class.stable = false;
  if (problem.ragged) static_cast<Shape&>(of_class) = rounded(problem);
  if (problem.k != 0) of_class.k = rounded_up(problem.k);
  if (selects(problem.operation) && !problem.ragged)
    of_class.k = std::clamp(problem.n, problem.k, of_class.k);
  return ProblemClass(of_class);
}

Problem prepared_as(const Problem& problem) noexcept {
  Problem planned = problem;
  if (problem.ragged) static_cast<Shape&>(planned) = rounded(problem);
  return planned;
}

ServingGroup group_of(const Problem& problem) noexcept {
  return {.carries = carried_bytes(problem) != 0,
          .kin = facts_of(problem.operation).kin,
          .key_bytes = size_of(problem.key),
          .shape = problem.kind()};
}

bool may_serve(const Problem& tuned, const Problem& asked) noexcept {
  return group_of(tuned) == group_of(asked) && (tuned.stable || !asked.stable || is_stable_anyway(asked));
}

double work_distance(const Problem& a, const Problem& b) noexcept {
  const auto octaves = [](std::uint64_t a_number, std::uint64_t other) {
    const auto log = [](std::uint64_t number) {
      return std::log2(static_cast<double>(std::max<std::uint64_t>(number, 1)));
    };
    return std::abs(log(a_number) - log(other));
  };
  return octaves(carried_bytes(a), carried_bytes(b)) +
         octaves(class_of(a).problem().k, class_of(b).problem().k) + (a.operation == b.operation ? 0 : 1);
}

}  // namespace bitune
