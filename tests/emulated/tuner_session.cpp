// A whole session over real variants: trials in the database, a best one, and resuming.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "bitune/error.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/selection.hpp"
#include "tests/support/sort_check.hpp"
#include "tuner/session.hpp"

namespace bitune::test {
namespace tuner_session {
namespace {

class EmulatedSession : public testing::Test {
 protected:
  EmulatedSession()
      : bench_(make_bench(open_device("emulated"))),
        path_(std::filesystem::path(testing::TempDir()) /
              ("bitune-session-" + std::to_string(getpid()) + ".db")),
        evaluator_(make_local_evaluator(bench_.device, bench_.kernels)) {
    remove_files();
    request_.problems = {{{.key = KeyType::u32}, {.n = 512}}};
    request_.budget_evaluations = 9;  // the default of every searched variant
    request_.finalists = 2;
  }
  ~EmulatedSession() override { remove_files(); }

  std::vector<TuneOutcome> run() {
    TuningDatabase database(path_, DatabaseMode::read_write);
    return tune(request_, *bench_.device, *bench_.kernels, *evaluator_, database, {}, stop_);
  }
  void remove_files() const {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_.string() + suffix);
  }

  Bench bench_;
  std::filesystem::path path_;
  std::unique_ptr<Evaluator> evaluator_;
  TuneRequest request_;
  std::atomic<bool> stop_ = false;
};

TEST_F(EmulatedSession, TunesStoresAndResumes) {
  const auto outcomes = run();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].evaluated, 9u);
  EXPECT_EQ(outcomes[0].failed, 0u);
  ASSERT_TRUE(outcomes[0].best);
  EXPECT_EQ(outcomes[0].best->kernel_digest, kernel_sources_digest(outcomes[0].best->configuration.variant));

  const TuningDatabase database(path_, DatabaseMode::read_only);
  const auto rows = database.trials({});
  EXPECT_GE(rows.size(), 9u);
  std::vector<std::string> tried;
  for (const TrialRow& row : rows) tried.push_back(row.trial.configuration.variant);
  for (const Variant* family : variants()) {
    const bool expected = family->searched() && family->supports(request_.problems[0], bench_.device->info());
    EXPECT_EQ(std::count(tried.begin(), tried.end(), family->name()) > 0, expected)
        << family->name() << "'s default comes first, if it is searched";
  }
  EXPECT_TRUE(database.check().empty());
  const auto candidates = database.candidates(request_.problems[0]);
  EXPECT_FALSE(candidates.empty());

  request_.budget_evaluations = 1;
  request_.resume = true;
  const auto resumed = run();
  EXPECT_EQ(resumed[0].evaluated, 1u);
  EXPECT_TRUE(resumed[0].best);
}

TEST_F(EmulatedSession, OnlyTheVariantsAskedForAndTheIncumbent) {
  request_.variants = {"shared"};
  (void)run();
  const TuningDatabase database(path_, DatabaseMode::read_only);
  const Configuration incumbent =
      default_selection(request_.problems[0], bench_.device->info()).configuration;
  EXPECT_NE(incumbent.variant, "shared");
  std::set<std::string> others;
  for (const TrialRow& row : database.trials({})) {
    if (row.trial.configuration.variant != "shared") others.insert(row.trial.configuration.text());
  }
  EXPECT_EQ(others, std::set<std::string>{incumbent.text()});
  request_.variants = {"magic"};
  EXPECT_THROW((void)run(), Error);
}

}  // namespace
}  // namespace tuner_session
}  // namespace bitune::test
