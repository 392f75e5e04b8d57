#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX signals
#include <sys/prctl.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/application.hpp"
#include "bench/start.hpp"
#include "bitune/bitune.hpp"
#include "bitune/error.hpp"
#include "measure/inputs.hpp"
#include "measure/oracle.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

/// Microseconds that `work` takes.
template <class Work>
double time_of(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Json json_of(const StartProcessAnswer& answer) {
  return {{"cuda_start_us", answer.cuda_start_us},
          {"first_us", answer.first_us},
          {"second_us", answer.second_us},
          {"compiled_kernels", answer.compiled_kernels},
          {"verified", answer.verified},
          {"configuration", answer.configuration},
          {"match", answer.match}};
}

StartProcessAnswer start_answer_from(const Json& json) {
  try {
    return {.cuda_start_us = json.at("cuda_start_us").get<double>(),
            .first_us = json.at("first_us").get<double>(),
            .second_us = json.at("second_us").get<double>(),
            .compiled_kernels = json.at("compiled_kernels").get<int>(),
            .verified = json.at("verified").get<bool>(),
            .configuration = json.at("configuration").get<std::string>(),
            .match = json.at("match").get<std::string>()};
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::input,
                fmt::format("the answer of a process that was to sort cannot be read: {}", error.what()));
  }
}

StartProcessAnswer measure_start(const StartProcessRequest& request) {
  const Problem& problem = request.problem;
  const std::vector<std::byte> keys = make_keys(problem.key, problem.n, Distribution::random, request.seed);
  std::vector<std::byte> result(keys.size());
  const auto is_right = [&](Application& application) {
    application.read(result);
    return !find_fault_of_keys(problem, keys, result);
  };

  StartProcessAnswer answer;
  const auto application = request.device == "emulated"
                               ? start_host_application(keys.size())
                               : start_cuda_application(request.device, keys.size(), answer.cuda_start_us);
  application->write(keys);
  // From here on all is bitune's: the device is opened, the databases are read, kernels are loaded.
  std::optional<Sorter> sorter;
  const auto sort = [&] {
    sorter->sort(application->keys(), problem.n, problem.key, nullptr, problem.order);
    application->synchronize();
  };
  answer.first_us = time_of([&] {
    sorter.emplace(SorterOptions{
        .device = request.device, .database = request.database, .kernel_cache = request.kernel_cache});
    sort();
  });
  answer.verified = is_right(*application);
  application->write(keys);
  answer.second_us = time_of(sort);
  answer.verified = is_right(*application) && answer.verified;

  const Explanation how = sorter->explain(problem);
  answer.compiled_kernels = how.compiled_kernels;
  answer.configuration = how.configuration;
  answer.match = how.match;
  return answer;
}

int run_start_process(const StartProcessRequest& request) {
  // As workers: a killed parent takes it along, and Ctrl-C is the parent's to handle.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN);

  Json answer;
  try {
    answer = json_of(measure_start(request));
  } catch (const std::exception& error) {
    answer = {{"error", error.what()}};
  }
  const std::string line = line_of(answer) + '\n';
  const bool written = std::fwrite(line.data(), 1, line.size(), stdout) == line.size();
  return written && std::fflush(stdout) == 0 && !answer.contains("error") ? 0 : 1;
}

}  // namespace bitune
