#pragma once

/// \file
/// What tunings and selection are keyed by.

#include <compare>
#include <cstddef>
#include <cstdint>

#include "bitune/types.hpp"

namespace bitune {

/// Problems that share tunings: a problem with its sizes rounded to what matters. Made by `class_of` alone.
///
/// Arrays and rows keep their sizes. Segments are rounded: their number and their mean length to powers of
/// two, so that batches of like size share what is prepared for them. `k` is rounded up to a power of two, or
/// to all keys of a row.
class ProblemClass {
 public:
  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  auto operator<=>(const ProblemClass&) const = default;

 private:
  friend ProblemClass class_of(const Problem& problem) noexcept;
  explicit ProblemClass(const Problem& problem) noexcept : problem_(problem) {}
  Problem problem_;
};

/// The class of a problem. The class of a class's problem is that class.
[[nodiscard]] ProblemClass class_of(const Problem& problem) noexcept;

/// What a problem is prepared as. Segments: with the most segments and keys of their class, as one plan
/// serves all of it. Others: as they are.
[[nodiscard]] Problem prepared_as(const Problem& problem) noexcept;

/// Problems whose tunings are read together, since one may serve another: of one kin of operations, with
/// keys of one width in one kind of shape, and something that travels with the keys, or nothing. How wide
/// that is, and what is written of it, may differ: the kernels are the same.
struct ServingGroup {
  bool carries = false;             ///< values or indices travel with the keys
  Operation kin = Operation::sort;  ///< of the operation
  std::size_t key_bytes = 0;
  ShapeKind shape = ShapeKind::array;

  auto operator<=>(const ServingGroup&) const = default;
};
[[nodiscard]] ServingGroup group_of(const Problem& problem) noexcept;

/// Whether a tuning of one problem may serve the other at all: both are of one group. What is stable may
/// serve what need not be, but not the other way round, unless keys are all there is.
[[nodiscard]] bool may_serve(const Problem& tuned, const Problem& asked) noexcept;

/// How much more or less two problems of a group do for each key, in octaves: one for each doubling of the
/// width of what travels, one for each doubling of k, and one for another operation. 0: they do the same.
[[nodiscard]] double work_distance(const Problem& a, const Problem& b) noexcept;

}  // namespace bitune
