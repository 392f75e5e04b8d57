#include "cli/searched_variants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "bitune/error.hpp"
#include "cli/command.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"

namespace bitune::cli {
namespace {

bool is_searched(std::string_view name, const TuneRequest& request) {
  const auto& named = request.variants;
  return named.empty() || std::find(named.begin(), named.end(), name) != named.end();
}

/// Why the configuration is not tried for the problem; nothing if it is.
std::optional<std::string> refusal_of(const Configuration& start, const Problem& problem,
                                      const TuneRequest& request, const DeviceInfo& device) {
  const Variant& family = variant(start.variant);
  if (!is_searched(family.name(), request)) {
    return fmt::format("{} is not among --variants {}", family.name(), fmt::join(request.variants, ","));
  }
  if (!family.supports(problem, device)) {
    return fmt::format("{} cannot do '{}'", family.name(), text_of(problem));
  }
  const auto violation = family.space(problem, device).violation(start, problem, device);
  if (!violation) return std::nullopt;
  return fmt::format("not of the space of '{}': {}", text_of(problem), *violation);
}

}  // namespace

void list_searched(const TuneRequest& request, const DeviceInfo& device) {
  for (const Variant* family : variants()) {
    if (!is_searched(family->name(), request)) continue;
    for (const Problem& problem : request.problems) {
      if (family->supports(problem, device)) print(fmt::format("{} {}\n", family->name(), text_of(problem)));
    }
  }
}

void remark_on_variants(const TuneRequest& request, const DeviceInfo& device) {
  if (request.variants.empty()) return;
  for (const Problem& problem : request.problems) {
    const bool any = std::any_of(request.variants.begin(), request.variants.end(),
                                 [&](const auto& name) { return variant(name).supports(problem, device); });
    if (any) continue;
    print_remark(fmt::format("{} cannot do '{}': only what sorts take now is measured for it",
                             fmt::join(request.variants, ", "), text_of(problem)));
  }
}

std::vector<Configuration> parse_starts(const std::vector<std::string>& texts, const TuneRequest& request,
                                        const DeviceInfo& device) {
  std::vector<Configuration> starts;
  for (const std::string& text : texts) {
    Configuration start = Configuration::parse(text);
    std::optional<std::string> refusal;
    const bool fits =
        std::any_of(request.problems.begin(), request.problems.end(), [&](const Problem& problem) {
          const auto now = refusal_of(start, problem, request, device);
          if (!refusal) refusal = now;
          return !now;
        });
    if (!fits) {
      throw Error(ErrorCode::usage,
                  fmt::format("--start '{}': {}", text, refusal.value_or("there is nothing to tune")));
    }
    starts.push_back(std::move(start));
  }
  return starts;
}

}  // namespace bitune::cli
