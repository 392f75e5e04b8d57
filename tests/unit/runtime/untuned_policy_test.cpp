// What sorts where nothing was tuned, for a grid of problems on several devices: as
// tests/data/untuned_variants.txt has it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/selection.hpp"
#include "runtime/untuned_policy.hpp"
#include "runtime/variant.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t one = 1;

DeviceInfo gpu(int major, int minor, int sms, std::int64_t shared_bytes, int threads_per_sm) {
  DeviceInfo device;
  device.name = fmt::format("sm_{}{}", major, minor);
  device.compute_major = major;
  device.compute_minor = minor;
  device.sm_count = sms;
  device.shared_bytes_per_block_optin = shared_bytes;
  device.shared_bytes_per_sm = shared_bytes + 1024;
  device.max_threads_per_sm = threads_per_sm;
  device.max_cluster_size = major >= 9 ? 8 : 1;
  return device;
}

std::vector<DeviceInfo> devices() {
  DeviceInfo emulated = gpu(9, 0, 4, 232448, 2048);
  emulated.kind = "emulated";
  emulated.name = "emulated";
  return {test::h200(), gpu(7, 5, 40, 65536, 1024), gpu(12, 0, 170, 101376, 1536), emulated};
}

std::vector<SortSpec> specs() {
  std::vector<SortSpec> all;
  for (const KeyType key : {KeyType::u8, KeyType::f16, KeyType::u32, KeyType::u64}) {
    all.push_back({.key = key});
    all.push_back({.operation = Operation::sort_pairs, .key = key, .value_bytes = 4});
    all.push_back({.operation = Operation::argsort, .key = key, .index_bytes = 4, .stable = true});
  }
  all.push_back({.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 16});
  all.push_back({.operation = Operation::top_k, .key = KeyType::u32, .k = 1});
  return all;
}

std::string untuned_variant(const Problem& problem, const DeviceInfo& device) {
  try {
    return default_selection(problem, device).configuration.variant;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unavailable) throw;
    return "none";
  }
}

/// "argsort u32, 64 rows, on sm_80: rows_by_place from 1, merge_by_place from 16385"
std::string line_of(const SortSpec& spec, std::uint64_t rows, const DeviceInfo& device) {
  std::string line = fmt::format("{} {}", name_of(spec.operation), name_of(spec.key));
  if (spec.value_bytes != 0) line += fmt::format(" + {} bytes", spec.value_bytes);
  line += fmt::format(", {} {}, on {}:", rows, rows == 1 ? "row" : "rows", device.name);
  std::string before;
  for (int k = 0; k <= 32; ++k) {
    for (const std::uint64_t n : {one << k, (one << k) + 1}) {
      const std::string variant = untuned_variant({spec, {.n = n, .rows = rows}}, device);
      if (variant == before) continue;
      line += fmt::format("{} {} from {}", before.empty() ? "" : ",", variant, n);
      before = variant;
    }
  }
  return line;
}

TEST(UntunedPolicy, TakesTheVariantsOfTheTable) {
  std::ifstream table(BITUNE_TEST_DATA "/untuned_variants.txt");
  ASSERT_TRUE(table);
  for (const DeviceInfo& device : devices()) {
    for (const SortSpec& spec : specs()) {
      for (const std::uint64_t rows : {1, 64, 4096}) {
        std::string expected;
        ASSERT_TRUE(std::getline(table, expected));
        EXPECT_EQ(line_of(spec, rows, device), expected);
      }
    }
  }
}

/// A variant is named by the policy, or the order of registration would show.
TEST(UntunedPolicy, DoesNotDependOnTheOrderOfRegistration) {
  const std::vector<const Variant*> backwards(variants().rbegin(), variants().rend());
  for (const SortSpec& spec : specs()) {
    for (const std::uint64_t n : {100, 5000, 1 << 20, 1 << 26}) {
      for (const std::uint64_t rows : {1, 4096}) {
        const Problem problem{spec, {.n = n, .rows = rows}};
        EXPECT_EQ(untuned_order(problem, test::h200(), variants()),
                  untuned_order(problem, test::h200(), backwards));
      }
    }
  }
}

}  // namespace
}  // namespace bitune
