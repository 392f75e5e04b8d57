// Every preset sorts every length that it claims to take; types and orders alternate, so that all twelve are
// met.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/preset_plans.hpp"
#include "model/key_type.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace preset_sort {
namespace {

class PresetSort : public ::testing::TestWithParam<Preset> {};

TEST_P(PresetSort, SortsAwkwardLengths) {
  const Preset& preset = GetParam();
  const auto index =
      static_cast<std::size_t>(std::find_if(presets().begin(), presets().end(),
                                            [&](const Preset& p) { return p.name == preset.name; }) -
                               presets().begin());
  std::uint64_t seed = 7 * index;
  std::vector<SortTrial> trials;
  for (const std::size_t turn : {0u, 1u}) {
    Problem problem;
    problem.key = all_key_types[(2 * index + turn) % all_key_types.size()];
    problem.order = turn == 0 ? Order::ascending : Order::descending;
    for (const std::uint64_t n : {0, 1, 2, 3, 63, 65, 1000, 2049, 5000, 8192, 20001}) {
      problem.n = n;
      if (preset.most_keys > 0 && n > preset.most_keys) continue;
      if (n > 10000 && turn != index / 2 % 2) continue;  // the longest takes as long as all others together
      ASSERT_EQ(refusal(preset, problem, emulated_bench().device->info()), std::nullopt);
      ++seed;
      const auto distribution = all_distributions[seed % all_distributions.size()];
      trials.push_back({problem, preset.configuration, distribution, seed});
    }
  }
  expect_sorts(emulated_bench(), trials);
}

std::string test_name(const ::testing::TestParamInfo<Preset>& info) {
  std::string name(info.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, PresetSort, ::testing::ValuesIn(presets().begin(), presets().end()), test_name);

}  // namespace
}  // namespace preset_sort
}  // namespace bitune::test
