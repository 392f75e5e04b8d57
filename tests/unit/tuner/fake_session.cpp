#include "tests/unit/tuner/fake_session.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "model/timestamp.hpp"

namespace bitune::testing_support {
namespace {

Configuration configuration_of(std::int64_t x) { return {"fake", {{"x", x}}}; }

std::string fresh_path() {
  static int number = 0;
  return testing::TempDir() + "bitune-session-" + std::to_string(getpid()) + "-" + std::to_string(number++) +
         ".db";
}

}  // namespace

SearchDomain FakeSource::domain(const Problem&) const {
  SearchDomain domain;
  for (std::int64_t x = 0; x < count_; ++x) domain.configurations.push_back(configuration_of(x));
  return domain;
}

std::vector<Configuration> FakeSource::first_guesses(const Problem&) const {
  std::vector<Configuration> configurations;
  for (const std::int64_t x : guesses) configurations.push_back(configuration_of(x));
  return configurations;
}

std::string FakeSource::plan_digest(const Problem&, const Configuration& configuration) const {
  return plan ? plan(configuration.at("x")) : "";
}

Compilation FakeSource::compile(const Problem&, const Configuration& configuration) const {
  ++compilations;
  return on_compile ? on_compile(configuration.at("x")) : Compilation{.compile_ms = 5};
}

Trial FakeEvaluator::evaluate(const EvaluationRequest& request) {
  requests.push_back(request);
  if (on_call) on_call(request);
  const std::int64_t x = request.configuration.at("x");
  Trial trial;
  trial.problem = request.problem;
  trial.configuration = request.configuration;
  trial.timestamp = timestamp_now();
  trial.status = status(x);
  if (trial.status == TrialStatus::ok) {
    const double us = time_us(x, requests.size());
    trial.samples_us.assign(samples, us);
  } else {
    trial.message = "scripted";
  }
  return trial;
}

std::vector<std::int64_t> FakeEvaluator::asked(bool verify) const {
  std::vector<std::int64_t> values;
  for (const EvaluationRequest& request : requests) {
    if (request.verify == verify) values.push_back(request.configuration.at("x"));
  }
  return values;
}

SessionFixture::SessionFixture() : path(fresh_path()), database(path, DatabaseMode::read_write) {
  device.name = "Fake GPU";
  request.problems = {{{}, {.n = 1024}}};
  request.strategy = "exhaustive";
  request.compile_threads = 2;
  request.now = [this] { return now; };
}

SessionFixture::~SessionFixture() {
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path + suffix);
}

std::vector<TuneOutcome> SessionFixture::run() {
  return tune_with(
      request, source, device, {"uuid", "driver", "compiler"}, evaluator, database,
      [this](const TuneProgress& progress) {
        shown.push_back(progress);
        if (on_progress) on_progress(progress);
      },
      stop);
}

std::vector<Trial> SessionFixture::stored(bool finalists) const {
  std::vector<Trial> trials;
  for (const TrialRow& row : database.trials({})) {
    if (row.trial.finalist == finalists) trials.push_back(row.trial);
  }
  return trials;
}

std::vector<Trial> SessionFixture::stored(TrialStatus status) const {
  TrialFilter filter;
  filter.status = status;
  std::vector<Trial> trials;
  for (const TrialRow& row : database.trials(filter)) trials.push_back(row.trial);
  return trials;
}

}  // namespace bitune::testing_support
