#pragma once

/// \file
/// Sorted runs of items, merged to the first keys of each row (kernels/merge/first_keys_runs.cuh).

#include <cstdint>
#include <string>
#include <string_view>

#include "bitune/types.hpp"
#include "runtime/variants/plan_builder.hpp"

namespace bitune {

/// The runs of a row, between two passes. All have as many items, but for the last one.
struct FirstKeysRuns {
  std::uint64_t count;
  std::uint64_t items;  ///< of each
  std::uint64_t last;   ///< of the last one

  [[nodiscard]] std::uint64_t row() const { return (count - 1) * items + last; }
};

/// The launches that merge, by tiles of threads * items.
struct FirstKeysMerge {
  static constexpr std::string_view header = "kernels/merge/first_keys_runs.cuh";

  std::int64_t threads;
  std::int64_t items;

  [[nodiscard]] std::int64_t shared_bytes(std::int64_t item_bytes) const;

  /// How many items of a run are kept: what may be wanted of it, in whole tiles.
  [[nodiscard]] std::uint64_t kept_of(std::uint64_t run, const Problem& problem) const;

  /// Merges the runs of all rows, which lie one behind the other in `sorted`, and writes what the problem
  /// asks for. form: the kernels' codec and PlacedForm.
  void add_to(PlanBuilder& builder, const Problem& problem, std::string_view form, Address sorted,
              FirstKeysRuns runs) const;

 private:
  [[nodiscard]] FirstKeysRuns merged(const FirstKeysRuns& runs, const Problem& problem) const;
};

}  // namespace bitune
