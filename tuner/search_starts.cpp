#include "tuner/search_starts.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "tuner/warm_start.hpp"

namespace bitune {
namespace {

/// Adds what is not there yet.
void add_new(std::vector<Configuration>& all, std::vector<Configuration> more) {
  for (Configuration& configuration : more) {
    if (std::find(all.begin(), all.end(), configuration) == all.end()) {
      all.push_back(std::move(configuration));
    }
  }
}

}  // namespace

Starts starts_of(const SessionState& session, const Problem& problem, const DomainIndex& domain) {
  const Searched searched = {
      [&domain](std::string_view variant) { return domain.has_variant(variant); },
      [&domain](const Configuration& configuration) { return domain.find(configuration).has_value(); }};
  Starts starts;
  starts.configurations = session.incumbents_of(problem);
  starts.incumbents = starts.configurations.size();
  std::vector<Configuration> given = session.request.starts;
  std::erase_if(given, std::not_fn(searched.is_valid));
  add_new(starts.configurations, std::move(given));
  const std::vector<Configuration> warm = warm_starts(
      problem, session.device, session.candidates(problem),
      [&session](std::string_view variant) { return session.source.kernel_digest(variant); }, searched);
  std::vector<Configuration> defaults = session.source.default_configurations(problem);
  std::erase_if(defaults, std::not_fn(searched.is_valid));
  // What this session has just found for another problem is no incumbent, but likely to be better.
  const auto is_incumbent = [&incumbents = starts.configurations](const Configuration& configuration) {
    return std::find(incumbents.begin(), incumbents.end(), configuration) != incumbents.end();
  };
  const auto likely = std::find_if_not(warm.begin(), warm.end(), is_incumbent);
  if (likely != warm.end()) starts.configurations.push_back(*likely);
  starts.needed = starts.configurations.size();
  add_new(starts.configurations, warm);
  add_new(starts.configurations, std::move(defaults));
  return starts;
}

}  // namespace bitune
