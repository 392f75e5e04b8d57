// What C calls to sort over several devices, on the emulated one.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/capi/fixture.hpp"

namespace bitune::test {
namespace capi_multi {
namespace {

class MultiFromC : public CLibrary {
 protected:
  MultiFromC() {
    bitune_multi_options options = BITUNE_MULTI_OPTIONS_INIT;
    options.devices = "emulated,emulated";
    options.database = database.c_str();
    EXPECT_EQ(bitune_multi_sorter_create(&options, &several), BITUNE_OK) << bitune_last_error();
  }
  ~MultiFromC() override { bitune_multi_sorter_destroy(several); }

  bitune_multi_sorter* several = nullptr;
};

TEST_F(MultiFromC, SortsPartsOnDevices) {
  size_t ranks = 0;
  ASSERT_EQ(bitune_multi_ranks(several, &ranks), BITUNE_OK);
  ASSERT_EQ(ranks, 2U);
  ASSERT_EQ(bitune_multi_first_rank(several, &ranks), BITUNE_OK);
  EXPECT_EQ(ranks, 0U);
  std::uint64_t sum = 0;
  ASSERT_EQ(bitune_multi_sum(several, 8, &sum), BITUNE_OK);
  EXPECT_EQ(sum, 8U);
  std::vector<std::uint32_t> first = {9, 1, 8};
  std::vector<std::uint32_t> second = {2, 7, 3, 0, 5};
  std::vector<std::uint32_t> first_out(6);
  std::vector<std::uint32_t> second_out(2);
  bitune_operands operands[] = {BITUNE_OPERANDS_INIT, BITUNE_OPERANDS_INIT};
  operands[0].keys_in = operand_of(first);
  operands[0].keys_out = operand_of(first_out);
  operands[1].keys_in = operand_of(second);
  operands[1].keys_out = operand_of(second_out);
  bitune_multi_part parts[] = {BITUNE_MULTI_PART_INIT, BITUNE_MULTI_PART_INIT};
  parts[0].operands = &operands[0];
  parts[0].n = 3;
  parts[0].result = 6;
  parts[1].operands = &operands[1];
  parts[1].n = 5;
  bitune_multi_result results[] = {BITUNE_MULTI_RESULT_INIT, BITUNE_MULTI_RESULT_INIT};
  const bitune_problem problem = problem_of(0);
  ASSERT_EQ(bitune_multi_run(several, &problem, parts, 2, results), BITUNE_OK) << bitune_last_error();
  EXPECT_EQ(first_out, (std::vector<std::uint32_t>{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(second_out, (std::vector<std::uint32_t>{8, 9}));
  EXPECT_EQ(results[1].first, 6U);
  EXPECT_EQ(results[1].count, 2U);
  EXPECT_EQ(results[0].size, sizeof(bitune_multi_result));
  std::uint64_t bytes = 0;
  ASSERT_EQ(bitune_multi_workspace_size(several, &problem, 1, 5, 2, &bytes), BITUNE_OK);
  EXPECT_GT(bytes, 5 * sizeof(std::uint32_t));
}

TEST_F(MultiFromC, SortsAnArrayOfTheHost) {
  std::vector<std::uint32_t> keys = {5, 4, 3, 2, 1};
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  operands.keys_out = operand_of(keys);
  const bitune_problem problem = problem_of(keys.size());
  ASSERT_EQ(bitune_multi_run_host(several, &problem, &operands, nullptr), BITUNE_OK) << bitune_last_error();
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

TEST_F(MultiFromC, RefusesWhatMeansNothing) {
  const auto says = [](bitune_status status, const std::string& words) {
    EXPECT_EQ(status, BITUNE_ERROR_USAGE);
    EXPECT_NE(std::string(bitune_last_error()).find(words), std::string::npos) << bitune_last_error();
  };
  bitune_problem problem = problem_of(4);
  bitune_multi_part parts[] = {BITUNE_MULTI_PART_INIT, BITUNE_MULTI_PART_INIT};
  says(bitune_multi_run(several, &problem, parts, 1, nullptr), "1 parts were given for 2 ranks");
  says(bitune_multi_run(several, &problem, nullptr, 2, nullptr), "parts");
  parts[1].size = 12;
  says(bitune_multi_run(several, &problem, parts, 2, nullptr), "bitune_multi_part: its size is 12");
  problem.rows = 2;
  says(bitune_multi_run(several, &problem, parts, 2, nullptr), "rows is 1");
  std::uint64_t bytes = 0;
  problem.rows = 1;
  says(bitune_multi_workspace_size(several, &problem, 2, 1, 1, &bytes), "rank is 2; there are 2");
  bitune_multi_sorter* none = nullptr;
  const bitune_multi_options unnamed = BITUNE_MULTI_OPTIONS_INIT;
  says(bitune_multi_sorter_create(&unnamed, &none), "name a device for each rank");
  EXPECT_EQ(none, nullptr);
}

}  // namespace
}  // namespace capi_multi
}  // namespace bitune::test
