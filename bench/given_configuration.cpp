#include "bench/given_configuration.hpp"

#include <fmt/format.h>

#include <string>

#include "bitune/error.hpp"
#include "model/problem.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/variant.hpp"

namespace bitune {

CandidateReader reader_of_one(const Configuration& configuration, const DeviceInfo& device) {
  return [configuration, device](const Problem& problem, std::string*) {
    CandidateSet candidates;
    candidates.user.push_back({.trial_id = 1,
                               .device = device,
                               .device_digest = device.digest(),
                               .problem = problem,
                               .configuration = configuration,
                               .kernel_digest = kernel_sources_digest(configuration.variant),
                               .finalist = true});
    return candidates;
  };
}

void expect_fit(const Configuration& configuration, const Problem& problem, const DeviceInfo& device) {
  if (const auto why = refusal(configuration, problem, device)) {
    throw Error(ErrorCode::usage,
                fmt::format("'{}' cannot do '{}': {} (bitune tune --list says which variants can)",
                            configuration.text(), text_of(problem), *why));
  }
}

}  // namespace bitune
