#include "measure/oracle.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "tests/unit/measure/host_call.hpp"

namespace bitune {
namespace {

using test::HostCall;
using test::HostLayout;

/// Every operation, with what may travel.
std::vector<SortSpec> specs(KeyType key) {
  std::vector<SortSpec> all;
  for (const Order order : {Order::ascending, Order::descending}) {
    all.push_back({.key = key, .order = order});
    for (const bool stable : {false, true}) {
      for (const std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u}) {
        all.push_back({.operation = Operation::sort_pairs,
                       .key = key,
                       .value_bytes = bytes,
                       .order = order,
                       .stable = stable});
      }
      for (const std::uint32_t bytes : {4u, 8u}) {
        all.push_back({.operation = Operation::argsort,
                       .key = key,
                       .index_bytes = bytes,
                       .order = order,
                       .stable = stable});
      }
    }
    for (const auto& [values, indices] : {std::pair{0u, 0u}, {0u, 4u}, {8u, 0u}, {4u, 8u}}) {
      all.push_back({.operation = Operation::top_k,
                     .key = key,
                     .value_bytes = values,
                     .index_bytes = indices,
                     .order = order,
                     .k = 23});
    }
  }
  return all;
}

struct Place {
  Shape shape;
  HostLayout layout;
};

/// Every shape: an array, rows with and without gaps, rows with lengths (one longer than the row), segments
/// of which some are empty, one behind some keys and others before some, and segments in another order.
std::vector<Place> places() {
  return {{{.n = 97}, {}},
          {{.n = 31, .rows = 4}, {}},
          {{.n = 31, .rows = 4}, {.gap_in = 3, .gap_out = 6, .offsets = {}, .ends = {}, .lengths = {}}},
          {{.n = 31, .rows = 4},
           {.gap_in = 0, .gap_out = 1, .offsets = {}, .ends = {}, .lengths = {30, 0, 31, 99}}},
          {{.n = 120, .rows = 5, .ragged = true},
           {.gap_in = 0, .gap_out = 2, .offsets = {3, 3, 40, 41, 41, 110}, .ends = {}, .lengths = {}}},
          {{.n = 90, .rows = 3, .ragged = true},
           {.gap_in = 0, .gap_out = 0, .offsets = {0, 40, 41, 90}, .ends = {}, .lengths = {38, 1, 40}}},
          {{.n = 90, .rows = 3, .ragged = true},
           {.gap_in = 0, .gap_out = 0, .offsets = {60, 2, 2}, .ends = {85, 2, 50}, .lengths = {}}}};
}

class Oracle : public testing::TestWithParam<KeyType> {
 protected:
  /// Calls visit(call) for every operation and shape.
  template <class Visit>
  static void for_each_call(Distribution distribution, const Visit& visit) {
    for (const SortSpec& spec : specs(GetParam())) {
      for (const Place& place : places()) {
        HostCall call({spec, place.shape}, place.layout, distribution);
        SCOPED_TRACE(text_of(call.problem));
        visit(call);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }

  /// The row that faults are planted in: the longest result.
  static std::uint64_t row_of(const HostCall& call) {
    std::uint64_t longest = 0;
    for (std::uint64_t row = 0; row < call.problem.rows; ++row) {
      if (call.count(row) > call.count(longest)) longest = row;
    }
    return longest;
  }

  /// The oracle must find it, and name the place.
  static void expect_fault(HostCall& call, std::uint64_t row, std::uint64_t place) {
    const auto fault = call.fault();
    ASSERT_TRUE(fault) << "the fault at " << call.where(row, place) << "was not found";
    EXPECT_EQ(fault->substr(0, call.where(row, place).size()), call.where(row, place)) << *fault;
  }

  /// The first place a with a later one b for which the condition holds.
  template <class Condition>
  static std::optional<std::pair<std::uint64_t, std::uint64_t>> find_pair(const HostCall& call,
                                                                          std::uint64_t row,
                                                                          const Condition& condition) {
    for (std::uint64_t a = 0; a < call.count(row); ++a) {
      for (std::uint64_t b = a + 1; b < call.count(row); ++b) {
        if (condition(a, b)) return std::pair{a, b};
      }
    }
    return std::nullopt;
  }
};

TEST_P(Oracle, TakesRightResultsOfAllDistributions) {
  for (const Distribution distribution : named_distributions) {
    for_each_call(distribution, [&](HostCall& call) {
      EXPECT_EQ(call.fault(), std::nullopt) << name_of(distribution);
      if (call.problem.index_bytes == 0) return;
      call.with_keys_out = false;
      EXPECT_EQ(call.fault(), std::nullopt) << name_of(distribution) << ", indices alone";
    });
  }
}

TEST_P(Oracle, LeavesTheOrderOfEqualKeysFreeIfUnstable) {
  for (const Distribution distribution : {Distribution::few_distinct, Distribution::special}) {
    for_each_call(distribution, [&](HostCall& call) {
      const std::uint64_t row = row_of(call);
      const auto tie = find_pair(call, row, [&](auto a, auto b) {
        return call.keys_tie(row, a, b) && call.values_differ(row, a, b);
      });
      if (!tie || (call.problem.value_bytes == 0 && call.problem.index_bytes == 0)) return;
      call.swap_items(row, tie->first, tie->second);
      if (call.problem.stable || call.problem.operation == Operation::top_k) {
        expect_fault(call, row, tie->first);
      } else {
        EXPECT_EQ(call.fault(), std::nullopt);
      }
    });
  }
}

TEST_P(Oracle, FindsASwappedPair) {
  for_each_call(Distribution::random, [](HostCall& call) {
    const std::uint64_t row = row_of(call);
    const std::uint64_t last = call.count(row) - 1;
    if (call.keys_tie(row, 2, last)) return;
    call.swap_items(row, 2, last);
    expect_fault(call, row, 2);
  });
}

TEST_P(Oracle, FindsALostAndADoubledKey) {
  for_each_call(Distribution::random, [](HostCall& call) {
    const std::uint64_t row = row_of(call);
    const auto next =
        find_pair(call, row, [&](auto a, auto b) { return b == a + 1 && !call.keys_tie(row, a, b); });
    ASSERT_TRUE(next);
    // In order as before, but one key is there twice and another is lost.
    call.set_key(row, next->second, call.key_out(row, next->first));
    expect_fault(call, row, next->second);
  });
}

TEST_P(Oracle, FindsAKeyThatNobodyGave) {
  for_each_call(Distribution::random, [](HostCall& call) {
    const std::uint64_t row = row_of(call);
    std::set<std::uint64_t> given;
    for (std::uint64_t i = 0; i < call.length(row); ++i) given.insert(call.key_in(row, i));
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * size_of(call.problem.key));
    std::uint64_t stranger = 0;
    while (given.count(stranger & mask) != 0) stranger += 0x9E3779B97F4A7C15;
    call.set_key(row, 3, stranger & mask);
    expect_fault(call, row, 3);
  });
}

TEST_P(Oracle, FindsAValueThatLeftItsKey) {
  for_each_call(Distribution::random, [](HostCall& call) {
    if (call.problem.value_bytes == 0) return;
    const std::uint64_t row = row_of(call);
    const auto places = find_pair(call, row, [&](auto a, auto b) {
      return !call.keys_tie(row, a, b) && call.values_differ(row, a, b);
    });
    ASSERT_TRUE(places);
    call.swap_values(row, places->first, places->second);
    expect_fault(call, row, places->first);
  });
}

TEST_P(Oracle, FindsWrongIndices) {
  for (const bool with_keys : {true, false}) {
    for_each_call(Distribution::random, [&](HostCall& call) {
      if (call.problem.index_bytes == 0 || (call.problem.value_bytes != 0 && !with_keys)) return;
      call.with_keys_out = with_keys;
      const std::uint64_t row = row_of(call);
      const std::uint64_t good = call.index(row, 5);

      call.set_index(row, 5, call.length(row));
      expect_fault(call, row, 5);
      call.set_index(row, 5, ~std::uint64_t{0});
      expect_fault(call, row, 5);
      call.set_index(row, 5, call.index(row, 4));
      expect_fault(call, row, 5);
      call.set_index(row, 5, good);

      const auto places = find_pair(call, row, [&](auto a, auto b) { return !call.keys_tie(row, a, b); });
      ASSERT_TRUE(places);
      call.swap_indices(row, places->first, places->second);
      expect_fault(call, row, places->first);
    });
  }
}

TEST_P(Oracle, FindsAKeyInAnotherRow) {
  for_each_call(Distribution::random, [](HostCall& call) {
    std::vector<std::uint64_t> rows;
    for (std::uint64_t row = 0; row < call.problem.rows; ++row) {
      if (call.count(row) > 1) rows.push_back(row);
    }
    if (rows.size() < 2) return;
    const std::uint64_t a = rows.front();
    const std::uint64_t b = rows.back();
    const std::uint64_t last_a = call.count(a) - 1;
    const std::uint64_t last_b = call.count(b) - 1;
    const std::uint64_t key_a = call.key_out(a, last_a);
    const std::uint64_t key_b = call.key_out(b, last_b);
    if (call.place_of(key_a) == call.place_of(key_b)) return;
    call.set_key(a, last_a, key_b);
    call.set_key(b, last_b, key_a);
    expect_fault(call, a, last_a);
  });
}

class FloatOracle : public Oracle {};

TEST_P(FloatOracle, FindsAChangedPayloadOfANan) {
  std::size_t tried = 0;
  for_each_call(Distribution::special, [&](HostCall& call) {
    const std::uint64_t row = row_of(call);
    for (std::uint64_t i = 0; i < call.count(row); ++i) {
      const std::uint64_t changed = call.key_out(row, i) ^ 4;
      if (!call.is_nan(call.key_out(row, i)) || !call.is_nan(changed)) continue;
      ++tried;
      call.set_key(row, i, changed);
      expect_fault(call, row, i);
      return;
    }
  });
  EXPECT_GT(tried, 0u);
}

TEST_P(FloatOracle, TellsZerosApart) {
  const std::uint64_t minus_zero = std::uint64_t{1} << (8 * size_of(GetParam()) - 1);
  std::size_t tried = 0;
  for_each_call(Distribution::special, [&](HostCall& call) {
    const std::uint64_t row = row_of(call);
    const auto zeros = find_pair(call, row, [&](auto a, auto b) {
      const std::set<std::uint64_t> both = {call.key_out(row, a), call.key_out(row, b)};
      return both == std::set<std::uint64_t>{0, minus_zero};
    });
    if (!zeros) return;
    ++tried;
    call.swap_items(row, zeros->first, zeros->second);
    expect_fault(call, row, zeros->first);
  });
  EXPECT_GT(tried, 0u);
}

TEST_P(Oracle, FindsAWorseKeyAmongTheFirst) {
  for_each_call(Distribution::random, [](HostCall& call) {
    if (call.problem.operation != Operation::top_k) return;
    const std::uint64_t row = row_of(call);
    if (call.length(row) <= call.count(row)) return;
    const std::uint64_t last = call.count(row) - 1;
    const std::uint64_t there = call.place_of(call.key_out(row, last));
    for (std::uint64_t i = 0; i < call.length(row); ++i) {
      if (call.place_of(call.key_in(row, i)) <= there) continue;
      call.put_item(row, last, i);  // with its own value and index
      expect_fault(call, row, last);
      return;
    }
  });
}

TEST_P(Oracle, FindsALaterOneOfEqualKeysAmongTheFirst) {
  for_each_call(Distribution::all_equal, [](HostCall& call) {
    const bool travels = call.problem.value_bytes != 0 || call.problem.index_bytes != 0;
    if (call.problem.operation != Operation::top_k || !travels) return;
    const std::uint64_t row = row_of(call);
    const std::uint64_t last = call.count(row) - 1;
    call.put_item(row, last, call.length(row) - 1);
    expect_fault(call, row, last);
  });
}

TEST_P(Oracle, FindsWhatIsNotFilled) {
  std::size_t tried = 0;
  for_each_call(Distribution::random, [&](HostCall& call) {
    if (call.problem.operation != Operation::top_k) return;
    const HostCall right = call;
    for (std::uint64_t row = 0; row < call.problem.rows; ++row) {
      const std::uint64_t place = call.count(row);
      if (place == std::min(call.problem.k, call.problem.n)) continue;
      ++tried;
      call.put_item(row, place, 0);
      expect_fault(call, row, place);
      call = right;
    }
  });
  EXPECT_GT(tried, 0u);
}

// Where only one result is right, any change of it is a fault.
TEST_P(Oracle, FindsAnyChangeOfAUniqueResult) {
  std::mt19937_64 random(5);
  for_each_call(Distribution::few_distinct, [&](HostCall& call) {
    const bool travels = call.problem.value_bytes != 0 || call.problem.index_bytes != 0;
    if (travels && !call.problem.stable && call.problem.operation != Operation::top_k) return;
    const std::uint64_t row = row_of(call);
    for (int i = 0; i < 8; ++i) {
      const HostCall right = call;
      const std::uint64_t place = random() % call.count(row);
      const std::uint64_t other = random() % call.length(row);
      call.put_item(row, place, other);
      const bool changed = call.keys_out != right.keys_out || call.values_out != right.values_out ||
                           call.indices_out != right.indices_out;
      if (changed) {
        expect_fault(call, row, place);
      } else {
        EXPECT_EQ(call.fault(), std::nullopt);
      }
      call = right;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(KeyTypes, Oracle,
                         testing::Values(KeyType::u8, KeyType::i16, KeyType::f16, KeyType::u32, KeyType::f32,
                                         KeyType::i64, KeyType::f64),
                         [](const auto& type) { return std::string(name_of(type.param)); });
INSTANTIATE_TEST_SUITE_P(KeyTypes, FloatOracle,
                         testing::Values(KeyType::f16, KeyType::bf16, KeyType::f32, KeyType::f64),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace bitune
