#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "measure/oracle.hpp"

namespace bitune {
namespace {

/// Three keys with values, to be sorted to 2 5 5.
struct SmallCall {
  std::vector<std::uint32_t> keys = {5, 2, 5};
  std::vector<std::uint16_t> values = {10, 20, 30};
  std::vector<std::uint32_t> sorted = {2, 5, 5};
  std::vector<std::uint16_t> sorted_values = {20, 10, 30};
  std::vector<std::uint32_t> indices = {1, 0, 2};
  Problem problem{{.key = KeyType::u32}, {.n = 3}};

  [[nodiscard]] Operands operands() {
    Operands all;
    all[Role::keys_in] = {keys.data(), keys.size(), 0};
    all[Role::keys_out] = {sorted.data(), sorted.size(), 0};
    all[Role::values_in] = {values.data(), values.size(), 0};
    all[Role::values_out] = {sorted_values.data(), sorted_values.size(), 0};
    all[Role::indices_out] = {indices.data(), indices.size(), 0};
    return all;
  }
  [[nodiscard]] std::optional<std::string> fault() { return find_fault(problem, operands()); }
};

TEST(OracleText, SaysWhatBelongsThere) {
  SmallCall keys;
  keys.sorted[1] = 7;
  EXPECT_EQ(keys.fault(), "place 1: key 0x00000007 where 0x00000005 belongs");

  SmallCall pairs;
  pairs.problem.operation = Operation::sort_pairs;
  pairs.problem.value_bytes = 2;
  std::swap(pairs.sorted_values[1], pairs.sorted_values[2]);
  EXPECT_EQ(pairs.fault(), std::nullopt);
  pairs.problem.stable = true;
  EXPECT_EQ(pairs.fault(), "place 1: value 0x001e where 0x000a belongs, with key 0x00000005");
  pairs.problem.stable = false;
  pairs.sorted_values[2] = 20;
  EXPECT_EQ(pairs.fault(),
            "place 2: value 0x0014 with key 0x00000005, which the input does not have, or not as often");

  SmallCall order;
  order.problem.operation = Operation::argsort;
  order.problem.index_bytes = 4;
  order.indices = {1, 0, 0};
  EXPECT_EQ(order.fault(), "place 2: index 0 for the second time");
  order.indices = {1, 3, 0};
  EXPECT_EQ(order.fault(), "place 1: index 3, but there are only 3 keys");
  order.indices = {0, 1, 2};
  order.sorted = order.keys;
  EXPECT_EQ(order.fault(), "place 0: index 0, of key 0x00000005, where one of key 0x00000002 belongs");
  order.indices = {1, 2, 0};
  order.sorted = {2, 5, 5};
  order.problem.stable = true;
  EXPECT_EQ(order.fault(), "place 1: index 2 where 0 belongs");
}

TEST(OracleText, RefusesWhatItCannotCheck) {
  const auto sentence = [](SmallCall& call, const Operands& operands) -> std::string {
    try {
      static_cast<void>(find_fault(call.problem, operands));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      return error.what();
    }
    return "";
  };
  SmallCall call;
  Operands missing = call.operands();
  missing[Role::keys_out] = {};
  EXPECT_EQ(sentence(call, missing), "the oracle: 'sort u32 ascending n=3' needs keys_out");

  SmallCall rows;
  rows.problem.n = 2;
  rows.problem.rows = 2;
  EXPECT_EQ(sentence(rows, rows.operands()), "the oracle: rows of keys_out overlap") << "their stride is 0";
  Operands far = rows.operands();
  far[Role::keys_in].stride = 2;
  EXPECT_EQ(sentence(rows, far), "the oracle: row 1 of keys_in does not fit into its 3 elements");

  SmallCall segments;
  segments.problem.ragged = true;
  segments.problem.rows = 2;
  std::vector<std::uint64_t> offsets = {0, 2, 1};
  Operands ragged = segments.operands();
  EXPECT_EQ(sentence(segments, ragged), "the oracle: 2 segments need 3 offsets, and 0 were given");
  ragged[Role::offsets] = {offsets.data(), offsets.size(), 2};
  EXPECT_EQ(sentence(segments, ragged),
            "the oracle: offsets are unsigned integers of 4 or 8 bytes, and their stride says which: not 2");
  ragged[Role::offsets].stride = 8;
  EXPECT_EQ(sentence(segments, ragged),
            "the oracle: segment 1 is of the keys 2 to 1: it ends before it begins");
  offsets = {0, 2, 4};
  EXPECT_EQ(sentence(segments, ragged), "the oracle: segment 1 is of the keys 2 to 4, and there are 3 keys");
  std::vector<std::uint64_t> ends = {3, 2};
  ragged[Role::ends] = {ends.data(), 1, 8};
  EXPECT_EQ(sentence(segments, ragged), "the oracle: 2 segments need 2 ends, and 1 were given");
  ragged[Role::ends].elements = 2;
  offsets = {1, 0};
  EXPECT_EQ(sentence(segments, ragged), "the oracle: segments 0 and 1 overlap");

  SmallCall argsort;
  argsort.problem.operation = Operation::argsort;
  EXPECT_EQ(sentence(argsort, argsort.operands()), "the oracle: 'argsort' needs index_bytes");
  SmallCall pairs;
  pairs.problem.operation = Operation::sort_pairs;
  EXPECT_EQ(sentence(pairs, pairs.operands()), "the oracle: 'sort_pairs' needs value_bytes");
}

}  // namespace
}  // namespace bitune
