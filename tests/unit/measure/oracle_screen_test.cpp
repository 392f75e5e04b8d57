// That the quick look is enough for right results, and sees what is wrong by itself. The oracle's other tests
// would pass if it always left everything to the close look.

#include "measure/oracle_screen.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/key_order_of.hpp"
#include "model/problem.hpp"
#include "tests/unit/measure/host_call.hpp"

namespace bitune::oracle {
namespace {

using KeyOrder = key_orders::UnsignedOrder<std::uint64_t>;
using test::HostCall;

constexpr std::uint64_t n = 1000;

/// Whether the quick look takes the result for right, looking at it in two parts.
bool passes(HostCall& host) {
  const Call call(host.problem, host.operands());
  const Row row = call.row(0);
  ClaimedIndices claimed(n);
  Balance sum(1);
  for (const auto& [first, last] : {std::pair<std::uint64_t, std::uint64_t>{0, 300}, {300, n}}) {
    Balance balance(1);
    const bool sure = row.indices_out != nullptr
                          ? IndexScreen<KeyOrder>(call.rules(), claimed).look(row, 0, first, last, balance)
                          : CopyScreen<KeyOrder>(call.rules()).look(row, first, last, balance);
    if (!sure) return false;
    sum += balance;
  }
  return sum.is_even();
}

std::vector<SortSpec> screened_specs() {
  std::vector<SortSpec> all = {
      {.key = KeyType::u64},
      {.operation = Operation::top_k, .key = KeyType::u64, .k = 400},
      {.operation = Operation::top_k, .key = KeyType::u64, .index_bytes = 4, .k = 200}};
  for (const bool stable : {false, true}) {
    all.push_back(
        {.operation = Operation::sort_pairs, .key = KeyType::u64, .value_bytes = 8, .stable = stable});
    all.push_back({.operation = Operation::argsort, .key = KeyType::u64, .index_bytes = 4, .stable = stable});
  }
  return all;
}

class OracleScreen : public testing::TestWithParam<SortSpec> {
 protected:
  static HostCall call_of(Distribution distribution) { return {{GetParam(), {.n = n}}, {}, distribution}; }
};

TEST_P(OracleScreen, TakesRightResults) {
  for (const Distribution distribution : {Distribution::random, Distribution::reversed}) {
    HostCall call = call_of(distribution);
    EXPECT_TRUE(passes(call)) << name_of(distribution);
  }
}

TEST_P(OracleScreen, NeverTakesAWrongOne) {
  const HostCall right = call_of(Distribution::random);
  for (std::uint64_t place = 0; place < right.count(0); ++place) {
    HostCall call = right;
    call.put_item(0, place, call.order(0)[place == 0 ? 1 : place - 1]);
    EXPECT_FALSE(passes(call)) << "an item that is twice, at " << place;
    call = right;
    call.set_key(0, place, call.key_out(0, place) + 1);
    EXPECT_FALSE(passes(call)) << "a key that is one too large, at " << place;
    if (place == 0) continue;
    call = right;
    call.swap_items(0, place, place - 1);
    EXPECT_FALSE(passes(call)) << "swapped, at " << place;
  }
}

// Digests alone do not say in which order pairs of equal keys came.
TEST_P(OracleScreen, LeavesTiesOfStablePairsToTheCloseLook) {
  HostCall call = call_of(Distribution::few_distinct);
  EXPECT_EQ(passes(call), GetParam().value_bytes == 0 || !GetParam().stable);
}

INSTANTIATE_TEST_SUITE_P(Specs, OracleScreen, testing::ValuesIn(screened_specs()), [](const auto& spec) {
  return word_of(spec.param) + '_' + std::to_string(spec.index);
});

}  // namespace
}  // namespace bitune::oracle
