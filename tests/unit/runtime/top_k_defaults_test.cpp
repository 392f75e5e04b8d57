// What gives the first keys where nothing was tuned: there is something for every key type, and its default
// configuration has a plan.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t unit = 1;

Problem first_keys(KeyType key, std::uint64_t k, const Shape& shape) {
  return {{.operation = Operation::top_k, .key = key, .index_bytes = 4, .order = Order::descending, .k = k},
          shape};
}

TEST(TopKDefaults, AreThereForEveryKeyTypeAndAnyK) {
  for (const KeyType key : all_key_types) {
    for (const std::uint64_t n : {unit, unit << 7, unit << 12, unit << 17, unit << 24}) {
      for (const std::uint64_t k : {unit, n / 64, n / 2, n}) {
        for (const std::uint64_t rows : {1, 64}) {
          const Problem problem = first_keys(key, std::max(unit, k), {.n = n, .rows = rows});
          const Configuration c = default_selection(problem, test::h200()).configuration;
          const Variant& family = variant(c.variant);
          EXPECT_EQ(family.space(problem, test::h200()).violation(c, problem, test::h200()), std::nullopt)
              << c.text();
          EXPECT_FALSE(family.plan(problem, c, test::h200()).launches.empty()) << c.text();
        }
      }
    }
  }
}

/// What each variant is for, it can do with every key type.
TEST(TopKDefaults, AreThereForWhatAVariantIsFor) {
  struct Case {
    std::string_view variant;
    std::uint64_t k;
    Shape shape;
  };
  for (const Case& of :
       {Case{"rows_topk", 100, {.n = 300, .rows = 1000}}, Case{"cluster_topk", 8000, {.n = 16384}},
        Case{"merge_topk", unit << 19, {.n = unit << 20}},
        Case{"select_rows", 32, {.n = 1024, .rows = 65536}}, Case{"select_cluster", 100, {.n = unit << 16}},
        Case{"select_cluster", 64, {.n = 32768, .rows = 64}},
        Case{"filter_rows", 2048, {.n = unit << 17, .rows = 256}},
        Case{"filter_array", 100000, {.n = unit << 24}}, Case{"select_array", 100, {.n = unit << 20}},
        Case{"select_array", 100, {.n = unit << 26}}}) {
    for (const KeyType key : all_key_types) {
      EXPECT_TRUE(variant(of.variant).supports(first_keys(key, of.k, of.shape), test::h200()))
          << of.variant << ", " << name_of(key);
    }
  }
}

}  // namespace
}  // namespace bitune
