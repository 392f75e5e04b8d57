#include "tests/support/row_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::test {
namespace {

constexpr std::byte guard_byte{0xA5};
constexpr std::uint64_t guard_keys = 16;

/// Memory with rows in it, and guard bytes everywhere else.
struct Image {
  const RowCase& one;
  std::size_t key_size = size_of(one.problem.key);
  std::uint64_t stride = one.problem.n + one.gap;
  std::vector<std::byte> bytes = std::vector<std::byte>(
      (2 * guard_keys + one.offset_keys + stride * one.problem.rows) * key_size, guard_byte);

  [[nodiscard]] std::size_t first() const { return (guard_keys + one.offset_keys) * key_size; }
  void put(const std::vector<std::byte>& rows) {
    const std::size_t row_bytes = one.problem.n * key_size;
    for (std::uint64_t row = 0; row < one.problem.rows && row_bytes > 0; ++row) {
      std::memcpy(bytes.data() + first() + row * stride * key_size, rows.data() + row * row_bytes, row_bytes);
    }
  }
};

std::unique_ptr<DeviceBuffer> upload(const Device& device, const std::vector<std::byte>& bytes) {
  auto buffer = device.allocate(bytes.size());
  device.copy_to_device(buffer->data(), bytes.data(), bytes.size(), nullptr);
  return buffer;
}

std::string difference(const Device& device, const DeviceBuffer& actual, const Image& expected) {
  std::vector<std::byte> bytes(expected.bytes.size());
  device.copy_to_host(bytes.data(), actual.data(), bytes.size(), nullptr);
  device.synchronize(nullptr);
  const auto wrong = std::mismatch(bytes.begin(), bytes.end(), expected.bytes.begin()).first;
  if (wrong == bytes.end()) return {};
  const auto at = static_cast<std::size_t>(wrong - bytes.begin());
  if (at < expected.first()) return "something before the rows was written";
  const std::uint64_t key = (at - expected.first()) / expected.key_size;
  return fmt::format("row {}, place {} is wrong", key / expected.stride, key % expected.stride);
}

}  // namespace

::testing::AssertionResult sorts_rows(const Device& device, Sorter& sorter, const RowCase& one) {
  const Problem& problem = one.problem;
  std::vector<std::byte> rows = make_keys(problem.key, problem.n * problem.rows, one.distribution, 11);
  Image input{one};
  input.put(rows);
  const auto from = upload(device, input.bytes);
  const auto separate = one.out_of_place ? upload(device, Image{one}.bytes) : nullptr;
  const DeviceBuffer& to = one.out_of_place ? *separate : *from;
  const auto keys_of = [&](const DeviceBuffer& buffer) {
    return Operand{static_cast<std::byte*>(buffer.data()) + input.first(), problem.rows * input.stride,
                   input.stride};
  };
  Operands operands;
  operands[Role::keys_out] = keys_of(to);
  if (one.out_of_place) operands[Role::keys_in] = keys_of(*from);
  sorter.run(problem, operands);

  reference_sort_rows(rows, problem);
  Image expected{one};
  expected.put(rows);
  std::string wrong = difference(device, to, expected);
  if (wrong.empty() && one.out_of_place) {
    wrong = difference(device, *from, input);
    if (!wrong.empty()) wrong = "the input was changed: " + wrong;
  }
  if (wrong.empty()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << text_of(problem) << " gap " << one.gap << " offset " << one.offset_keys
         << (one.out_of_place ? " out of place: " : " in place: ") << wrong << "; "
         << sorter.explain(problem).configuration;
}

}  // namespace bitune::test
