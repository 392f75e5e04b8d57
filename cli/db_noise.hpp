#pragma once

/// \file
/// `bitune db trials --noise`.

#include "cache/tuning_database.hpp"

namespace bitune::cli {

/// Prints how noisy the trials that match were, as a table or as a document.
void print_noise(const TuningDatabase& database, const TrialFilter& filter, bool json);

}  // namespace bitune::cli
