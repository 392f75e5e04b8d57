#pragma once

/// \file
/// What a search tries first: what was found before, for this problem or for others.

#include <cstddef>
#include <vector>

#include "tuner/domain_index.hpp"
#include "tuner/session_state.hpp"

namespace bitune {

/// What a search begins with.
struct Starts {
  std::vector<Configuration> configurations;  ///< incumbents, given ones, warm starts, defaults
  std::size_t incumbents = 0;  ///< so many of the first are tried, even after the session's time
  std::size_t needed = 0;      ///< so many of the first are tried, even after the problem's time
};

/// What a search of this problem begins with. Warm starts and defaults are of the domain: incumbents may be
/// of variants that are not searched. Thread-safe.
[[nodiscard]] Starts starts_of(const SessionState& session, const Problem& problem,
                               const DomainIndex& domain);

}  // namespace bitune
