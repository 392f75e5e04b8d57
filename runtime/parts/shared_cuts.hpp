#pragma once

/// \file
/// Cuts of sorted runs, for threads that merge a part of the result each.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/parts/sorted_runs.hpp"

namespace bitune {

/// Where the runs of all parts are cut. Each cut is found when it is first asked for, and by one thread.
class SharedCuts {
 public:
  /// Between parts of the result that are as long as the runs. What it is given must outlive it.
  SharedCuts(const std::byte* keys, const std::vector<ElementRange>& runs, const KeyRules& rules)
      : keys_(keys), runs_(runs), rules_(rules), found_(runs.size() + 1), cuts_(runs.size() + 1) {}

  /// Of each run, how far the parts before this one reach. Thread-safe.
  [[nodiscard]] const std::vector<std::uint64_t>& before(std::uint64_t part) {
    std::call_once(found_[part], [&] {
      const std::uint64_t rank = part < runs_.size() ? runs_[part].begin : runs_.back().end;
      cuts_[part] = cut_runs(keys_, runs_, rules_, rank);
    });
    return cuts_[part];
  }

 private:
  const std::byte* keys_;
  const std::vector<ElementRange>& runs_;
  KeyRules rules_;
  std::vector<std::once_flag> found_;
  std::vector<std::vector<std::uint64_t>> cuts_;
};

}  // namespace bitune
