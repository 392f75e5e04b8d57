// Pairs and argsort: what the engine refuses, and what it does without a kernel. Kernels are tested in
// tests/emulated/pairs.cpp.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bitune/error.hpp"
#include "runtime/sort_engine.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune {
namespace engine_pairs_test {
namespace {

const fake::Variant only_variant("only_keys");
const std::array<const Variant*, 1> one_variant = {&only_variant};

constexpr std::uint64_t n = 8;

Problem pairs_problem(std::uint32_t value_bytes = 4) {
  return {{.operation = Operation::sort_pairs, .key = KeyType::f32, .value_bytes = value_bytes}, {.n = n}};
}

Problem argsort_problem(std::uint32_t index_bytes = 4) {
  return {{.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = index_bytes}, {.n = n}};
}

class SortEnginePairsTest : public testing::Test {
 protected:
  /// The operands of a call that is right, each in a part of the memory of its own.
  Operands operands_of(const Problem& problem) {
    Operands operands;
    operands[Role::keys_in] = {memory.data(), n, n};
    if (problem.operation != Operation::argsort) operands[Role::keys_out] = {memory.data() + 16, n, n};
    if (problem.value_bytes != 0) {
      operands[Role::values_in] = {memory.data() + 32, n, n};
      operands[Role::values_out] = {memory.data() + 64, n, n};
    }
    if (problem.index_bytes != 0) operands[Role::indices_out] = {memory.data() + 96, n, n};
    return operands;
  }

  /// The sentence with which the call is refused. Nothing is written, enqueued or read.
  std::string refusal(const Problem& problem, const Operands& operands, ErrorCode code = ErrorCode::usage) {
    const std::vector<std::uint64_t> before(memory.begin(), memory.end());
    std::string sentence;
    try {
      engine.run(problem, operands, nullptr);
      ADD_FAILURE() << "nothing was refused";
    } catch (const Error& error) {
      sentence = error.what();
      EXPECT_EQ(error.code(), code) << sentence;
    }
    EXPECT_TRUE(std::equal(memory.begin(), memory.end(), before.begin())) << sentence;
    EXPECT_EQ(device->launches + device->allocations + device->row_copies, 0) << sentence;
    return sentence;
  }

  std::shared_ptr<fake::Device> device = std::make_shared<fake::Device>();
  SortEngine engine{device, nullptr, [](const Problem&, std::string*) { return CandidateSet{}; },
                    one_variant};
  alignas(16) std::array<std::uint64_t, 128> memory{};
};

#define EXPECT_SAYS(sentence, text) EXPECT_NE((sentence).find(text), std::string::npos) << (sentence)

TEST_F(SortEnginePairsTest, RefusesWidthsThatThereAreNot) {
  EXPECT_SAYS(refusal(pairs_problem(3), operands_of(pairs_problem(3))), "values of 3 bytes");
  EXPECT_SAYS(refusal(pairs_problem(32), operands_of(pairs_problem(32))), "gather");
  EXPECT_SAYS(refusal(pairs_problem(0), operands_of(pairs_problem(0))), "values of 0 bytes");
  EXPECT_SAYS(refusal(argsort_problem(2), operands_of(argsort_problem(2))), "4 or 8 bytes, not 2");
  Problem both = argsort_problem();
  both.value_bytes = 4;
  EXPECT_SAYS(refusal(both, operands_of(both)), "travel in sort_pairs and top_k alone");
  both.operation = Operation::sort_pairs;
  EXPECT_SAYS(refusal(both, operands_of(both)), "values and indices");
}

TEST_F(SortEnginePairsTest, RefusesIndicesTooNarrowForTheKeys) {
  Problem problem = argsort_problem();
  problem.n = (std::uint64_t{1} << 32) + 1;
  Operands operands = operands_of(problem);
  operands[Role::keys_in].elements = operands[Role::indices_out].elements = problem.n;
  EXPECT_SAYS(refusal(problem, operands), "too narrow for 4294967297 keys");
  EXPECT_THROW((void)engine.workspace_size(problem), Error);
  EXPECT_THROW((void)engine.explain(problem), Error);
  EXPECT_THROW((void)engine.prepare(problem), Error);
}

TEST_F(SortEnginePairsTest, RefusesArraysThatAreMissingMisalignedOrTooShort) {
  for (const Role role : {Role::values_out, Role::keys_in, Role::keys_out}) {
    Operands operands = operands_of(pairs_problem());
    operands[role].elements = n - 1;
    EXPECT_SAYS(refusal(pairs_problem(), operands), "has room for 7 elements");
    operands = operands_of(pairs_problem());
    operands[role].data = static_cast<std::byte*>(operands[role].data) + 2;
    EXPECT_SAYS(refusal(pairs_problem(), operands), "not aligned to 4 bytes");
  }
  Operands operands = operands_of(pairs_problem());
  operands[Role::values_in].elements = 5;
  EXPECT_SAYS(refusal(pairs_problem(), operands), "the array of values has room for 5 elements");
  operands = operands_of(pairs_problem());
  operands[Role::values_in] = operands[Role::values_out] = {};
  EXPECT_SAYS(refusal(pairs_problem(), operands), "null");
  operands = operands_of(argsort_problem());
  operands[Role::indices_out] = {};
  EXPECT_SAYS(refusal(argsort_problem(), operands), "the array of indices");
  operands = operands_of(argsort_problem());
  operands[Role::keys_in] = {};
  EXPECT_SAYS(refusal(argsort_problem(), operands), "the array of keys");
  operands = operands_of(pairs_problem(16));
  operands[Role::values_out].data = memory.data() + 65;
  EXPECT_SAYS(refusal(pairs_problem(16), operands), "not aligned to 16 bytes");
}

TEST_F(SortEnginePairsTest, RefusesArraysThatOverlap) {
  Operands operands = operands_of(pairs_problem());
  operands[Role::values_out].data = memory.data() + 17;  // within the sorted keys
  EXPECT_SAYS(refusal(pairs_problem(), operands), "overlap");
  operands = operands_of(pairs_problem());
  operands[Role::keys_out].data = memory.data() + 1;  // partly the keys that are read
  EXPECT_SAYS(refusal(pairs_problem(), operands), "overlap");
  operands = operands_of(pairs_problem());
  operands[Role::values_in].data = operands[Role::keys_in].data;
  EXPECT_SAYS(refusal(pairs_problem(), operands), "overlap");
  operands = operands_of(argsort_problem());
  operands[Role::indices_out].data = operands[Role::keys_in].data;
  EXPECT_SAYS(refusal(argsort_problem(), operands), "overlap");
  Problem keys_alone = argsort_problem();
  keys_alone.operation = Operation::sort;
  keys_alone.index_bytes = 0;
  operands = {};
  operands[Role::keys_in] = operands[Role::keys_out] = operands_of(pairs_problem())[Role::keys_in];
  operands[Role::keys_out].data = memory.data() + 1;
  EXPECT_SAYS(refusal(keys_alone, operands), "overlap");
}

TEST_F(SortEnginePairsTest, RefusesKeysOfAnArgsortToBeWritten) {
  Operands operands = operands_of(argsort_problem());
  operands[Role::keys_out] = {memory.data() + 16, n, n};
  EXPECT_SAYS(refusal(argsort_problem(), operands), "writes no keys");
}

TEST_F(SortEnginePairsTest, SaysWhatIsWrongWithOffsets) {
  Problem problem = pairs_problem();
  problem.ragged = true;
  Operands operands = operands_of(problem);
  std::vector<std::uint32_t> numbers(problem.rows + 1);
  const auto says = [&](const Operand& offsets, const Operand& ends, std::string_view sentence) {
    operands[Role::offsets] = offsets;
    operands[Role::ends] = ends;
    EXPECT_SAYS(refusal(problem, operands), sentence);
  };
  const std::uint64_t rows = problem.rows;
  says({}, {}, "the array of offsets of");
  says({numbers.data(), rows + 1, 2}, {}, "of 4 or 8 bytes, and their stride says which: not 2");
  says({numbers.data(), rows, 4}, {}, "the array of offsets has room for");
  says({numbers.data(), rows, 4}, {numbers.data(), rows, 8}, "both are of one width");
  says({numbers.data(), rows, 4}, {numbers.data(), rows - 1, 4}, "the array of ends has room for");
  const Operand keys{operands[Role::keys_out].data, rows + 1, 4};
  says(keys, {}, "overlap");
}

TEST_F(SortEnginePairsTest, RefusesRowsThatOverlap) {
  Problem problem = argsort_problem();
  problem.n = 2;
  problem.rows = 3;
  Operands operands;
  operands[Role::keys_in] = {memory.data(), 64, 4};
  operands[Role::indices_out] = {memory.data() + 1, 64, 1};
  EXPECT_SAYS(refusal(problem, operands), "rows of 2 indices that begin every 1 indices overlap");
  operands[Role::indices_out].stride = 5;
  EXPECT_SAYS(refusal(problem, operands), "overlap: '");
  operands[Role::indices_out] = {memory.data(), 64, 4};
  EXPECT_SAYS(refusal(problem, operands), "overlap: '");
  problem = pairs_problem();
  problem.n = 2;
  problem.rows = 3;
  operands = operands_of(problem);
  operands[Role::keys_in].data = operands[Role::keys_out].data;
  for (const Role role : {Role::keys_in, Role::keys_out, Role::values_in, Role::values_out}) {
    operands[role].elements = 16;
    operands[role].stride = role == Role::keys_out ? 3 : 4;
  }
  EXPECT_SAYS(refusal(problem, operands), "in place rows stay where they are");
}

/// Rows of one array may lie between rows of another, which are as far apart: here of a single key.
TEST_F(SortEnginePairsTest, CopiesRowsOfASingleItemBetweenOthers) {
  Problem problem = argsort_problem(8);
  problem.n = 1;
  problem.rows = 3;
  memory.fill(~std::uint64_t{0});
  Operands operands;
  operands[Role::keys_in] = {memory.data(), 64, 4};
  operands[Role::indices_out] = {memory.data() + 1, 64, 2};
  engine.run(problem, operands, nullptr);
  for (const std::size_t i : {1, 3, 5}) EXPECT_EQ(memory[i], 0u) << i;
  for (const std::size_t i : {0, 2, 4, 6, 7}) EXPECT_EQ(memory[i], ~std::uint64_t{0}) << i;
}

TEST_F(SortEnginePairsTest, CopiesASingleItemAndItsIndexIsZero) {
  memory[0] = 0x3f800000;  // the key 1.0
  memory[32] = 77;
  Problem problem = pairs_problem();
  problem.n = 1;
  engine.run(problem, operands_of(problem), nullptr);
  EXPECT_EQ(memory[16], 0x3f800000u);
  EXPECT_EQ(memory[64], 77u);
  problem = argsort_problem(8);
  problem.n = 1;
  memory[96] = ~std::uint64_t{0};
  engine.run(problem, operands_of(problem), nullptr);
  EXPECT_EQ(memory[96], 0u);
  problem.n = 0;
  engine.run(problem, Operands{}, nullptr);
  EXPECT_EQ(device->launches, 0);
}

TEST_F(SortEnginePairsTest, CopiesASingleItemOfTheHost) {
  memory[0] = 0x3f800000;
  memory[32] = 77;
  Problem problem = pairs_problem(8);
  problem.n = 1;
  static_cast<void>(engine.run_host(problem, operands_of(problem)));
  EXPECT_EQ(memory[16], 0x3f800000u);
  EXPECT_EQ(memory[64], 77u);
}

}  // namespace
}  // namespace engine_pairs_test
}  // namespace bitune
