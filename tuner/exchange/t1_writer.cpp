#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>

#include "runtime/variant.hpp"
#include "tuner/exchange/text_parts.hpp"
#include "tuner/exchange/writers.hpp"

namespace bitune::exchange {
namespace {

// The header of the variant's first kernel, for readers that insist on a file.
std::string kernel_file(const Series& series) {
  for (const Variant* family : variants()) {
    if (family->name() != series.variant || !family->supports(series.problem, series.device)) continue;
    const Plan plan = family->plan(
        series.problem, family->default_configuration(series.problem, series.device), series.device);
    if (!plan.kernels.empty()) return plan.kernels.front().header;
  }
  return "kernels/platform/platform.cuh";
}

}  // namespace

std::string t1_text(const Series& series, std::string_view cache_name) {
  Json parameters = Json::array();
  for (const std::string& name : series.parameters) {
    std::set<std::int64_t> values;
    for (const Trial& trial : series.trials) values.insert(trial.configuration.at(name));
    parameters.push_back(
        {{"Name", name}, {"Type", "int"}, {"Values", fmt::format("[{}]", fmt::join(values, ", "))}});
  }
  // bitune's restrictions are no Python expressions, and a simulation can only go where measurements are: the
  // condition is the set of what was recorded.
  std::vector<std::string> recorded;
  recorded.reserve(series.trials.size());
  for (const Trial& trial : series.trials) {
    recorded.push_back(fmt::format("({},)", values_text(series, trial, ",")));
  }
  const std::string condition =
      fmt::format("({},) in {{{}}}", fmt::join(series.parameters, ", "), fmt::join(recorded, ", "));
  const Json sizes =
      series.problem.rows == 1 ? Json{series.problem.n} : Json{series.problem.n, series.problem.rows};
  const Json document = {
      {"General", {{"FormatVersion", 1}, {"TimeUnit", "Milliseconds"}, {"OutputFormat", "JSON"}}},
      {"ConfigurationSpace",
       {{"TuningParameters", parameters},
        {"Conditions", Json::array({{{"Parameters", series.parameters}, {"Expression", condition}}})}}},
      {"KernelSpecification",
       {{"Language", "CUDA"},
        {"KernelName", series.kernel_name()},
        {"KernelFile", kernel_file(series)},
        {"Device", {{"Name", series.device.name}}},
        {"ProblemSize", sizes},
        {"GlobalSizeType", "CUDA"},
        {"GlobalSize", {{"X", "ProblemSize[0]"}}},
        {"LocalSize", {{"X", "block_size_x"}}},
        {"Arguments", Json::array()},
        {"SimulationInput", cache_name}}},
      {"Search", {{"Name", "brute_force"}}}};
  return document.dump(1) + "\n";
}

}  // namespace bitune::exchange
