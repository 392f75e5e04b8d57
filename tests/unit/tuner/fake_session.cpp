#include "tests/unit/tuner/fake_session.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <numeric>

#include "model/timestamp.hpp"
#include "runtime/selection_ladder.hpp"
#include "runtime/variant.hpp"

namespace bitune::testing_support {
namespace {

Configuration configuration_of(std::int64_t x) { return {"fake", {{"x", x}}}; }

/// What the configurations are of, as selection needs to know it.
class FakeVariant final : public Variant {
 public:
  FakeVariant(std::int64_t count, std::int64_t standard) : count_(count), default_(standard) {}

  std::string_view name() const noexcept override { return "fake"; }
  std::string_view description() const noexcept override { return "for tests of sessions"; }
  std::vector<std::string_view> kernel_headers() const override { return {}; }
  bool supports(const Problem&, const DeviceInfo&) const override { return true; }
  SearchSpace space(const Problem&, const DeviceInfo&) const override {
    SearchSpace space;
    space.variant = "fake";
    space.parameters = {{"x", std::vector<std::int64_t>(static_cast<std::size_t>(count_)), ""}};
    std::iota(space.parameters[0].values.begin(), space.parameters[0].values.end(), std::int64_t{0});
    return space;
  }
  Configuration default_configuration(const Problem&, const DeviceInfo&) const override {
    return configuration_of(default_);
  }
  Plan plan(const Problem&, const Configuration&, const DeviceInfo&) const override {
    Plan plan;
    plan.launches.resize(1);
    return plan;
  }

 private:
  std::int64_t count_;
  std::int64_t default_;
};

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

std::vector<Configuration> FakeSource::default_configurations(const Problem&) const {
  std::vector<Configuration> configurations;
  for (const std::int64_t x : defaults) configurations.push_back(configuration_of(x));
  return configurations;
}

std::string FakeSource::plan_digest(const Problem&, const Configuration& configuration) const {
  return plan ? plan(configuration.at("x")) : "";
}

std::optional<Selection> FakeSource::selected(const Problem& problem, const CandidateSet& candidates) const {
  if (!selects_on) return std::nullopt;
  const FakeVariant family(count_, defaults.empty() ? 0 : defaults.front());
  const std::array<const Variant*, 1> families = {&family};
  return select_among(problem, *selects_on, candidates, families,
                      [this](std::string_view) { return digest; });
}

Compilation FakeSource::compile(const Problem&, const Configuration& configuration,
                                const std::stop_token& stop) const {
  ++compilations;
  return on_compile ? on_compile(configuration.at("x"), stop) : Compilation{.compile_ms = 5};
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
