// Tuning.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bitune/log.hpp"
#include "cache/kernel_cache.hpp"
#include "capi/call.hpp"
#include "capi/structs.hpp"
#include "measure/inputs.hpp"
#include "measure/segments.hpp"
#include "model/c_structs.hpp"
#include "runtime/own_folders.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"
#include "tuner/strategy.hpp"
#include "tuner/whole_session.hpp"

namespace bitune::capi {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> parts_of_list(const char* text) {
  std::vector<std::string> parts(1);
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at == ',')
      parts.emplace_back();
    else
      parts.back() += *at;
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

/// The command beside this library, or nothing.
std::string command_beside_library() {
  const std::vector<fs::path> own = own_folders();
  if (own.empty()) return {};
  std::error_code error;
  for (const fs::path& path : {own.front() / "bitune", own.front() / ".." / "bin" / "bitune"}) {
    if (fs::is_regular_file(path, error)) return path.lexically_normal().string();
  }
  return {};
}

std::string worker_program(const char* given) {
  if (given != nullptr) return given;
  if (const char* named = std::getenv("BITUNE_COMMAND"); named != nullptr) return named;
  std::string beside = command_beside_library();
  if (beside.empty())
    log_sentence(
        "configurations are evaluated in this process, as there is no bitune command beside the library: one "
        "that hangs or crashes ends it; name the command by BITUNE_COMMAND");
  return beside;
}

TuneRequest request_of(const bitune_tune_options& options, std::vector<Problem> problems) {
  TuneRequest request;
  request.problems = std::move(problems);
  for (const std::string& name : parts_of_list(text_or_empty(options.variants)))
    request.variants.emplace_back(variant(name).name());
  if (*text_or_empty(options.strategy) != '\0') request.strategy = strategy(options.strategy).name;
  if (*text_or_empty(options.distribution) != '\0')
    request.protocol.distribution = name_of(parse_distribution(options.distribution));
  const auto is_ragged = [](const Problem& problem) { return problem.ragged; };
  if (std::any_of(request.problems.begin(), request.problems.end(), is_ragged)) {
    request.protocol.lengths = *text_or_empty(options.lengths) == '\0' ? "uniform" : options.lengths;
    static_cast<void>(is_file_of_lengths(request.protocol.lengths));
  }
  request.seed = options.seed;
  request.protocol.cold_l2 = options.cold_l2 != 0;
  request.protocol.inputs = static_cast<int>(options.inputs);
  request.protocol.max_samples = static_cast<int>(options.samples);
  request.protocol.min_samples = std::min(request.protocol.min_samples, request.protocol.max_samples);
  request.protocol.precision = options.precision;
  if (options.budget_seconds > 0) request.budget_seconds = options.budget_seconds;
  if (options.budget_evaluations > 0) request.budget_evaluations = options.budget_evaluations;
  request.resume = options.resume != 0;
  request.warm_start = options.warm_start != 0;
  request.finalists = static_cast<int>(options.finalists);
  return request;
}

/// \throws Error (usage) that names the member
void check(const bitune_tune_options& options) {
  const auto refuse = [](const char* what) {
    throw Error(ErrorCode::usage, std::string("bitune_tune_options: ") + what);
  };
  if (options.samples == 0 || options.samples > 100000) refuse("samples must be 1 to 100000");
  if (options.inputs == 0 || options.inputs > 1000) refuse("inputs must be 1 to 1000");
  if (options.finalists > 1000) refuse("finalists must be at most 1000");
  if (!(options.budget_seconds >= 0)) refuse("budget_seconds must be 0 or more");
  if (!(options.timeout_seconds > 0)) refuse("timeout_seconds must be more than 0");
  if (!(options.precision >= 0 && options.precision < 1)) refuse("precision must be from 0 to below 1");
}

/// Calls the caller's function, and remembers that it ended the session.
class Reporter {
 public:
  Reporter(bitune_tune_callback callback, void* user, std::atomic<bool>& stop)
      : callback_(callback), user_(user), stop_(&stop) {}

  void operator()(const DevicesProgress& given) const {
    if (callback_ == nullptr) return;
    const TuneProgress& of_device = *given.progress;
    bitune_problem problem = BITUNE_PROBLEM_INIT;
    if (of_device.problem != nullptr) problem = c_struct_of(*of_device.problem);
    const std::string best = of_device.best == nullptr ? "" : of_device.best->configuration.text();
    const bitune_tune_progress progress = {
        .size = sizeof(bitune_tune_progress),
        .problem = of_device.problem == nullptr ? nullptr : &problem,
        .best_configuration = of_device.best == nullptr ? nullptr : best.c_str(),
        .best_us = of_device.best == nullptr ? -1 : of_device.best->median_us().value_or(-1),
        .device = given.device,
        .problem_index = of_device.problem_index,
        .problem_count = of_device.problem_count,
        .evaluated = of_device.evaluated,
        .candidates = of_device.candidates,
        .elapsed_seconds = of_device.elapsed_seconds,
        .remaining_seconds = of_device.remaining_seconds.value_or(-1)};
    if (callback_(&progress, user_) != 0) stop_->store(true);
  }

 private:
  bitune_tune_callback callback_;
  void* user_;
  std::atomic<bool>* stop_;
};

void tune_all(const bitune_tune_options& options, std::vector<Problem> problems,
              bitune_tune_callback callback, void* user, char** report) {
  check(options);
  TuneRequest request = request_of(options, std::move(problems));
  const DevicesOptions session{
      .database = *text_or_empty(options.database) != '\0' ? fs::path(options.database)
                                                           : TuningDatabase::default_path(),
      .kernel_cache = *text_or_empty(options.kernel_cache) != '\0' ? fs::path(options.kernel_cache)
                                                                   : KernelCache::default_directory(),
      .worker_program = worker_program(options.worker),
      .timeout_seconds = options.timeout_seconds};
  std::vector<std::string> selectors = parts_of_list(text_or_empty(options.devices));
  if (selectors.empty()) selectors.emplace_back("auto");
  const std::vector<std::shared_ptr<Device>> devices =
      open_devices(selectors, "bitune_tune_options: devices");
  for (const Problem& problem : request.problems)
    static_cast<void>(default_selection(problem, devices.front()->info()));  // throws if no variant can do it

  std::atomic<bool> stop{false};
  const auto [results, outcomes, summary] =
      run_session(std::move(request), devices, session, stop, Reporter(callback, user, stop));
  if (report != nullptr) *report = text_for_caller(tune_json(outcomes, summary));
  if (summary.interrupted)
    throw Error(ErrorCode::cancelled,
                "the session was ended; what was measured is stored, and the same call goes on from there");
  if (const auto failure = failure_of(results, outcomes)) throw Error(ErrorCode::device, *failure);
}

}  // namespace
}  // namespace bitune::capi

extern "C" bitune_status bitune_tune(const bitune_tune_options* options, const bitune_problem* problems,
                                     size_t count, bitune_tune_callback progress, void* user,
                                     char** report_json) {
  using namespace bitune::capi;  // NOLINT(google-build-using-namespace)
  return guarded([&] {
    if (report_json != nullptr) *report_json = nullptr;
    require(problems, "problems");
    const bitune_tune_options defaults = BITUNE_TUNE_OPTIONS_INIT;
    const bitune_tune_options read =
        options == nullptr ? defaults : read_struct(*options, defaults, "bitune_tune_options");
    // An array's elements are as long as its first one says: those of a newer or older caller, too.
    std::vector<bitune::Problem> wanted;
    const auto* at = reinterpret_cast<const unsigned char*>(problems);
    for (std::size_t i = 0; i < count; ++i, at += problems->size)
      wanted.push_back(problem_from(reinterpret_cast<const bitune_problem*>(at)));
    if (wanted.empty()) throw bitune::Error(bitune::ErrorCode::usage, "problems: there is none");
    tune_all(read, std::move(wanted), progress, user, report_json);
  });
}
