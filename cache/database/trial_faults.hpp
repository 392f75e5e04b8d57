#pragma once

/// \file
/// What a trial in the database cannot be. Private to the cache room.

#include <optional>
#include <string>

#include "model/statistics.hpp"
#include "model/trial.hpp"

namespace bitune::database {

/// What is wrong with a trial of these statistics, as a clause ("a sample is not a time"); empty if nothing
/// is. One rule for all who write trials and for `check`: what was let in is not found fault with later. The
/// interval is not computed again: for a million trials that would take minutes.
[[nodiscard]] std::string fault_of(const Trial& trial, const std::optional<SampleStatistics>& statistics);

}  // namespace bitune::database
