// Top-k: what the engine refuses. Kernels are tested in tests/emulated/top_k.cpp.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "bitune/error.hpp"
#include "runtime/sort_engine.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune {
namespace engine_top_k_test {
namespace {

const fake::Variant only_variant("only_keys");
const std::array<const Variant*, 1> one_variant = {&only_variant};

constexpr std::uint64_t n = 8;
constexpr std::uint64_t k = 3;

Problem top_k(std::uint32_t index_bytes = 4, std::uint32_t value_bytes = 0, std::uint64_t rows = 1) {
  return {{.operation = Operation::top_k,
           .key = KeyType::f32,
           .value_bytes = value_bytes,
           .index_bytes = index_bytes,
           .k = k},
          {.n = n, .rows = rows}};
}

class SortEngineTopK : public testing::Test {
 protected:
  /// The operands of a call that is right, each in a part of the memory of its own.
  Operands operands_of(const Problem& problem) {
    Operands operands;
    operands[Role::keys_in] = {memory.data(), n * problem.rows, n};
    operands[Role::keys_out] = {memory.data() + 64, k * problem.rows, k};
    if (problem.value_bytes != 0) {
      operands[Role::values_in] = {memory.data() + 128, n * problem.rows, n};
      operands[Role::values_out] = {memory.data() + 192, k * problem.rows, k};
    }
    if (problem.index_bytes != 0) operands[Role::indices_out] = {memory.data() + 256, k * problem.rows, k};
    return operands;
  }

  void expect_refused(const Problem& problem, const Operands& operands, const std::string& text,
                      ErrorCode code = ErrorCode::usage) {
    try {
      engine.run(problem, operands, nullptr);
      ADD_FAILURE() << "not refused: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
    EXPECT_EQ(device->launches + device->allocations + device->row_copies, 0);
  }

  std::shared_ptr<fake::Device> device = std::make_shared<fake::Device>();
  SortEngine engine{device, nullptr, [](const Problem&, std::string*) { return CandidateSet{}; },
                    one_variant};
  alignas(16) std::array<std::uint64_t, 320> memory{};
};

TEST_F(SortEngineTopK, RefusesAKThatIsNotFromOneToTheRowLength) {
  for (const std::uint64_t wrong : {std::uint64_t{0}, n + 1, ~std::uint64_t{0}}) {
    Problem problem = top_k();
    problem.k = wrong;
    expect_refused(problem, operands_of(problem), "it is from 1 to the row length");
    EXPECT_THROW((void)engine.prepare(problem), Error);
    EXPECT_THROW((void)engine.workspace_size(problem), Error);
    EXPECT_THROW((void)engine.explain(problem), Error);
  }
  Problem none = top_k();
  none.n = 0;
  expect_refused(none, operands_of(none), "k is 3 in a top_k of 0 keys");
}

TEST_F(SortEngineTopK, RefusesWidthsThatThereAreNot) {
  expect_refused(top_k(2), operands_of(top_k(2)), "4 or 8 bytes, not 2");
  expect_refused(top_k(0, 3), operands_of(top_k(0, 3)), "values of 3 bytes");
  expect_refused(top_k(4, 4), operands_of(top_k(4, 4)), "values and indices");
  Problem wide = top_k();
  wide.n = (std::uint64_t{1} << 32) + 1;
  expect_refused(wide, operands_of(wide), "too narrow");
}

/// Any segment may have fewer keys than k. What is written are rows.
TEST_F(SortEngineTopK, RefusesSegmentsThatItCannotGiveTheFirstKeysOf) {
  Problem segments = top_k(4, 0, 3);
  segments.ragged = true;
  Operands operands = operands_of(segments);
  operands[Role::offsets] = {memory.data() + 300, 4, 4};
  Problem none = segments;
  none.k = 0;
  expect_refused(none, operands, "k is 0 in a top_k of segments");
  Problem huge = segments;
  huge.k = std::uint64_t{1} << 62;
  expect_refused(huge, operands, "larger than any memory");
  Operands wrong = operands;
  wrong[Role::offsets].elements = 3;
  expect_refused(segments, wrong, "the array of offsets has room for 3 elements");
  wrong = operands;
  wrong[Role::keys_out].elements = 3 * k - 1;
  expect_refused(segments, wrong, "reaches over 9");
  wrong = operands;
  wrong[Role::keys_out].stride = k - 1;
  expect_refused(segments, wrong, "overlap: the row stride");
  wrong = operands;
  wrong[Role::lengths] = {memory.data() + 310, 3, 4};
  expect_refused(segments, wrong, "leave the array of lengths empty");
  wrong = operands;
  wrong[Role::offsets].data = wrong[Role::keys_out].data;
  expect_refused(segments, wrong, "overlap");
}

TEST_F(SortEngineTopK, RefusesMemoryThatIsMissingOrTooSmall) {
  for (const Role role : {Role::keys_in, Role::keys_out, Role::values_in, Role::values_out}) {
    Operands operands = operands_of(top_k(0, 4));
    operands[role].data = nullptr;
    expect_refused(top_k(0, 4), operands, "is a null pointer");
    operands = operands_of(top_k(0, 4));
    operands[role].elements -= 1;
    expect_refused(top_k(0, 4), operands, "elements");
    operands = operands_of(top_k(0, 4));
    operands[role].data = static_cast<std::byte*>(operands[role].data) + 1;
    expect_refused(top_k(0, 4), operands, "not aligned");
  }
  Operands operands = operands_of(top_k());
  operands[Role::indices_out] = {};
  expect_refused(top_k(), operands, "the array of indices");
  const Problem rows = top_k(4, 0, 2);
  operands = operands_of(rows);
  operands[Role::keys_out].stride = k - 1;
  expect_refused(rows, operands, "rows of 3 elements that begin every 2");
}

TEST_F(SortEngineTopK, IsNeverInPlace) {
  Operands operands = operands_of(top_k());
  operands[Role::keys_out] = {memory.data(), k, k};
  expect_refused(top_k(), operands, "overlap");
  operands = operands_of(top_k());
  operands[Role::indices_out].data = memory.data() + 1;
  expect_refused(top_k(), operands, "overlap");
}

TEST_F(SortEngineTopK, RefusesLengthsOfOtherWidths) {
  const Problem rows = top_k(4, 0, 2);
  Operands operands = operands_of(rows);
  operands[Role::lengths] = {memory.data() + 300, 2, 0};
  expect_refused(rows, operands, "their stride says which: not 0");
  operands[Role::lengths] = {memory.data() + 300, 1, 8};
  expect_refused(rows, operands, "the array of lengths");
  operands[Role::lengths] = {reinterpret_cast<std::byte*>(memory.data()) + 2401, 2, 4};
  expect_refused(rows, operands, "not aligned");
  Problem sort{{.key = KeyType::f32}, {.n = n, .rows = 2}};
  operands = {};
  operands[Role::keys_out] = {memory.data(), 2 * n, n};
  operands[Role::lengths] = {memory.data() + 300, 2, 8};
  expect_refused(sort, operands, "read by top_k alone", ErrorCode::unavailable);
}

}  // namespace
}  // namespace engine_top_k_test
}  // namespace bitune
