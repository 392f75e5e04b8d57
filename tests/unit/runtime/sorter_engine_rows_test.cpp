// What the engine makes of rows, on a device whose kernels the host runs.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bitune/error.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "runtime/sort_engine.hpp"
#include "tests/support/engine_calls.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune {
namespace engine_rows_test {
namespace {

using testing_support::code_of;
using testing_support::RowsAt;
using testing_support::sort_rows;

const fake::Variant in_place("in_place");
const fake::Variant out_of_place("out_of_place", 0, true, true);
const std::array<const Variant*, 1> in_place_only = {&in_place};
const std::array<const Variant*, 1> out_of_place_only = {&out_of_place};

class SortEngineRowsTest : public testing::Test {
 protected:
  std::unique_ptr<SortEngine> make(std::span<const Variant* const> variants) {
    return std::make_unique<SortEngine>(
        device, nullptr,
        [this](const Problem&, std::string*) {
          ++reads;
          return CandidateSet{};
        },
        variants);
  }

  std::shared_ptr<fake::Device> device = std::make_shared<fake::Device>();
  int reads = 0;
};

std::vector<std::byte> random_keys(std::uint64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> keys(4 * n);
  for (std::byte& byte : keys) byte = static_cast<std::byte>(random());
  return keys;
}

/// Rows of `stride` keys, of which the first problem.n are sorted.
std::vector<std::byte> sorted(const std::vector<std::byte>& keys, const Problem& problem,
                              std::uint64_t stride) {
  std::vector<std::byte> result = keys;
  const std::size_t size = size_of(problem.key);
  Problem row = problem;
  row.rows = 1;
  for (std::uint64_t i = 0; i < problem.rows; ++i) {
    reference_sort_rows({result.data() + i * stride * size, problem.n * size}, row);
  }
  return result;
}

constexpr Problem problem{{.key = KeyType::i32, .order = Order::descending}, {.n = 20, .rows = 7}};

TEST_F(SortEngineRowsTest, LeavesTheGapsAlone) {
  for (const auto& variants : {in_place_only, out_of_place_only}) {
    const auto engine = make(variants);
    for (const std::uint64_t stride : {20, 21, 64}) {
      auto keys = random_keys(problem.rows * stride, static_cast<unsigned>(stride));
      const auto expected = sorted(keys, problem, stride);
      sort_rows(*engine, {keys.data(), nullptr, stride}, problem);
      EXPECT_EQ(keys, expected) << stride;
    }
  }
  EXPECT_EQ(device->row_copies, 0);
}

TEST_F(SortEngineRowsTest, OutOfPlaceByThePlanOrByACopy) {
  for (const auto& variants : {in_place_only, out_of_place_only}) {
    const auto engine = make(variants);
    constexpr std::uint64_t stride = 23;
    const auto input = random_keys(problem.rows * stride, 1);
    const auto before = input;
    std::vector<std::byte> keys(input.size(), std::byte{0x5A});
    auto expected = keys;
    const auto all = sorted(input, problem, stride);
    for (std::uint64_t i = 0; i < problem.rows; ++i) {
      std::memcpy(&expected[i * stride * 4], &all[i * stride * 4], problem.n * 4);
    }
    sort_rows(*engine, {keys.data(), input.data(), stride}, problem);
    EXPECT_EQ(keys, expected);
    EXPECT_EQ(input, before);
  }
  EXPECT_EQ(device->row_copies, 1) << "the plan that can read elsewhere needs no copy";
}

TEST_F(SortEngineRowsTest, InputAndOutputMayHaveStridesOfTheirOwn) {
  for (const auto& variants : {in_place_only, out_of_place_only}) {
    const auto engine = make(variants);
    const int copies = device->row_copies;
    constexpr std::uint64_t in_stride = 31;
    constexpr std::uint64_t out_stride = 22;
    const auto input = random_keys(problem.rows * in_stride, 2);
    std::vector<std::byte> keys(problem.rows * out_stride * 4, std::byte{0x5A});
    auto expected = keys;
    const auto all = sorted(input, problem, in_stride);
    for (std::uint64_t i = 0; i < problem.rows; ++i) {
      std::memcpy(&expected[i * out_stride * 4], &all[i * in_stride * 4], problem.n * 4);
    }
    auto given = input;
    Operands operands;
    operands[Role::keys_in] = {given.data(), problem.rows * in_stride, in_stride};
    operands[Role::keys_out] = {keys.data(), problem.rows * out_stride, out_stride};
    engine->run(problem, operands, nullptr);
    EXPECT_EQ(keys, expected);
    EXPECT_EQ(given, input);
    EXPECT_EQ(device->row_copies, copies + 1) << "kernels know one stride";
  }
}

TEST_F(SortEngineRowsTest, RefusesArraysThatAreTooShort) {
  const auto engine = make(in_place_only);
  std::vector<std::uint32_t> keys(100, 1);
  const Problem rows{{.key = KeyType::u32}, {.n = 4, .rows = 3}};
  Operands operands;
  operands[Role::keys_out] = {keys.data(), 2 * 10 + 4, 10};
  engine->run(rows, operands, nullptr);  // just enough
  const int launches = device->launches;
  operands[Role::keys_out].elements -= 1;
  std::string sentence;
  EXPECT_EQ(code_of([&] { engine->run(rows, operands, nullptr); }, &sentence), ErrorCode::usage);
  EXPECT_NE(sentence.find("room for 23 elements"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("reaches over 24"), std::string::npos) << sentence;
  Operands array = packed_operands({{}, {.n = 50}}, keys.data());
  EXPECT_EQ(code_of([&] { engine->run({{}, {.n = 51}}, array, nullptr); }), ErrorCode::usage);
  EXPECT_EQ(device->launches, launches);
}

TEST_F(SortEngineRowsTest, InputThatIsTheKeysIsInPlace) {
  const auto engine = make(in_place_only);
  auto keys = random_keys(problem.rows * problem.n, 1);
  const auto expected = sorted(keys, problem, problem.n);
  sort_rows(*engine, {keys.data(), keys.data(), problem.n}, problem);
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(device->row_copies, 0);
}

TEST_F(SortEngineRowsTest, NothingToSort) {
  const auto engine = make(in_place_only);
  std::array<std::uint32_t, 4> keys = {4, 3, 2, 1};
  const std::array<std::uint32_t, 4> input = {8, 7, 6, 5};
  sort_rows(*engine, {nullptr, nullptr, 5}, {{}, {.n = 5, .rows = 0}});
  sort_rows(*engine, {nullptr, input.data(), 5}, {{}, {.n = 0, .rows = 5}});
  sort_rows(*engine, {keys.data(), nullptr, 1}, {{}, {.n = 1, .rows = 4}});
  EXPECT_EQ(keys, (std::array<std::uint32_t, 4>{4, 3, 2, 1}));
  sort_rows(*engine, {keys.data(), input.data(), 2}, {{}, {.n = 1, .rows = 2}});
  EXPECT_EQ(keys, (std::array<std::uint32_t, 4>{8, 3, 6, 1})) << "rows of one key are copied, gaps are not";
  EXPECT_EQ(device->launches + reads, 0);
}

TEST_F(SortEngineRowsTest, RefusesWhatCannotBeRows) {
  const auto engine = make(in_place_only);
  std::vector<std::uint64_t> memory(100);
  auto* bytes = reinterpret_cast<std::byte*>(memory.data());
  const Problem small{{.key = KeyType::u32}, {.n = 4, .rows = 3}};
  const auto refuses = [&](const RowsAt& rows, const Problem& of) {
    EXPECT_EQ(code_of([&] { sort_rows(*engine, rows, of); }), ErrorCode::usage);
  };
  refuses({bytes, nullptr, 3}, small);
  refuses({bytes, nullptr, 0}, small);
  refuses({nullptr, bytes, 4}, small);
  refuses({bytes, bytes + 2, 4}, small);
  refuses({bytes + 1, bytes, 4}, small);
  refuses({bytes, nullptr, std::uint64_t{1} << 61}, small);
  refuses({bytes, nullptr, ~std::uint64_t{0}}, small);
  refuses({bytes, nullptr, 4}, {{.key = KeyType::u32}, {.n = 4, .rows = std::uint64_t{1} << 62}});
  EXPECT_EQ(device->launches, 0);
}

TEST_F(SortEngineRowsTest, NewStridesAndInputsCostNothingNewNumbersNoKernel) {
  const auto engine = make(out_of_place_only);
  std::vector<std::uint32_t> keys(10000);
  std::vector<std::uint32_t> input(10000);
  sort_rows(*engine, {keys.data(), nullptr, 20}, problem);
  device->capturing = true;  // so that anything new is refused
  sort_rows(*engine, {keys.data(), nullptr, 33}, problem);
  sort_rows(*engine, {keys.data(), input.data(), 40}, problem);
  Problem more = problem;
  more.rows = 8;
  EXPECT_EQ(code_of([&] { sort_rows(*engine, {keys.data(), nullptr, 20}, more); }), ErrorCode::capture);
  device->capturing = false;
  for (more.rows = 8; more.rows < 100; ++more.rows) sort_rows(*engine, {keys.data(), nullptr, 20}, more);
  EXPECT_EQ(device->fake_compiler.compiles, 1);
  EXPECT_EQ(reads, 1);
}

TEST_F(SortEngineRowsTest, HostRowsLieOneBehindTheOther) {
  const auto engine = make(in_place_only);
  auto keys = random_keys(problem.rows * problem.n, 1);
  const auto expected = sorted(keys, problem, problem.n);
  static_cast<void>(engine->sort_host(keys.data(), problem));
  EXPECT_EQ(keys, expected);
}

TEST_F(SortEngineRowsTest, HostRowsHaveStridesOfTheirOwnAndGapsThatStay) {
  const auto engine = make(out_of_place_only);
  const Problem problem{{.key = KeyType::u32}, {.n = 3, .rows = 2}};
  const std::vector<std::uint32_t> given = {3, 1, 2, 90, 91, 6, 5, 4, 92, 93};
  std::vector<std::uint32_t> input = given;
  std::vector<std::uint32_t> output(8, 70);
  Operands operands;
  operands[Role::keys_in] = {input.data(), input.size(), 5};
  operands[Role::keys_out] = {output.data(), output.size(), 4};
  static_cast<void>(engine->run_host(problem, operands));
  EXPECT_EQ(output, (std::vector<std::uint32_t>{1, 2, 3, 70, 4, 5, 6, 70}));
  EXPECT_EQ(input, given);

  Operands same;
  same[Role::keys_out] = {input.data(), input.size(), 5};
  static_cast<void>(engine->run_host(problem, same));
  EXPECT_EQ(input, (std::vector<std::uint32_t>{1, 2, 3, 90, 91, 4, 5, 6, 92, 93}));
}

}  // namespace
}  // namespace engine_rows_test
}  // namespace bitune
