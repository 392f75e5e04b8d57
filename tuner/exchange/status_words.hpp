#pragma once

/// \file
/// What other tools call the ways in which a trial ends. Private to the exchange formats.

#include <string_view>

#include "model/trial.hpp"

namespace bitune::exchange {

/// Kernel Tuner's word for a failure, which stands in the place of its time: "InvalidConfig",
/// "CompilationFailedConfig" or "RuntimeFailedConfig". It has none for a wrong result or a timeout, so that
/// an extra field tells bitune's. Empty if the trial has a time.
[[nodiscard]] std::string_view kernel_tuner_word(TrialStatus status) noexcept;

/// T4's `invalidity`: timeout, compile, runtime, correctness, constraints or correct.
[[nodiscard]] std::string_view t4_word(TrialStatus status) noexcept;

/// The status of a trial that another tool calls `word`; `own` is bitune's own word for it, empty if the file
/// has none. What has a time is `unverified`. `word_of` is one of the functions above.
/// \throws Error (input) if there is no such word, or the two contradict each other
[[nodiscard]] TrialStatus status_of(std::string_view word, std::string_view own,
                                    std::string_view (*word_of)(TrialStatus) noexcept);

}  // namespace bitune::exchange
