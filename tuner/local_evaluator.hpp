#pragma once

/// \file
/// The evaluator of this process, with word of which part of an evaluation is under way.

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "tuner/evaluator.hpp"

namespace bitune {

/// The parts of an evaluation. They take times of different kinds: only `run` depends on the kernels.
enum class EvaluationPhase : std::uint8_t {
  prepare,  ///< inputs and references of the problem, on the host
  compile,  ///< kernels that are in no cache yet
  run,      ///< the kernels: verifying and measuring
};

[[nodiscard]] std::string_view name_of(EvaluationPhase phase) noexcept;
/// \throws Error (input)
[[nodiscard]] EvaluationPhase parse_evaluation_phase(std::string_view text);

/// As make_local_evaluator of evaluator.hpp; `on_phase` is called on the evaluating thread as each phase
/// begins.
[[nodiscard]] std::unique_ptr<Evaluator> make_local_evaluator(std::shared_ptr<Device> device,
                                                              std::shared_ptr<KernelStore> kernels,
                                                              std::function<void(EvaluationPhase)> on_phase);

}  // namespace bitune
