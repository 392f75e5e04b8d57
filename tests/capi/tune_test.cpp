// Tuning and the database through C: a session in this process that the callback watches.

#include <algorithm>

#include "tests/capi/fixture.hpp"

namespace bitune::test {
namespace {

struct Watcher {
  std::uint64_t calls = 0;
  std::uint64_t evaluated = 0;
  std::uint64_t n = 0;
  bool stop = false;
};

int watch(const bitune_tune_progress* progress, void* user) {
  auto& watcher = *static_cast<Watcher*>(user);
  ++watcher.calls;
  watcher.evaluated = std::max(watcher.evaluated, progress->evaluated);
  if (progress->problem != nullptr) watcher.n = progress->problem->n;
  return watcher.stop ? 1 : 0;
}

class TuneFromC : public CLibrary {
 protected:
  [[nodiscard]] bitune_tune_options options() const {
    bitune_tune_options options = BITUNE_TUNE_OPTIONS_INIT;
    options.devices = "emulated";
    options.database = database.c_str();
    options.worker = "";
    options.variants = "warp";
    options.strategy = "random";
    options.budget_seconds = 0;
    options.budget_evaluations = 2;
    options.samples = 2;
    options.inputs = 1;
    options.finalists = 1;
    return options;
  }

  nlohmann::json listed(const char* what, const char* filter = nullptr) {
    char* text = nullptr;
    EXPECT_EQ(bitune_database_json(database.c_str(), what, filter, &text), BITUNE_OK) << bitune_last_error();
    return json_of(text);
  }
};

TEST_F(TuneFromC, ASessionStoresWhatSortersThenTake) {
  const bitune_tune_options wanted = options();
  const bitune_problem problem = problem_of(64);
  Watcher watcher;
  char* report = nullptr;
  ASSERT_EQ(bitune_tune(&wanted, &problem, 1, watch, &watcher, &report), BITUNE_OK) << bitune_last_error();
  EXPECT_TRUE(json_of(report).is_object());
  EXPECT_GT(watcher.calls, 0u);
  EXPECT_GT(watcher.evaluated, 0u);
  EXPECT_EQ(watcher.n, 64u);

  EXPECT_FALSE(listed("trials").empty());
  EXPECT_FALSE(listed("best", R"({"key": "u32", "n": 64})").empty());
  EXPECT_FALSE(listed("problems").empty());
  EXPECT_EQ(listed("devices").at("devices").size(), 1u);

  bitune_sorter_options fresh = BITUNE_SORTER_OPTIONS_INIT;
  fresh.device = "emulated";
  fresh.database = database.c_str();
  bitune_sorter* tuned = nullptr;
  ASSERT_EQ(bitune_sorter_create(&fresh, &tuned), BITUNE_OK) << bitune_last_error();
  char* how = nullptr;
  ASSERT_EQ(bitune_explain(tuned, &problem, &how), BITUNE_OK) << bitune_last_error();
  EXPECT_EQ(json_of(how).at("match"), "exact");
  bitune_sorter_destroy(tuned);
}

TEST_F(TuneFromC, TheCallbackEndsASessionAndTheReportIsGiven) {
  const bitune_tune_options wanted = options();
  const bitune_problem problem = problem_of(64);
  Watcher watcher;
  watcher.stop = true;
  char* report = nullptr;
  EXPECT_EQ(bitune_tune(&wanted, &problem, 1, watch, &watcher, &report), BITUNE_ERROR_CANCELLED)
      << bitune_last_error();
  ASSERT_NE(report, nullptr);
  EXPECT_TRUE(json_of(report).is_object());
}

TEST_F(TuneFromC, WrongOptionsAreNamed) {
  const bitune_problem problem = problem_of(64);
  char* report = nullptr;
  const auto refused = [&](const bitune_tune_options& wanted, const char* names) {
    EXPECT_EQ(bitune_tune(&wanted, &problem, 1, nullptr, nullptr, &report), BITUNE_ERROR_USAGE);
    EXPECT_NE(std::string(bitune_last_error()).find(names), std::string::npos) << bitune_last_error();
    EXPECT_EQ(report, nullptr);
  };
  bitune_tune_options wanted = options();
  wanted.samples = 0;
  refused(wanted, "samples");
  wanted = options();
  wanted.variants = "warp,bubble";
  refused(wanted, "bubble");
  wanted = options();
  wanted.strategy = "hope";
  refused(wanted, "hope");
  wanted = options();
  EXPECT_EQ(bitune_tune(&wanted, &problem, 0, nullptr, nullptr, nullptr), BITUNE_ERROR_USAGE);
  bitune_problem none = problem_of(64);
  none.size = 0;
  EXPECT_EQ(bitune_tune(&wanted, &none, 3, nullptr, nullptr, nullptr), BITUNE_ERROR_USAGE);
  EXPECT_FALSE(std::filesystem::exists(database)) << "refused before any work";
}

TEST_F(TuneFromC, TheDatabaseSaysWhatItIsAskedWrongly) {
  char* text = nullptr;
  EXPECT_EQ(bitune_database_json(database.c_str(), "best", nullptr, &text), BITUNE_ERROR_DATABASE);
  EXPECT_NE(std::string(bitune_last_error()).find(database), std::string::npos) << bitune_last_error();
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(bitune_database_json(database.c_str(), "best", "[1", &text), BITUNE_ERROR_INPUT);

  const bitune_tune_options wanted = options();
  const bitune_problem problem = problem_of(64);
  ASSERT_EQ(bitune_tune(&wanted, &problem, 1, nullptr, nullptr, nullptr), BITUNE_OK) << bitune_last_error();
  EXPECT_EQ(bitune_database_json(database.c_str(), "best", "[1", &text), BITUNE_ERROR_INPUT);
  EXPECT_EQ(bitune_database_json(database.c_str(), "worst", nullptr, &text), BITUNE_ERROR_USAGE);
  EXPECT_EQ(bitune_database_json(database.c_str(), "best", R"({"colour": "red"})", &text),
            BITUNE_ERROR_USAGE);
  EXPECT_EQ(bitune_database_json(database.c_str(), nullptr, nullptr, &text), BITUNE_ERROR_USAGE);
  EXPECT_EQ(bitune_database_json(database.c_str(), "best", nullptr, nullptr), BITUNE_ERROR_USAGE);
}

}  // namespace
}  // namespace bitune::test
