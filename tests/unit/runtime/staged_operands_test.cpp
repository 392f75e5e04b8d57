#include "runtime/staged_operands.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/fake_device.hpp"

namespace bitune {
namespace {

using Bytes = std::vector<std::uint8_t>;

Operand rows_of(Bytes& bytes, std::uint64_t stride) { return {bytes.data(), bytes.size(), stride}; }

TEST(StagedOperands, NamesTheInputsOfASortInPlace) {
  const fake::Device device;
  Bytes keys(4);
  Operands given;
  given[Role::keys_out] = rows_of(keys, 2);
  const StagedOperands staged(device, {}, given, nullptr);
  EXPECT_EQ(staged.operands()[Role::keys_in].data, keys.data());
  EXPECT_EQ(staged.operands()[Role::values_in].data, nullptr);
  staged.write_back();
  EXPECT_EQ(device.row_copies, 0);
}

TEST(StagedOperands, PacksRowsAndCopiesBackWhatIsWritten) {
  const fake::Device device;
  Plan plan;
  plan.packed = {{Role::keys_in, 2, 2, 1}, {Role::keys_out, 2, 2, 1}};
  Bytes in = {1, 2, 99, 3, 4};
  Bytes out = {0, 0, 98, 97, 0, 0};
  Operands given;
  given[Role::keys_in] = rows_of(in, 3);
  given[Role::keys_out] = rows_of(out, 4);
  const StagedOperands staged(device, plan, given, nullptr);
  const Operand& packed = staged.operands()[Role::keys_in];
  ASSERT_EQ(packed.stride, 2);
  const auto* const keys = static_cast<const std::uint8_t*>(packed.data);
  EXPECT_EQ(Bytes(keys, keys + 4), (Bytes{1, 2, 3, 4}));
  auto* const written = static_cast<std::uint8_t*>(staged.operands()[Role::keys_out].data);
  for (std::uint8_t i = 0; i < 4; ++i) written[i] = static_cast<std::uint8_t>(10 + i);
  staged.write_back();
  EXPECT_EQ(out, (Bytes{10, 11, 98, 97, 12, 13}));
  EXPECT_EQ(in, (Bytes{1, 2, 99, 3, 4}));
}

TEST(StagedOperands, LeavesPackedRowsWhereTheyAre) {
  const fake::Device device;
  Plan plan;
  plan.packed = {{Role::keys_in, 2, 2, 1}, {Role::keys_out, 2, 2, 1}};
  Bytes keys(4);
  Operands given;
  given[Role::keys_out] = rows_of(keys, 2);
  const StagedOperands staged(device, plan, given, nullptr);
  EXPECT_EQ(staged.operands()[Role::keys_in].data, keys.data());
  EXPECT_EQ(staged.operands()[Role::keys_out].data, keys.data());
  staged.write_back();
  EXPECT_EQ(device.row_copies, 0);
}

}  // namespace
}  // namespace bitune
