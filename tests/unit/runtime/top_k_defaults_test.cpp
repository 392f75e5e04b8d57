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
namespace top_k_defaults_test {
namespace {

constexpr std::uint64_t one = 1;

Problem first_keys(KeyType key, std::uint64_t k, const Shape& shape) {
  return {{.operation = Operation::top_k, .key = key, .index_bytes = 4, .order = Order::descending, .k = k},
          shape};
}

struct Case {
  std::string_view variant;
  std::uint64_t k;
  Shape shape;
};

TEST(TopKDefaults, AreThereForEveryKeyTypeAndAnyK) {
  for (const KeyType key : all_key_types) {
    for (const std::uint64_t n : {one, one << 7, one << 12, one << 17, one << 24}) {
      for (const std::uint64_t k : {one, n / 64, n / 2, n}) {
        for (const std::uint64_t rows : {1, 64}) {
          const Problem problem = first_keys(key, std::max(one, k), {.n = n, .rows = rows});
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
  const Problem of_many = first_keys(KeyType::f64, 64, {.n = 16384, .rows = 1024});
  EXPECT_TRUE(variant("persistent_rows").supports(of_many, test::h200()));
  for (const Case& of :
       {Case{"rows_topk", 100, {.n = 300, .rows = 1000}}, Case{"cluster_topk", 8000, {.n = 16384}},
        Case{"merge_topk", one << 19, {.n = one << 20}}, Case{"lane_lists", 8, {.n = 128, .rows = 65536}},
        Case{"lane_lists", 16, {.n = 1024, .rows = 16}}, Case{"select_rows", 32, {.n = 1024, .rows = 65536}},
        Case{"select_cluster", 100, {.n = one << 16}}, Case{"select_cluster", 64, {.n = 32768, .rows = 64}},
        Case{"bin_rows", 1000, {.n = one << 17, .rows = 256}}, Case{"bucket_rows", 10000, {.n = one << 20}},
        Case{"bucket_rows", 2048, {.n = one << 17}}, Case{"bucket_rows", 8192, {.n = one << 17, .rows = 256}},
        Case{"bucket_rows", one << 15, {.n = one << 17, .rows = 256}},
        Case{"copied_rows", 64, {.n = 4096, .rows = 16384}},
        Case{"digit_rows", 1024, {.n = 4096, .rows = 4096}}, Case{"array_parts", 100, {.n = one << 32}},
        Case{"filter_array", 100000, {.n = one << 24}}, Case{"select_array", 100, {.n = one << 20}},
        Case{"select_array", 100, {.n = one << 22}}}) {
    for (const KeyType key : all_key_types) {
      const Variant& family = variant(of.variant);
      const Problem problem = first_keys(key, of.k, of.shape);
      EXPECT_TRUE(family.supports(problem, test::h200()))
          << of.variant << ", " << text_of(problem) << ": "
          << family.space(problem, test::h200())
                 .violation(family.default_configuration(problem, test::h200()), problem, test::h200())
                 .value_or("no such problems");
    }
  }
}

/// What was fastest of f32 keys on an H100, or an H200 (docs/kernels-top-k.md): by how much is wanted of
/// rows, short and long, few and many.
TEST(TopKDefaults, AreWhatWasFastest) {
  for (const Case& of : {Case{"lane_lists", 8, {.n = 64, .rows = 4096}},
                         Case{"lane_lists", 8, {.n = 256, .rows = 64}},
                         Case{"lane_lists", 1, {.n = 32, .rows = 65536}},
                         Case{"select_rows", 8, {.n = 256, .rows = 65536}},
                         Case{"rows_topk", 64, {.n = 64, .rows = 16}},
                         Case{"rows_topk", 128, {.n = 512, .rows = 256}},
                         Case{"select_rows", 128, {.n = 512, .rows = 4096}},
                         Case{"digit_rows", 512, {.n = 1024, .rows = 4096}},
                         Case{"rows_topk", 1024, {.n = 1024, .rows = 4096}},
                         Case{"cluster_topk", 2048, {.n = 2048}},
                         Case{"bin_rows", 512, {.n = 4096, .rows = 16}},
                         Case{"select_rows", 512, {.n = 4096, .rows = 4096}},
                         Case{"digit_rows", 2048, {.n = 4096, .rows = 4096}},
                         Case{"bin_rows", 1024, {.n = 4096, .rows = 256}},
                         Case{"digit_rows", 4096, {.n = 16384, .rows = 256}},
                         Case{"digit_rows", 8192, {.n = one << 15, .rows = 1024}},
                         Case{"select_rows", 256, {.n = 8192, .rows = 4096}},
                         Case{"minima_rows", 256, {.n = 16384, .rows = 2048}},
                         Case{"digit_rows", 4096, {.n = 16384, .rows = 2048}},
                         Case{"cluster_topk", 1024, {.n = 16384}},
                         Case{"select_cluster", 64, {.n = one << 15}},
                         Case{"select_cluster", 64, {.n = one << 15, .rows = 64}},
                         Case{"persistent_rows", 64, {.n = one << 15, .rows = 4096}},
                         Case{"persistent_rows", 8, {.n = 16384, .rows = 1024}},
                         Case{"select_rows", 64, {.n = 8192, .rows = 4096}},
                         Case{"minima_rows", 64, {.n = 20000, .rows = 4096}},
                         Case{"minima_rows", 128, {.n = one << 15, .rows = 1024}},
                         Case{"minima_rows", 2048, {.n = one << 17, .rows = 256}},
                         Case{"bin_cluster", 2048, {.n = one << 17}},
                         Case{"bin_cluster", 1024, {.n = one << 15, .rows = 64}},
                         Case{"bin_cluster", 2048, {.n = one << 17, .rows = 16}},
                         Case{"bucket_rows", 8192, {.n = one << 17}},
                         Case{"bucket_rows", 8192, {.n = one << 17, .rows = 256}},
                         Case{"bucket_rows", one << 18, {.n = one << 20}},
                         Case{"bucket_rows", one << 18, {.n = one << 20, .rows = 64}},
                         Case{"select_array", 100, {.n = one << 20}},
                         Case{"merge_topk", one << 20, {.n = one << 20}},
                         Case{"filter_array", 100000, {.n = one << 28}}}) {
    const Problem problem = first_keys(KeyType::f32, of.k, of.shape);
    EXPECT_EQ(default_selection(problem, test::h200()).configuration.variant, of.variant) << text_of(problem);
  }
}

}  // namespace
}  // namespace top_k_defaults_test
}  // namespace bitune
