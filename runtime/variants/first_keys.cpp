#include "runtime/variants/first_keys.hpp"

namespace bitune {

bool is_top_k(const Problem& problem) noexcept {
  return problem.operation == Operation::top_k && problem.kind() != ShapeKind::segments &&
         (problem.value_bytes == 0 || problem.index_bytes == 0);
}

}  // namespace bitune
