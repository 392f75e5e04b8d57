// The first k of an array by parts, on the emulated device, with small parts: what travels, lengths that end
// in any part, equal keys of several parts, no keys out.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "runtime/variant.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace top_k_parts {
namespace {

struct Case {
  KeyType key;
  std::uint64_t k;
  std::uint64_t n;
  TopKLoad load;
};

constexpr std::array cases = {Case{KeyType::f32, 100, 9001, {0, 8}}, Case{KeyType::u8, 700, 12288, {0, 4}},
                              Case{KeyType::f64, 30, 8193, {8, 0}}, Case{KeyType::bf16, 2000, 8200, {0, 0}}};

TEST(TopKParts, GiveTheFirstKeysOfAll) {
  const Bench& bench = emulated_bench();
  const Variant& family = variant("array_parts");
  std::uint64_t turn = 0;
  for (const Case& of : cases) {
    for (const Distribution distribution :
         {Distribution::special, Distribution::random, Distribution::all_equal}) {
      for (const std::uint32_t length_bytes : {0U, 4U, 8U}) {
        ++turn;
        const Problem problem = top_k_of(
            of.load, of.key, turn % 2 == 0 ? Order::ascending : Order::descending, of.k, {.n = of.n});
        Configuration c = family.default_configuration(problem, bench.device->info());
        c.parameters["part_bits"] = 12;
        ASSERT_FALSE(family.space(problem, bench.device->info()).violation(c, problem, bench.device->info()));
        EXPECT_TRUE(
            is_right(bench, problem, c, distribution, turn,
                     {.with_keys = of.load.index_bytes == 0 || turn % 2 == 0, .length_bytes = length_bytes}));
      }
    }
  }
}

/// Where places need more than 32 bits it is what sorts.
TEST(TopKParts, AreForLongArraysAlone) {
  const DeviceInfo device = emulated_bench().device->info();
  const Problem problem =
      top_k_of({0, 8}, KeyType::f32, Order::descending, 100, {.n = std::uint64_t{5} << 30});
  const Variant& family = variant("array_parts");
  ASSERT_TRUE(family.supports(problem, device));
  EXPECT_FALSE(
      family.supports(top_k_of({0, 8}, KeyType::f32, Order::descending, 100, {.n = 1 << 30}), device));
  EXPECT_FALSE(family.plan(problem, family.default_configuration(problem, device), device).launches.empty());
}

}  // namespace
}  // namespace top_k_parts
}  // namespace bitune::test
