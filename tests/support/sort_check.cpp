#include "tests/support/sort_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <set>
#include <thread>

#include "cache/kernel_cache.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/emulated/emulated_device.hpp"

namespace bitune::test {
namespace {

constexpr std::uint8_t guard = 0xA5;
constexpr std::size_t guard_bytes = 256;

/// How rows lie in memory: guard bytes, offset, then rows and gaps in turn, and guard bytes again.
class Layout {
 public:
  Layout(const Problem& problem, const Placement& placement)
      : rows_(problem.rows),
        row_bytes_(problem.n * size_of(problem.key)),
        stride_bytes_(row_bytes_ + placement.gap_keys * size_of(problem.key)),
        begin_(guard_bytes + placement.offset_keys * size_of(problem.key)) {}

  [[nodiscard]] std::size_t begin() const { return begin_; }

  /// All bytes: the rows of `keys`, and guards everywhere else.
  [[nodiscard]] std::vector<std::byte> image(const std::vector<std::byte>& keys) const {
    std::vector<std::byte> bytes(begin_ + rows_ * stride_bytes_ + guard_bytes, std::byte{guard});
    if (row_bytes_ == 0) return bytes;
    for (std::uint64_t row = 0; row < rows_; ++row) {
      std::memcpy(bytes.data() + begin_ + row * stride_bytes_, keys.data() + row * row_bytes_, row_bytes_);
    }
    return bytes;
  }

  /// Whether the byte belongs to a row.
  [[nodiscard]] bool holds_keys(std::size_t byte) const {
    if (byte < begin_ || byte >= begin_ + rows_ * stride_bytes_) return false;
    return (byte - begin_) % stride_bytes_ < row_bytes_;
  }

  /// "key 5 of row 3", for a byte of a row.
  [[nodiscard]] std::string name_of_byte(std::size_t byte, std::size_t key_bytes) const {
    const std::size_t place = byte - begin_;
    return fmt::format("key {} of row {}", place % stride_bytes_ / key_bytes, place / stride_bytes_);
  }

 private:
  std::uint64_t rows_;
  std::size_t row_bytes_;
  std::size_t stride_bytes_;
  std::size_t begin_;
};

std::vector<std::byte> sorted_rows(std::vector<std::byte> keys, const Problem& problem) {
  const std::size_t row_bytes = problem.n * size_of(problem.key);
  for (std::uint64_t row = 0; row < problem.rows; ++row) {
    reference_sort(keys.data() + row * row_bytes, problem.n, problem.key, problem.order);
  }
  return keys;
}

/// The first byte that differs, in words; empty if there is none.
std::string first_difference(const std::vector<std::byte>& result, const std::vector<std::byte>& expected,
                             const Layout& layout, std::size_t key_bytes) {
  if (std::memcmp(result.data(), expected.data(), expected.size()) == 0) return {};
  const auto place = std::mismatch(result.begin(), result.end(), expected.begin()).first - result.begin();
  const auto byte = static_cast<std::size_t>(place);
  if (layout.holds_keys(byte)) return layout.name_of_byte(byte, key_bytes) + " is wrong";
  return fmt::format("guard byte {} was overwritten", byte);
}

}  // namespace

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

Problem problem_of(KeyType key, std::uint64_t n, Order order, std::uint64_t rows) {
  return {{.key = key, .order = order}, {.n = n, .rows = rows}};
}

void compile_all(const Bench& bench, const std::vector<std::pair<Problem, Configuration>>& sorts) {
  std::set<KernelSource> unique;
  for (const auto& [problem, configuration] : sorts) {
    const Plan plan = variant(configuration.variant).plan(problem, configuration, bench.device->info());
    unique.insert(plan.kernels.begin(), plan.kernels.end());
  }
  const std::vector<KernelSource> kernels(unique.begin(), unique.end());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
    workers.emplace_back([&] {
      for (std::size_t k = next++; k < kernels.size(); k = next++) (void)bench.kernels->image(kernels[k]);
    });
  }
}

::testing::AssertionResult sorts(const Bench& bench, const Problem& problem,
                                 const Configuration& configuration, Distribution distribution,
                                 std::uint64_t seed, const Placement& placement) {
  const Device& device = *bench.device;
  const Layout layout(problem, placement);
  const auto keys = make_keys(problem.key, problem.n * problem.rows, distribution, seed);
  const auto input = layout.image(keys);
  const auto expected = layout.image(sorted_rows(keys, problem));

  const ExecutablePlan plan = make_executable(
      device, *bench.kernels, variant(configuration.variant).plan(problem, configuration, device.info()));
  const bool out_of_place = placement.out_of_place && plan.plan().out_of_place;
  const auto memory = device.allocate(input.size());
  const auto source = device.allocate(out_of_place ? input.size() : 0);
  const auto workspace = device.allocate(plan.plan().workspace_bytes);
  auto* const base = static_cast<std::byte*>(memory->data());
  auto* const from = out_of_place ? static_cast<std::byte*>(source->data()) : base;
  if (out_of_place) device.fill(base, guard, input.size(), nullptr);
  device.copy_to_device(from, input.data(), input.size(), nullptr);

  const std::uint64_t stride = problem.n + placement.gap_keys;
  Operands operands;
  operands[Role::keys_out] = {base + layout.begin(), stride * problem.rows, stride};
  if (out_of_place) operands[Role::keys_in] = {from + layout.begin(), stride * problem.rows, stride};
  operands[Role::workspace] = {workspace->data(), workspace->size(), 0};
  plan.run(operands, nullptr);
  std::vector<std::byte> result(input.size());
  device.copy_to_host(result.data(), base, result.size(), nullptr);
  device.synchronize(nullptr);

  const std::string what =
      fmt::format("{} with {} on {} keys (seed {}, offset {}, gap {}{})", text_of(problem),
                  configuration.text(), name_of(distribution), seed, placement.offset_keys,
                  placement.gap_keys, out_of_place ? ", out of place" : "");
  const std::string wrong = first_difference(result, expected, layout, size_of(problem.key));
  if (!wrong.empty()) return ::testing::AssertionFailure() << what << ": " << wrong;
  if (out_of_place) {
    device.copy_to_host(result.data(), from, result.size(), nullptr);
    device.synchronize(nullptr);
    if (result != input) return ::testing::AssertionFailure() << what << ": the input was changed";
  }
  return ::testing::AssertionSuccess() << what;
}

}  // namespace bitune::test
