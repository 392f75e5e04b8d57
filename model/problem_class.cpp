#include "model/problem_class.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 63;

/// The least power of two that is not below the number; 2^63 above that.
std::uint64_t rounded_up(std::uint64_t number) noexcept {
  return number > most ? most : std::bit_ceil(number);
}

/// Mean lengths and numbers of segments by octaves.
Shape rounded(Shape shape) noexcept {
  const std::uint64_t segments = rounded_up(std::max<std::uint64_t>(shape.rows, 1));
  const std::uint64_t mean = rounded_up(shape.n / std::max<std::uint64_t>(shape.rows, 1));
  shape.rows = segments;
  shape.n = mean > most / segments ? most : mean * segments;
  return shape;
}

}  // namespace

ProblemClass class_of(const Problem& problem) noexcept {
  Problem of_class = problem;
  if (sorts_keys_alone(problem)) of_class.stable = false;  // it is stable anyway
  if (problem.ragged) static_cast<Shape&>(of_class) = rounded(problem);
  if (problem.k != 0) of_class.k = rounded_up(problem.k);
  return ProblemClass(of_class);
}

ServingGroup group_of(const Problem& problem) noexcept {
  return {.carries = carried_bytes(problem) != 0,
          .top_k = problem.operation == Operation::top_k,
          .key_bytes = size_of(problem.key),
          .shape = problem.kind()};
}

bool may_serve(const Problem& tuned, const Problem& asked) noexcept {
  return group_of(tuned) == group_of(asked) && (tuned.stable || !asked.stable || sorts_keys_alone(asked));
}

double work_distance(const Problem& a, const Problem& b) noexcept {
  const auto octaves = [](const Problem& problem) {
    return std::log2(static_cast<double>(std::max(carried_bytes(problem), 1U)));
  };
  return std::abs(octaves(a) - octaves(b)) + (a.operation == b.operation ? 0 : 1);
}

}  // namespace bitune
