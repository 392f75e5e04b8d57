#include "measure/mismatch.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace bitune {
namespace {

struct Images {
  Images(const Problem& problem, std::uint64_t stride)
      : layout(problem, stride), expected(layout.bytes(), std::byte{0xA5}), actual(expected) {}
  std::byte& key(std::uint64_t i) { return actual[ImageLayout::guard_bytes + i * layout.key_size]; }
  [[nodiscard]] std::string describe() const { return describe_mismatch(actual, expected, layout); }

  ImageLayout layout;
  std::vector<std::byte> expected;
  std::vector<std::byte> actual;
};

constexpr Problem array{{.key = KeyType::u32}, {.n = 30}};
constexpr Problem rows{{.key = KeyType::u16}, {.n = 10, .rows = 4}};

TEST(Mismatch, TellsHowManyKeysAndWhereTheFirst) {
  Images images(array, 30);
  images.key(7) = images.key(29) = std::byte{0};
  EXPECT_EQ(images.describe(), "2 of 30 keys differ from the reference, the first at index 7");
}

TEST(Mismatch, TellsRowAndPlace) {
  Images images(rows, 13);
  images.key(2 * 13 + 9) = std::byte{0};
  EXPECT_EQ(images.describe(), "1 of 40 keys differ from the reference, the first in row 2 at 9");
}

TEST(Mismatch, TellsWritesOutside) {
  Images gap(rows, 13);
  gap.key(13 + 10) = std::byte{0};
  EXPECT_EQ(gap.describe(), "wrote between rows, behind row 1");
  Images behind(rows, 13);
  behind.key(3 * 13 + 10) = std::byte{0};
  EXPECT_EQ(behind.describe(), "wrote outside the array, behind it");
  Images before(rows, 10);
  before.actual[0] = std::byte{0};
  EXPECT_EQ(before.describe(), "wrote outside the array, before it");
}

TEST(Mismatch, ThatIsGoneWasARace) {
  EXPECT_NE(Images(rows, 10).describe().find("a race"), std::string::npos);
}

}  // namespace
}  // namespace bitune
