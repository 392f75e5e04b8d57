#pragma once

/// \file
/// What a top_k writes where a row has fewer than k keys.

#include <optional>

#include "measure/oracle_call.hpp"
#include "measure/oracle_exact.hpp"

namespace bitune::oracle {

/// The first place behind the row's keys that is not filled as it must be.
[[nodiscard]] std::optional<Fault> fault_of_filling(const Rules& rules, const Row& row);

}  // namespace bitune::oracle
