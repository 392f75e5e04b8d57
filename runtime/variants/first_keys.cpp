#include "runtime/variants/first_keys.hpp"

namespace bitune {
namespace {

bool gives_first_keys(const Problem& problem) noexcept {
  return problem.operation == Operation::top_k && (problem.value_bytes == 0 || problem.index_bytes == 0);
}

}  // namespace

bool is_top_k(const Problem& problem) noexcept { return gives_first_keys(problem) && !problem.ragged; }

bool is_segmented_top_k(const Problem& problem) noexcept {
  return gives_first_keys(problem) && problem.ragged;
}

}  // namespace bitune
