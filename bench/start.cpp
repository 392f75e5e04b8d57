#include "bench/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "bitune/error.hpp"
#include "cache/kernel_cache.hpp"
#include "model/configuration.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/statistics.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_sources.hpp"
#include "tuner/worker_process.hpp"

namespace bitune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto patience = std::chrono::minutes(10);  // the emulated device's compiler may be slow
constexpr auto stop_asked_every = std::chrono::milliseconds(200);

std::vector<Problem> start_problems(const StartBenchRequest& request, bool emulated) {
  std::vector<std::uint64_t> sizes = request.sizes;
  if (sizes.empty()) sizes = parse_sizes(emulated ? "2^10" : "2^10,2^16,2^20,2^24");
  std::vector<Problem> problems;
  for (const KeyType key : request.keys) {
    for (const std::uint64_t n : sizes) {
      if (n < 2) {
        throw Error(ErrorCode::usage,
                    fmt::format("a first sort of {} keys has nothing to sort: use 2 or more", n));
      }
      problems.push_back({{.key = key, .order = request.order}, {.n = n}});
      static_cast<void>(key_bytes(problems.back()));  // throws if it exceeds any memory
    }
  }
  return problems;
}

/// Starts the processes of a suite.
class Processes {
 public:
  Processes(const StartBenchRequest& request, std::string device, const std::atomic<bool>& stop)
      : request_(request), device_(std::move(device)), stop_(stop) {}

  /// Runs one; nothing if the suite was stopped meanwhile. \throws Error (unavailable)
  [[nodiscard]] std::optional<StartProcessAnswer> run(const Problem& problem) const {
    WorkerProcess process(request_.program, arguments_for(problem));
    const auto deadline = Clock::now() + patience;
    std::string line;
    while (!stop_.load()) {
      switch (process.receive(line, std::min(deadline, Clock::now() + stop_asked_every))) {
        case WorkerProcess::Received::line:
          break;
        case WorkerProcess::Received::timed_out:
          if (Clock::now() < deadline) continue;
          process.terminate();
          fail(problem, fmt::format("had not sorted after {} minutes", patience.count()));
        case WorkerProcess::Received::ended:
        case WorkerProcess::Received::too_long:
          fail(problem, process.terminate());
      }
      const Json answer = Json::parse(line, nullptr, false);
      if (!answer.is_object()) continue;  // what a library has to say
      if (answer.contains("error")) fail(problem, "said: " + answer.value("error", "nothing"));
      return start_answer_from(answer);
    }
    process.terminate();
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::vector<std::string> arguments_for(const Problem& problem) const {
    std::vector<std::string> arguments = {"bench",    "start-process",
                                          "--device", device_,
                                          "--key",    std::string(name_of(problem.key)),
                                          "--size",   std::to_string(problem.n),
                                          "--order",  std::string(name_of(problem.order)),
                                          "--seed",   std::to_string(request_.seed)};
    const auto add = [&arguments](const char* option, const std::string& value) {
      if (!value.empty()) arguments.insert(arguments.end(), {option, value});
    };
    add("--db", request_.database);
    add("--cache", request_.kernel_cache);
    return arguments;
  }

  [[noreturn]] static void fail(const Problem& problem, const std::string& how) {
    throw Error(ErrorCode::unavailable,
                fmt::format("the process that was to sort '{}' from cold {}", text_of(problem), how));
  }

  const StartBenchRequest& request_;
  const std::string device_;
  const std::atomic<bool>& stop_;
};

double median_of_answers(const std::vector<StartProcessAnswer>& answers, double StartProcessAnswer::*member) {
  std::vector<double> values;
  values.reserve(answers.size());
  for (const StartProcessAnswer& answer : answers) values.push_back(answer.*member);
  return median_of(std::move(values));
}

/// Precondition: there is an answer.
BenchRecord start_record(const Problem& problem, const Device& device,
                         const std::vector<StartProcessAnswer>& answers) {
  BenchRecord record = record_of(problem, device);
  record.suite = "start";
  record.start = {.cuda_start_us = median_of_answers(answers, &StartProcessAnswer::cuda_start_us),
                  .first_us = median_of_answers(answers, &StartProcessAnswer::first_us),
                  .second_us = median_of_answers(answers, &StartProcessAnswer::second_us)};
  record.bitune_us = record.start->first_us;
  record.gkeys_per_s = rate_of(problem, record.bitune_us);
  record.configuration = answers.front().configuration;
  record.kernel = kernel_sources_digest(Configuration::parse(record.configuration).variant);
  record.match = answers.front().match;
  record.verified = std::all_of(answers.begin(), answers.end(),
                                [](const StartProcessAnswer& answer) { return answer.verified; });
  record.samples = static_cast<int>(answers.size());
  return record;
}

std::string cache_directory(const StartBenchRequest& request) {
  return request.kernel_cache.empty() ? KernelCache::default_directory().string() : request.kernel_cache;
}

}  // namespace

StartBenchResult run_start_bench(const StartBenchRequest& request,
                                 const std::function<void(const StartBenchProgress&)>& progress,
                                 const std::atomic<bool>& stop) {
  const std::shared_ptr<Device> device = open_device(request.device);
  const bool emulated = device->info().kind != "cuda";
  const std::vector<Problem> problems = start_problems(request, emulated);
  const Processes processes(request, emulated ? "emulated" : device->software().uuid, stop);
  const auto samples = static_cast<std::size_t>(std::max(request.samples, 1));
  StartBenchResult result;
  StartBenchProgress now;
  now.count = problems.size() * (samples + 1);
  for (const Problem& problem : problems) {
    now.problem = problem;
    std::vector<StartProcessAnswer> answers;
    for (std::size_t i = 0; i <= samples; ++i, ++now.index) {
      if (progress) progress(now);
      auto answer = processes.run(problem);
      if (!answer) return result;
      if (i > 0) answers.push_back(std::move(*answer));
    }
    const auto compiled =
        std::erase_if(answers, [](const StartProcessAnswer& answer) { return answer.compiled_kernels > 0; });
    if (answers.empty()) {
      throw Error(ErrorCode::unavailable,
                  fmt::format("every process compiled the kernels for '{}' anew, so that there is no start "
                              "from a warm kernel cache: see that '{}' can be written, or set BITUNE_CACHE",
                              text_of(problem), cache_directory(request)));
    }
    if (compiled > 0) {
      if (!result.note.empty()) result.note += "; ";
      result.note += fmt::format("{} of {} processes compiled kernels for '{}' and are not counted", compiled,
                                 samples, text_of(problem));
    }
    result.records.push_back(start_record(problem, *device, answers));
    result.records.back().start->compiled = static_cast<int>(compiled);
  }
  return result;
}

}  // namespace bitune
