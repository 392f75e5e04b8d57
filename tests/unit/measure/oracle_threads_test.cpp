#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/problem.hpp"
#include "tests/unit/measure/host_call.hpp"

namespace bitune {
namespace {

using test::HostCall;
using test::HostLayout;

/// Rows that several threads share, and threads that have several rows.
std::vector<std::pair<Shape, HostLayout>> shared_shapes() {
  return {{{.n = 1403}, {}},
          {{.n = 501, .rows = 3}, {.gap_in = 1, .gap_out = 0, .offsets = {}, .ends = {}, .lengths = {}}},
          {{.n = 1400, .rows = 4, .ragged = true},
           {.gap_in = 0, .gap_out = 0, .offsets = {0, 10, 10, 1000, 1400}, .lengths = {}}}};
}

class SharedOracle : public testing::TestWithParam<SortSpec> {
 protected:
  template <class Visit>
  static void for_each_call(const Visit& visit) {
    for (const auto& [shape, layout] : shared_shapes()) {
      HostCall call({GetParam(), shape}, layout, Distribution::random);
      call.options.threads = 7;
      call.options.keys_a_thread = 100;
      SCOPED_TRACE(text_of(call.problem));
      visit(call);
      if (HasFatalFailure()) return;
    }
  }
  static void expect_fault(HostCall& call, const std::string& where) {
    const auto fault = call.fault();
    ASSERT_TRUE(fault) << "nothing was found at " << where;
    EXPECT_EQ(fault->substr(0, where.size()), where) << *fault;
  }
};

TEST_P(SharedOracle, TakesRightResultsThatThreadsShare) {
  for_each_call([](HostCall& call) { EXPECT_EQ(call.fault(), std::nullopt); });
}

TEST_P(SharedOracle, FindsFaultsWhereverThreadsMeet) {
  for_each_call([](HostCall& call) {
    const std::uint64_t row = call.problem.rows == 1 ? 0 : 2;
    const std::uint64_t last = call.count(row) - 1;
    for (const std::uint64_t place : {std::uint64_t{0}, last / 2, last}) {
      const std::uint64_t key = call.key_out(row, place);
      call.set_key(row, place, ~key);
      expect_fault(call, call.where(row, place));
      call.set_key(row, place, key);
    }
  });
}

TEST_P(SharedOracle, TellsTheFirstOfSeveralFaults) {
  for_each_call([](HostCall& call) {
    for (const std::uint64_t row : std::set<std::uint64_t>{0, call.problem.rows - 1}) {
      for (const std::uint64_t place : {1, 2}) call.set_key(row, place, ~call.key_out(row, place));
    }
    expect_fault(call, call.where(0, 1));
  });
}

INSTANTIATE_TEST_SUITE_P(
    Specs, SharedOracle,
    testing::Values(
        SortSpec{.key = KeyType::f32},
        SortSpec{.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 4},
        SortSpec{.operation = Operation::sort_pairs, .key = KeyType::u16, .value_bytes = 4, .stable = true},
        SortSpec{.operation = Operation::argsort, .key = KeyType::u32, .index_bytes = 4},
        SortSpec{.operation = Operation::argsort, .key = KeyType::u8, .index_bytes = 4, .stable = true},
        SortSpec{.operation = Operation::top_k, .key = KeyType::u16, .index_bytes = 4, .k = 300},
        SortSpec{.operation = Operation::top_k, .key = KeyType::u16, .k = 300}),
    [](const auto& spec) { return word_of(spec.param) + '_' + std::to_string(spec.index); });

}  // namespace
}  // namespace bitune
