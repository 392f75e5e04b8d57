#pragma once

/// \file
/// Which of several trials of one problem on one device is the best: the rule, said once.
///
/// Trials are compared in series: of one variant, with the same kernels, under one protocol. A trial stands
/// until a newer one of its configuration and series supersedes it. The best trial of a series is the first
/// by TrialRank. Of several protocols, and of several versions of a variant's kernels, the series counts that
/// is the first by SeriesRank. Of what is left, variant by variant, the first by TrialRank is the best.
///
/// The database says the same in SQL (`cache/database/schema.cpp`): people ask its views, and indices find
/// the best of a series among millions of trials without reading them. A test compares both on random trials.

#include <cstdint>
#include <string_view>
#include <tuple>

namespace bitune {

/// Whether a newer trial of a configuration supersedes an older one of the same series. One of its kind does,
/// and a failure does in any case: what was sound once is no longer.
[[nodiscard]] constexpr bool supersedes(bool newer_is_ok, bool newer_is_finalist,
                                        bool older_is_finalist) noexcept {
  return !newer_is_ok || newer_is_finalist == older_is_finalist;
}

/// Orders sound trials, the best first. Finalists were measured in turn, and go before others: the winner of
/// a noisy search is partly luck.
struct TrialRank {
  bool finalist = false;
  double median_us = 0;
  std::int64_t trial_id = 0;  ///< of equal ones the first counts

  friend bool operator<(const TrialRank& a, const TrialRank& b) noexcept {
    return std::tuple(!a.finalist, a.median_us, a.trial_id) <
           std::tuple(!b.finalist, b.median_us, b.trial_id);
  }
};

/// Orders series by their best trials, the one that counts first. Those with finalists go before others: what
/// an interrupted session measured does not displace the outcome of a complete one. Then the newest.
struct SeriesRank {
  bool finalist = false;
  std::string_view timestamp;
  std::int64_t trial_id = 0;

  friend bool operator<(const SeriesRank& a, const SeriesRank& b) noexcept {
    return std::tie(b.finalist, b.timestamp, b.trial_id) < std::tie(a.finalist, a.timestamp, a.trial_id);
  }
};

}  // namespace bitune
