#pragma once

/// \file
/// Requests to evaluate as JSON: what a session sends to its workers.

#include "measure/json.hpp"
#include "tuner/evaluator.hpp"

namespace bitune {

[[nodiscard]] Json json_of(const EvaluationRequest& request);

/// Reads what `json_of` writes. \throws Error (input) that names the member that is missing or wrong.
[[nodiscard]] EvaluationRequest request_from(const Json& json);

}  // namespace bitune
