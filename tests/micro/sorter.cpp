/// \file
/// What a warmed call costs on the host besides its launches: the fake device's launch does nothing, so that
/// all that is measured here is bitune's own. The goal is under 2 microseconds.

#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <vector>

#include "runtime/sort_engine.hpp"
#include "tests/support/engine_calls.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune {
namespace {

const fake::Variant empty("empty", 0, false);
const std::array<const Variant*, 1> variants_of_bench = {&empty};

SortEngine& engine() {
  static const auto device = std::make_shared<fake::Device>();
  static SortEngine instance(
      device, nullptr, [](const Problem&, std::string*) { return CandidateSet{}; }, variants_of_bench);
  return instance;
}

/// One problem, again and again, from one or several threads.
void warmed_sort(benchmark::State& state) {
  std::vector<std::uint32_t> keys(1024);
  const Problem problem{{.key = KeyType::u32}, {.n = keys.size()}};
  static_cast<void>(engine().prepare(problem));
  for (auto _ : state) testing_support::sort_keys(engine(), keys.data(), problem);
}
BENCHMARK(warmed_sort)->Threads(1)->Threads(4)->UseRealTime();

/// As many prepared problems as are kept: the table no longer fits the first-level cache.
void warmed_sort_of_many_problems(benchmark::State& state) {
  constexpr std::uint64_t count = Preparation::default_capacity - 1;
  std::vector<std::uint32_t> keys(1024);
  for (std::uint64_t i = 0; i < count; ++i)
    static_cast<void>(engine().prepare({{.key = KeyType::u32}, {.n = 2 + i}}));
  std::uint64_t i = 0;
  for (auto _ : state) {
    testing_support::sort_keys(engine(), keys.data(), {{.key = KeyType::u32}, {.n = 2 + i}});
    i = (i + 1237) % count;
  }
}
BENCHMARK(warmed_sort_of_many_problems);

}  // namespace
}  // namespace bitune

BENCHMARK_MAIN();
