// Every variant x key type x order x awkward length on the emulated device, in place, any distribution and alignment.

#include <gtest/gtest.h>

#include <tuple>

#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

const Bench& emulated() {
  static const Bench bench = make_bench(open_device("emulated"));
  return bench;
}

class VariantSort : public ::testing::TestWithParam<std::tuple<const Variant*, KeyType>> {};

TEST_P(VariantSort, SortsAwkwardLengthsInBothOrders) {
  const auto [variant, key] = GetParam();
  std::uint64_t seed = 17 * static_cast<std::uint64_t>(key) + variant->name().size();
  for (const Order order : {Order::ascending, Order::descending}) {
    const Problem typical{Operation::sort, key, ValueType::none, order, 3000, 1};
    const auto configurations = sample_configurations(*variant, typical, emulated().device->info(), 1, ++seed);
    ASSERT_FALSE(configurations.empty());
    for (const std::uint64_t n : {0, 1, 2, 3, 31, 64, 129, 1000, 1023, 1025, 2048, 3000}) {
      Problem problem = typical;
      problem.n = n;
      ++seed;
      const auto distribution = all_distributions[seed % all_distributions.size()];
      EXPECT_TRUE(sorts(emulated(), problem, configurations.front(), distribution, seed, seed % 3));
    }
    // NaNs of both signs, zeros of both signs, infinities, extremes: bits are kept, and in the right order.
    EXPECT_TRUE(sorts(emulated(), typical, configurations.front(), Distribution::special, seed));
  }
}

TEST_P(VariantSort, DefaultConfigurationIsValidForEveryLength) {
  const auto [variant, key] = GetParam();
  const DeviceInfo& device = emulated().device->info();
  for (int bits = 0; bits <= 34; ++bits) {
    for (const std::uint64_t n : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits}) {
      const Problem problem{Operation::sort, key, ValueType::none, Order::ascending, n, 1};
      const Configuration configuration = variant->default_configuration(problem, device);
      const auto violation = variant->space(problem, device).violation(configuration, problem, device);
      EXPECT_FALSE(violation.has_value()) << configuration.text() << " for n = " << n << ": " << violation.value_or("");
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<VariantSort::ParamType>& info) {
  return std::string(std::get<0>(info.param)->name()) + "_" + std::string(name_of(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(All, VariantSort,
                         ::testing::Combine(::testing::ValuesIn(variants().begin(), variants().end()),
                                            ::testing::ValuesIn(all_key_types)),
                         test_name);

/// Configurations all over each space, on one type a word size.
class ConfigurationSample : public ::testing::TestWithParam<std::tuple<const Variant*, KeyType>> {};

TEST_P(ConfigurationSample, SortsLengthsAroundTheTile) {
  const auto [variant, key] = GetParam();
  const Problem typical{Operation::sort, key, ValueType::none, Order::ascending, 9001, 1};
  std::uint64_t seed = 99;
  for (const Configuration& configuration :
       sample_configurations(*variant, typical, emulated().device->info(), 6, seed)) {
    for (const std::uint64_t n : {100, 4097, 9001}) {
      Problem problem = typical;
      problem.n = n;
      ++seed;
      const auto distribution = all_distributions[seed % all_distributions.size()];
      EXPECT_TRUE(sorts(emulated(), problem, configuration, distribution, seed));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConfigurationSample,
                         ::testing::Combine(::testing::ValuesIn(variants().begin(), variants().end()),
                                            ::testing::Values(KeyType::u8, KeyType::f32, KeyType::i64)),
                         test_name);

}  // namespace
}  // namespace bitune::test
