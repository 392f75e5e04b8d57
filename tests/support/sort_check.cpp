#include "tests/support/sort_check.hpp"

#include <fmt/format.h>

#include <cstring>
#include <random>
#include <set>

#include "cache/kernel_cache.hpp"
#include "model/key_order.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::test {
namespace {

constexpr std::uint8_t guard = 0xA5;
constexpr std::size_t guard_bytes = 256;

std::vector<std::byte> sorted_rows(std::vector<std::byte> keys, const Problem& problem) {
  const std::size_t row_bytes = problem.n * size_of(problem.key);
  for (std::uint64_t row = 0; row < problem.rows; ++row) {
    reference_sort(keys.data() + row * row_bytes, problem.n, problem.key, problem.order);
  }
  return keys;
}

}  // namespace

std::vector<Configuration> sample_configurations(const Variant& variant, const Problem& problem,
                                                 const DeviceInfo& device, std::size_t count, std::uint64_t seed) {
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

::testing::AssertionResult sorts(const Bench& bench, const Problem& problem, const Configuration& configuration,
                                 Distribution distribution, std::uint64_t seed, std::uint64_t offset_keys) {
  const Device& device = *bench.device;
  const auto input = make_keys(problem.key, problem.n * problem.rows, distribution, seed);
  const auto expected = sorted_rows(input, problem);

  const std::size_t begin = guard_bytes + offset_keys * size_of(problem.key);
  std::vector<std::byte> image(begin + input.size() + guard_bytes, std::byte{guard});
  if (!input.empty()) std::memcpy(image.data() + begin, input.data(), input.size());
  const auto memory = device.allocate(image.size());
  auto* const base = static_cast<std::byte*>(memory->data());
  device.copy_to_device(base, image.data(), image.size(), nullptr);

  const ExecutablePlan plan =
      make_executable(device, *bench.kernels, variant(configuration.variant).plan(problem, configuration, device.info()));
  const auto workspace = device.allocate(plan.plan().workspace_bytes);
  plan.run(base + begin, workspace->data(), nullptr);
  device.copy_to_host(image.data(), base, image.size(), nullptr);
  device.synchronize(nullptr);

  const std::string what = fmt::format("{} with {} on {} keys (seed {}, offset {})", text_of(problem), configuration.text(),
                                       name_of(distribution), seed, offset_keys);
  for (std::size_t i = 0; i < image.size(); ++i) {
    const bool inside = i >= begin && i < begin + input.size();
    const std::byte right = inside ? expected[i - begin] : std::byte{guard};
    if (image[i] == right) continue;
    if (!inside) return ::testing::AssertionFailure() << what << ": guard byte " << i << " was overwritten";
    return ::testing::AssertionFailure() << what << ": wrong from key " << (i - begin) / size_of(problem.key);
  }
  return ::testing::AssertionSuccess() << what;
}

}  // namespace bitune::test
