#include "bench/given_configuration.hpp"

#include <fmt/format.h>

#include <utility>

#include "bitune/error.hpp"
#include "model/problem.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/open_engine.hpp"
#include "runtime/variant.hpp"

namespace bitune {

std::unique_ptr<SortEngine> open_engine_of(const SorterOptions& options, const Configuration& configuration) {
  OpenedEngine opened = open_engine(options);
  // As if it had been the only one ever tried, for whatever is sorted.
  CandidateReader only = [configuration, device = opened.device->info()](const Problem& problem,
                                                                         std::string*) {
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
  Preparation how;
  how.shipped_kernels = std::move(opened.shipped_kernels);
  return std::make_unique<SortEngine>(std::move(opened.device), std::move(opened.cache), std::move(only),
                                      variants(), std::string{}, std::move(how));
}

void expect_fit(const Configuration& configuration, const Problem& problem, const DeviceInfo& device) {
  if (const auto why = refusal(configuration, problem, device)) {
    throw Error(ErrorCode::usage,
                fmt::format("'{}' cannot do '{}': {} (bitune tune --list says which variants can)",
                            configuration.text(), text_of(problem), *why));
  }
}

}  // namespace bitune
