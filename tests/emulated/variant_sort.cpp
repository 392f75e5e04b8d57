// Every variant x key type x awkward length on the emulated device, in place, any order, distribution and
// alignment.

#include <gtest/gtest.h>

#include <tuple>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace variant_sort {
namespace {

class VariantSort : public ::testing::TestWithParam<VariantAndKey> {};

/// Keeps a configuration while it is valid, and draws another where the variant binds it to the length.
class ConfigurationFor {
 public:
  ConfigurationFor(const Variant& variant, Configuration first)
      : variant_(variant), current_(std::move(first)) {}

  const Configuration& operator()(const Problem& problem, std::uint64_t seed) {
    const DeviceInfo& device = emulated_bench().device->info();
    if (variant_.space(problem, device).violation(current_, problem, device)) {
      current_ = sample_configurations(variant_, problem, device, 1, seed).at(0);
    }
    return current_;
  }

 private:
  const Variant& variant_;
  Configuration current_;
};

/// Whether a configuration for one length does not serve another, so that each length costs a compilation.
bool is_bound_to_the_length(const Variant& variant) {
  const DeviceInfo& device = emulated_bench().device->info();
  Problem problem{{.key = KeyType::u32}, {.n = 3000}};
  const Configuration configuration = variant.default_configuration(problem, device);
  problem.n = 30;
  return variant.space(problem, device).violation(configuration, problem, device).has_value();
}

/// The lengths that a variant is tested at: where they cost compilations only every fourth of them, others
/// for every type and order. Together they meet all.
std::vector<std::uint64_t> awkward_lengths(const Variant& variant, std::uint64_t turn) {
  const std::vector<std::uint64_t> all = {0, 1, 2, 3, 31, 64, 129, 1000, 1023, 1025, 2048, 3000};
  if (!is_bound_to_the_length(variant)) return all;
  std::vector<std::uint64_t> some;
  for (std::size_t i = turn % 4; i < all.size(); i += 4) some.push_back(all[i]);
  return some;
}

/// One order for each type: each variant meets both with keys of each kind, and EverySort has both for each
/// type. BITUNE_TEST_ALL: both for each here, too.
TEST_P(VariantSort, SortsAwkwardLengths) {
  const auto [variant, key] = GetParam();
  std::uint64_t seed = 17 * static_cast<std::uint64_t>(key) + variant->name().size();
  // The orders of short and of wide types differ, so that no kind of keys has only one.
  const auto type = static_cast<std::size_t>(key);
  const std::size_t turn = type + type / 6 + variant->name().size();
  std::vector<SortTrial> trials;
  for (const Order order : {Order::ascending, Order::descending}) {
    if (!tests_all() && (order == Order::descending) != (turn % 2 == 1)) continue;
    Problem problem{{.key = key, .order = order}, {.n = 3000}};
    const auto configurations =
        sample_configurations(*variant, problem, emulated_bench().device->info(), 1, ++seed);
    ASSERT_FALSE(configurations.empty());
    ConfigurationFor configuration(*variant, configurations.front());
    for (const std::uint64_t n :
         awkward_lengths(*variant, static_cast<std::uint64_t>(key) + static_cast<std::uint64_t>(order))) {
      problem.n = n;
      ++seed;
      const auto distribution = all_distributions[seed % all_distributions.size()];
      trials.push_back(
          {problem, configuration(problem, seed), distribution, seed, {.offset_keys = seed % 3}});
    }
    // NaNs of both signs, zeros of both signs, infinities, extremes: bits are kept, and in the right order.
    trials.push_back({problem, configuration(problem, seed), Distribution::special, seed});
  }
  expect_sorts(emulated_bench(), trials);
}

TEST_P(VariantSort, DefaultConfigurationIsValidForEveryLength) {
  const auto [variant, key] = GetParam();
  const DeviceInfo& device = emulated_bench().device->info();
  for (int bits = 0; bits <= 34; ++bits) {
    for (const std::uint64_t n : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits}) {
      const Problem problem{{.key = key}, {.n = n}};
      if (!variant->supports(problem, device)) continue;
      const Configuration configuration = variant->default_configuration(problem, device);
      const auto violation = variant->space(problem, device).violation(configuration, problem, device);
      EXPECT_FALSE(violation.has_value())
          << configuration.text() << " for n = " << n << ": " << violation.value_or("");
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<VariantSort::ParamType>& info) {
  return std::string(std::get<0>(info.param)->name()) + "_" + std::string(name_of(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(All, VariantSort,
                         ::testing::ValuesIn(variants_and_keys({all_key_types.begin(), all_key_types.end()})),
                         test_name);

/// Configurations all over each space, on one type a word size; others for each type.
class ConfigurationSample : public ::testing::TestWithParam<VariantAndKey> {};

TEST_P(ConfigurationSample, SortsLengthsAroundTheTile) {
  const auto [variant, key] = GetParam();
  Problem problem{{.key = key}, {.n = 9001}};
  const DeviceInfo& device = emulated_bench().device->info();
  std::uint64_t seed = 99 + 100 * static_cast<std::uint64_t>(key);
  const std::size_t count = tests_all() ? 4 : 2;
  std::vector<SortTrial> trials;
  for (const Configuration& sample : sample_configurations(*variant, problem, device, count, seed)) {
    for (const std::uint64_t n : {100, 4097, 9001}) {
      problem.n = n;
      ++seed;
      const auto distribution = all_distributions[seed % all_distributions.size()];
      if (variant->space(problem, device).violation(sample, problem, device)) continue;
      trials.push_back({problem, sample, distribution, seed});
    }
    problem.n = 9001;
  }
  expect_sorts(emulated_bench(), trials);
}

INSTANTIATE_TEST_SUITE_P(All, ConfigurationSample,
                         ::testing::ValuesIn(variants_and_keys({KeyType::u8, KeyType::f32, KeyType::i64})),
                         test_name);

}  // namespace
}  // namespace variant_sort
}  // namespace bitune::test
