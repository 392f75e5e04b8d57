// Many rows at once: every variant, rows of awkward lengths with and without gaps, in place and out of place.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

#include "model/key_type.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace rows_tests {
namespace {

/// About how much a plan makes the emulated device do: threads, and the words that their blocks hold in
/// shared memory.
std::uint64_t cost(const Plan& plan) {
  std::uint64_t sum = 0;
  for (const Launch& launch : plan.launches) {
    sum += std::uint64_t{launch.grid[0]} * (launch.block[0] + launch.shared_bytes / 4);
  }
  return sum;
}

/// The cheapest of some configurations from all over the space: short rows waste most of a large tile.
Configuration cheap_configuration(const Variant& variant, const Problem& problem) {
  const DeviceInfo& device = emulated_bench().device->info();
  const auto sample = sample_configurations(variant, problem, device, 40, problem.n);
  return *std::min_element(sample.begin(), sample.end(), [&](const Configuration& a, const Configuration& b) {
    return cost(variant.plan(problem, a, device)) < cost(variant.plan(problem, b, device));
  });
}

class Rows : public ::testing::TestWithParam<VariantAndKey> {
 protected:
  /// Rows packed, with gaps, or with gaps out of place; the configuration is drawn again where the length
  /// asks.
  void add(std::uint64_t rows, std::uint64_t length) {
    const auto [variant, key] = GetParam();
    const DeviceInfo& device = emulated_bench().device->info();
    const Order order = length % 2 == 0 ? Order::ascending : Order::descending;
    const Problem problem{{.key = key, .order = order}, {.n = length, .rows = rows}};
    auto& configuration = configurations_[order == Order::ascending ? 0 : 1];
    if (variant->space(problem, device).violation(configuration, problem, device)) {
      configuration = cheap_configuration(*variant, problem);
    }
    const auto distribution = all_distributions[(rows + length) % all_distributions.size()];
    // Few short rows lie in every way, others in one, in turn over lengths and types.
    const Placement placements[] = {
        {}, {.offset_keys = 1, .gap_keys = 3}, {.gap_keys = 16, .out_of_place = true}};
    const std::uint64_t turn = (rows + length + static_cast<std::uint64_t>(key)) % std::size(placements);
    for (std::uint64_t i = 0; i < std::size(placements); ++i) {
      if (rows * length >= 300 && i != turn) continue;
      trials_.push_back({problem, configuration, distribution, length, placements[i]});
    }
  }

  void TearDown() override { expect_sorts(emulated_bench(), trials_); }

 private:
  std::vector<SortTrial> trials_;
  Configuration configurations_[2];
};

TEST_P(Rows, OfAwkwardLengths) {
  for (const std::uint64_t length : {1, 2, 3, 5, 7, 31, 33, 100, 128, 1000, 1025}) add(3, length);
}

TEST_P(Rows, OneAndHundreds) {
  for (const std::uint64_t length : {1, 2, 5, 32}) add(1, length);
  // Hundreds of them on one type: each is a tile, however short.
  if (std::get<1>(GetParam()) == KeyType::f32) add(300, 5);
}

std::string test_name(const ::testing::TestParamInfo<Rows::ParamType>& info) {
  return std::string(std::get<0>(info.param)->name()) + "_" + std::string(name_of(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(All, Rows,
                         ::testing::ValuesIn(variants_and_keys({KeyType::u8, KeyType::f32, KeyType::i64}, 3)),
                         test_name);

}  // namespace
}  // namespace rows_tests
}  // namespace bitune::test
