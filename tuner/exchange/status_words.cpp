#include "tuner/exchange/status_words.hpp"

#include <fmt/format.h>

#include <array>

#include "bitune/error.hpp"

namespace bitune::exchange {
namespace {

struct Words {
  TrialStatus status;
  std::string_view kernel_tuner;
  std::string_view t4;
};

// Of the statuses that share a word, the first is what the word alone means.
constexpr std::array<Words, 9> words = {{
    {TrialStatus::unverified, "", "correct"},
    {TrialStatus::ok, "", "correct"},
    {TrialStatus::invalid, "InvalidConfig", "constraints"},
    {TrialStatus::compile_failed, "CompilationFailedConfig", "compile"},
    {TrialStatus::launch_failed, "RuntimeFailedConfig", "runtime"},
    {TrialStatus::wrong_result, "RuntimeFailedConfig", "correctness"},
    {TrialStatus::timed_out, "RuntimeFailedConfig", "timeout"},
    {TrialStatus::spilled, "InvalidConfig", "constraints"},
    {TrialStatus::over_limit, "InvalidConfig", "constraints"},
}};

const Words& words_of(TrialStatus status) noexcept {
  for (const Words& entry : words) {
    if (entry.status == status) return entry;
  }
  return words.front();
}

}  // namespace

std::string_view kernel_tuner_word(TrialStatus status) noexcept { return words_of(status).kernel_tuner; }

std::string_view t4_word(TrialStatus status) noexcept { return words_of(status).t4; }

TrialStatus status_of(std::string_view word, std::string_view own,
                      std::string_view (*word_of)(TrialStatus) noexcept) {
  for (const Words& entry : words) {
    if (word_of(entry.status) != word) continue;
    if (own.empty()) return entry.status;
    const TrialStatus status = parse_trial_status(own);
    if (word_of(status) != word) {
      throw Error(ErrorCode::input,
                  fmt::format("it is '{}' and '{}' at once", own, word.empty() ? "timed" : word));
    }
    return status == TrialStatus::ok ? TrialStatus::unverified : status;
  }
  throw Error(ErrorCode::input, fmt::format("'{}' is no way for a trial to end", word.substr(0, 40)));
}

}  // namespace bitune::exchange
