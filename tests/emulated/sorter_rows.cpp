// Rows through the public Sorter on the emulated device.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bitune/bitune.hpp"
#include "bitune/error.hpp"
#include "measure/inputs.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "tests/support/row_check.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;
using test::sorts_rows;

class SorterRowsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    root = fs::temp_directory_path() / ("bitune-sorter-rows-" + std::to_string(::getpid()));
    fs::create_directories(root);
    ::setenv("BITUNE_SHIPPED_DB", "", 1);
  }
  static void TearDownTestSuite() {
    fs::remove_all(root);
    ::unsetenv("BITUNE_SHIPPED_DB");
  }

  static fs::path root;
  std::shared_ptr<Device> device = open_device("emulated");
  Sorter sorter{{.device = "emulated",
                 .database = (root / "none.db").string(),
                 .kernel_cache = (root / "cache").string()}};
};

fs::path SorterRowsTest::root;

Problem rows_of(KeyType key, std::uint64_t rows, std::uint64_t n, Order order = Order::ascending) {
  return {{.key = key, .order = order}, {.n = n, .rows = rows}};
}

TEST_F(SorterRowsTest, AnyLengthNumberAndStride) {
  for (const std::uint64_t n : {0, 1, 2, 3, 31, 33, 64, 100, 257, 1025, 5000}) {
    const std::vector<std::uint64_t> counts =
        n <= 33 ? std::vector<std::uint64_t>{0, 1, 3, 1000} : std::vector<std::uint64_t>{1, 3};
    for (const std::uint64_t rows : counts) {
      for (const bool out_of_place : {false, true}) {
        const Problem problem = rows_of(KeyType::u32, rows, n);
        EXPECT_TRUE(sorts_rows(*device, sorter, {.problem = problem, .out_of_place = out_of_place}));
        EXPECT_TRUE(
            sorts_rows(*device, sorter, {.problem = problem, .gap = 3, .out_of_place = out_of_place}));
      }
    }
  }
}

TEST_F(SorterRowsTest, AllTypesInBothOrders) {
  bool descending = false;
  for (const KeyType key : all_key_types) {
    for (const std::uint64_t n : {20, 100}) {
      descending = !descending;
      const Order order = descending ? Order::descending : Order::ascending;
      EXPECT_TRUE(sorts_rows(*device, sorter,
                             {.problem = rows_of(key, 5, n, order),
                              .gap = 1,
                              .out_of_place = n == 20,
                              .distribution = Distribution::special,
                              .offset_keys = 1}));
    }
    descending = !descending;
  }
}

TEST_F(SorterRowsTest, RowsBetweenTheRowsOfTheInput) {
  constexpr std::uint64_t rows = 9;
  constexpr std::uint64_t n = 40;
  const auto keys = make_keys(KeyType::u16, rows * 2 * n, Distribution::random, 3);
  const auto buffer = device->allocate(keys.size());
  device->copy_to_device(buffer->data(), keys.data(), keys.size(), nullptr);
  auto* first = static_cast<std::uint16_t*>(buffer->data());
  Operands operands;
  operands[Role::keys_in] = {first, rows * 2 * n, 2 * n};
  operands[Role::keys_out] = {first + n, rows * 2 * n - n, 2 * n};
  sorter.run(rows_of(KeyType::u16, rows, n), operands);
  std::vector<std::byte> expected = keys;
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::byte* from = expected.data() + row * 4 * n;
    std::copy(from, from + 2 * n, from + 2 * n);
    reference_sort_rows({from + 2 * n, 2 * n}, rows_of(KeyType::u16, 1, n));
  }
  std::vector<std::byte> result(keys.size());
  device->copy_to_host(result.data(), buffer->data(), result.size(), nullptr);
  EXPECT_EQ(result, expected);
}

TEST_F(SorterRowsTest, HostRows) {
  const Problem problem = rows_of(KeyType::f32, 37, 50, Order::descending);
  auto keys = make_keys(problem.key, problem.n * problem.rows, Distribution::special, 5);
  auto expected = keys;
  reference_sort_rows(expected, problem);
  const HostSortTimes times =
      sorter.sort_rows_host(keys.data(), problem.rows, problem.n, problem.key, problem.order);
  EXPECT_EQ(keys, expected);
  EXPECT_GT(times.kernels_us, 0);
  EXPECT_EQ(sorter.sort_rows_host(nullptr, 0, 50, KeyType::f32).total_us, 0);
  EXPECT_EQ(sorter.sort_rows_host(nullptr, 50, 0, KeyType::f32).total_us, 0);
  EXPECT_THROW(sorter.sort_rows_host(nullptr, 2, 50, KeyType::f32), Error);
}

TEST_F(SorterRowsTest, ExplainsRows) {
  const Explanation how = sorter.explain(rows_of(KeyType::u32, 1000, 100));
  EXPECT_EQ(how.launches.size(), 1u) << "short rows are sorted in one launch";
  EXPECT_EQ(sorter.workspace_size(rows_of(KeyType::u32, 1000, 100)), 0u);
}

}  // namespace
}  // namespace bitune
