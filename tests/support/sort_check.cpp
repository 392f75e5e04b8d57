#include "tests/support/sort_check.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <random>
#include <set>

#include "cache/kernel_cache.hpp"
#include "measure/guarded_image.hpp"
#include "model/problem.hpp"
#include "runtime/emulated/emulated_device.hpp"
#include "tests/support/call_memory.hpp"

namespace bitune::test {

std::vector<VariantAndKey> variants_and_keys(const std::vector<KeyType>& keys, std::uint64_t rows) {
  DeviceInfo device;
  device.max_cluster_size = 8;
  std::vector<VariantAndKey> found;
  for (const Variant* family : variants()) {
    for (const KeyType key : keys) {
      if (family->supports({{.key = key}, {.n = 1000, .rows = rows}}, device))
        found.emplace_back(family, key);
    }
  }
  return found;
}

std::vector<Configuration> sample_configurations(const Variant& variant, const Problem& problem,
                                                 const DeviceInfo& device, std::size_t count,
                                                 std::uint64_t seed) {
  const SearchSpace space = variant.space(problem, device);
  std::mt19937_64 random(seed);
  std::set<Configuration> chosen;
  for (int attempt = 0; attempt < 20000 && chosen.size() < count; ++attempt) {
    Configuration candidate = space.point(random() % space.cartesian_size());
    if (!space.violation(candidate, problem, device)) chosen.insert(std::move(candidate));
  }
  return {chosen.begin(), chosen.end()};
}

Bench make_bench(std::shared_ptr<Device> device) {
  auto cache = std::make_shared<KernelCache>(KernelCache::default_directory());
  auto kernels = std::make_shared<KernelStore>(device, std::move(cache));
  return {std::move(device), std::move(kernels)};
}

Bench seeded(std::uint64_t seed) {
  emulated::EmulatedOptions options;
  options.seed = seed;
  return make_bench(make_emulated_device(options));
}

SortEngine untuned_engine(const Bench& bench) {
  const auto no_tunings = [](const Problem&, std::string*) { return CandidateSet{}; };
  return SortEngine(bench.device, std::make_shared<KernelCache>(KernelCache::default_directory()), no_tunings,
                    variants());
}

bool tests_all() { return std::getenv("BITUNE_TEST_ALL") != nullptr; }

Problem problem_of(KeyType key, std::uint64_t n, Order order, std::uint64_t rows) {
  return {{.key = key, .order = order}, {.n = n, .rows = rows}};
}

void compile_all(const Bench& bench, const std::vector<std::pair<Problem, Configuration>>& sorts) {
  std::set<KernelSource> unique;
  for (const auto& [problem, configuration] : sorts) {
    const Plan plan = variant(configuration.variant).plan(problem, configuration, bench.device->info());
    unique.insert(plan.kernels.begin(), plan.kernels.end());
  }
  bench.kernels->make_images(std::vector<KernelSource>(unique.begin(), unique.end()));
}

::testing::AssertionResult by_configuration(
    const Bench& bench, const Problem& problem, const Configuration& configuration,
    const std::function<::testing::AssertionResult(const CallRunner&)>& check) {
  const DeviceInfo& device = bench.device->info();
  const Variant& family = variant(configuration.variant);
  if (const auto violation = family.space(problem, device).violation(configuration, problem, device)) {
    return ::testing::AssertionFailure() << configuration.text() << ": " << *violation;
  }
  auto result = by_plan(bench, family.plan(problem, configuration, device), check);
  return result ? result : result << " by " << configuration.text();
}

::testing::AssertionResult by_plan(
    const Bench& bench, const Plan& plan,
    const std::function<::testing::AssertionResult(const CallRunner&)>& check) {
  const ExecutablePlan executable = make_executable(*bench.device, *bench.kernels, plan);
  const auto workspace = bench.device->allocate(plan.workspace_bytes);
  return check([&](Operands operands) {
    operands[Role::workspace] = {workspace->data(), workspace->size(), 0};
    executable.run(operands, nullptr);
  });
}

::testing::AssertionResult sorts(const Bench& bench, const Problem& problem,
                                 const Configuration& configuration, Distribution distribution,
                                 std::uint64_t seed, const Placement& placement) {
  const Device& device = *bench.device;
  const auto keys = make_keys(problem.key, problem.n * problem.rows, distribution, seed);
  const GuardedImage input(GuardedLayout(problem, problem.n + placement.gap_keys), keys);

  const ExecutablePlan plan = make_executable(
      device, *bench.kernels, variant(configuration.variant).plan(problem, configuration, device.info()));
  const bool out_of_place = placement.out_of_place && plan.plan().out_of_place;
  CallMemory call = memory_of_keys(device, problem, input, placement.offset_keys, out_of_place);
  const auto workspace = device.allocate(plan.plan().workspace_bytes);
  call.operands()[Role::workspace] = {workspace->data(), workspace->size(), 0};
  plan.run(call.operands(), nullptr);

  const std::string what =
      fmt::format("{} with {} on {} keys (seed {}, offset {}, gap {}{})", text_of(problem),
                  configuration.text(), name_of(distribution), seed, placement.offset_keys,
                  placement.gap_keys, out_of_place ? ", out of place" : "");
  if (const auto fault = call.fault()) return ::testing::AssertionFailure() << what << ": " << *fault;
  return ::testing::AssertionSuccess() << what;
}

void expect_sorts(const Bench& bench, const std::vector<SortTrial>& trials) {
  std::vector<std::pair<Problem, Configuration>> all;
  for (const SortTrial& trial : trials) all.emplace_back(trial.problem, trial.configuration);
  compile_all(bench, all);
  for (const SortTrial& trial : trials) {
    EXPECT_TRUE(
        sorts(bench, trial.problem, trial.configuration, trial.distribution, trial.seed, trial.placement));
  }
}

}  // namespace bitune::test
