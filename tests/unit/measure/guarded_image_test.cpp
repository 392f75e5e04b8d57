#include "measure/guarded_image.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bitune {
namespace {

constexpr Problem rows_of_u16{{.key = KeyType::u16}, {.n = 10, .rows = 4}};

/// Four rows of ten keys, three keys apart, with key i of all rows i.
GuardedImage image_of_rows() {
  std::vector<std::uint16_t> keys(40);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint16_t>(i);
  return {GuardedLayout(rows_of_u16, 13), std::as_bytes(std::span(keys))};
}

/// The byte of an element of the array.
std::byte& byte_at(GuardedImage& image, std::uint64_t element) {
  return image.bytes()[GuardedLayout::guard_bytes + element * image.layout().element_bytes];
}

std::string stray_write(const GuardedImage& image) {
  return find_stray_write(image.bytes(), image.layout()).value_or("none");
}

TEST(GuardedImage, HoldsRowsWithGuardsAroundThem) {
  const GuardedImage image = image_of_rows();
  EXPECT_EQ(image.bytes().size(), 2 * GuardedLayout::guard_bytes + (3 * 13 + 10) * 2);
  const auto* const keys = static_cast<const std::uint16_t*>(image.operand().data);
  EXPECT_EQ(image.operand().elements, 3u * 13 + 10);
  EXPECT_EQ(image.operand().stride, 13u);
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(keys[row * 13], row * 10);
    EXPECT_EQ(keys[row * 13 + 9], row * 10 + 9);
    if (row < 3) {
      EXPECT_EQ(keys[row * 13 + 10], 0xA5A5);
    }
  }
  EXPECT_EQ(stray_write(image), "none");
}

TEST(GuardedImage, TellsEveryByteThatWasTouched) {
  const GuardedImage right = image_of_rows();
  const auto* const begin = right.bytes().data();
  for (std::size_t i = 0; i < right.bytes().size(); ++i) {
    GuardedImage image = right;
    image.bytes()[i] ^= std::byte{0x80};
    const auto place =
        static_cast<std::ptrdiff_t>(i) - (static_cast<const std::byte*>(right.operand().data) - begin);
    const bool is_key = place >= 0 && place < 98 && place / 2 % 13 < 10;
    EXPECT_EQ(stray_write(image) == "none", is_key) << i;
  }
}

TEST(GuardedImage, SaysWhereItWasTouched) {
  GuardedImage gap = image_of_rows();
  byte_at(gap, 13 + 12) = std::byte{0};
  EXPECT_EQ(stray_write(gap), "wrote between rows, behind row 1");
  GuardedImage before = image_of_rows();
  before.bytes().front() = std::byte{0};
  EXPECT_EQ(stray_write(before), "wrote outside the array, before it");
  GuardedImage behind = image_of_rows();
  behind.bytes().back() = std::byte{0};
  EXPECT_EQ(stray_write(behind), "wrote outside the array, behind it");
}

TEST(GuardedImage, GuardsWhatLiesBetweenSegments) {
  const auto numbers = [](std::vector<std::uint64_t> values) {
    return std::make_shared<const std::vector<std::uint64_t>>(std::move(values));
  };
  GuardedLayout layout(4, {.rows = 3, .begins = numbers({2, 5, 5}), .lengths = numbers({1, 0, 3})});
  layout.elements = 10;  // two behind the last segment
  const std::vector<std::byte> keys(16);
  const GuardedImage right(layout, keys);
  EXPECT_EQ(stray_write(right), "none");
  const std::vector<std::pair<std::uint64_t, std::string>> faults = {
      {1, "wrote before segment 0"},
      {3, "wrote between segments, behind segment 0"},
      {4, "wrote between segments, behind segment 0"},
      {8, "wrote between segments, behind segment 2"},
      {2, "none"},
      {5, "none"},
      {7, "none"}};
  for (const auto& [element, sentence] : faults) {
    GuardedImage image = right;
    byte_at(image, element) = std::byte{0x5A};
    EXPECT_EQ(stray_write(image), sentence) << element;
  }
}

TEST(GuardedImage, OfNoKeysIsGuardsOnly) {
  const GuardedImage empty(GuardedLayout(Problem{{}, {.n = 0}}));
  EXPECT_EQ(empty.bytes().size(), 2 * GuardedLayout::guard_bytes);
  EXPECT_EQ(stray_write(empty), "none");
  EXPECT_EQ(stray_write(GuardedImage(GuardedLayout(Problem{{}, {.n = 3, .rows = 0}}))), "none");
}

TEST(GuardedImage, IsCheckedByTheOracle) {
  const GuardedImage input = image_of_rows();
  GuardedImage result = input;
  EXPECT_EQ(find_fault_of_keys(rows_of_u16, input, result), std::nullopt);
  byte_at(result, 2 * 13 + 9) = std::byte{0};
  EXPECT_EQ(find_fault_of_keys(rows_of_u16, input, result),
            "row 2, place 9: key 0x0000 where 0x001d belongs");
  byte_at(result, 10) = std::byte{0};
  EXPECT_EQ(find_fault_of_keys(rows_of_u16, input, result), "wrote between rows, behind row 0");
}

}  // namespace
}  // namespace bitune
