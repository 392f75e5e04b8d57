/// \file
/// What `bitune db best`, `bitune db list` and the first sort of a process wait for in a database of a
/// million trials. The goals are 50 ms for the best and 200 ms for the list, opening the database included.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "cache/tuning_database.hpp"
#include "tests/support/many_trials.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t million = 1000000;

/// Made once, and removed when the process ends.
class Million {
 public:
  Million() {
    std::filesystem::remove_all(folder_);
    test::make_many_trials(path(), million);
  }
  ~Million() { std::filesystem::remove_all(folder_); }
  Million(const Million&) = delete;
  Million& operator=(const Million&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "tuning.db"; }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("bitune-million-" + std::to_string(::getpid()));
};

const std::filesystem::path& million_trials() {
  static const Million made;
  static const std::filesystem::path path = made.path();
  return path;
}

template <class Ask>
void ask(benchmark::State& state, Ask question) {
  const auto path = million_trials();
  for (auto _ : state) {
    const TuningDatabase db(path, DatabaseMode::read_only);
    benchmark::DoNotOptimize(question(db));
  }
}

void best(benchmark::State& state) {
  ask(state, [](const TuningDatabase& db) { return db.best({}); });
}
BENCHMARK(best)->Unit(benchmark::kMillisecond);

void best_of_one_problem(benchmark::State& state) {
  TrialFilter filter;
  filter.key = KeyType::u32;
  filter.n = std::uint64_t{1} << 20;
  ask(state, [&filter](const TuningDatabase& db) { return db.best(filter); });
}
BENCHMARK(best_of_one_problem)->Unit(benchmark::kMillisecond);

void list(benchmark::State& state) {
  ask(state, [](const TuningDatabase& db) { return db.summaries({}); });
}
BENCHMARK(list)->Unit(benchmark::kMillisecond);

void newest_trials(benchmark::State& state) {
  TrialFilter filter;
  filter.limit = 20;
  ask(state, [&filter](const TuningDatabase& db) { return db.trials(filter); });
}
BENCHMARK(newest_trials)->Unit(benchmark::kMillisecond);

void candidates_for_selection(benchmark::State& state) {
  ask(state, [](const TuningDatabase& db) { return db.candidates({{}, {.n = 1 << 20}}); });
}
BENCHMARK(candidates_for_selection)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bitune

BENCHMARK_MAIN();
