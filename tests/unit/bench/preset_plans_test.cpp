#include "bench/preset_plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "bitune/error.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

/// Limits that an A100 and all later GPUs for servers have.
DeviceInfo large_gpu() {
  DeviceInfo device;
  device.name = "a GPU";
  device.sm_count = 108;
  device.shared_bytes_per_block_optin = 166912;
  device.shared_bytes_per_sm = 167936;
  return device;
}

Problem problem_of(std::uint64_t n, KeyType key = KeyType::i32) { return {{.key = key}, {.n = n}}; }

Plan plan_of(const char* name, std::uint64_t n) {
  const Configuration& configuration = preset(name).configuration;
  return variant(configuration.variant).plan(problem_of(n), configuration, large_gpu());
}

TEST(Presets, AreAllThereOnceAndSayWhatTheyAre) {
  std::set<std::string_view> names;
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_FALSE(preset.description.empty()) << preset.name;
    EXPECT_FALSE(preset.source.empty()) << preset.name;
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"v0", "v0-half", "v0-mirror", "v1", "v2", "v3", "hybrid-16k",
                                               "local", "nd-128", "nd-256"}));
}

TEST(Presets, ArePointsOfTheirVariantsSpaces) {
  for (const Preset& preset : presets()) {
    const std::uint64_t n = preset.most_keys == 0 ? std::uint64_t{1} << 29 : preset.most_keys;
    for (const KeyType key : {KeyType::u8, KeyType::i32, KeyType::f64}) {
      EXPECT_EQ(refusal(preset, problem_of(n, key), large_gpu()), std::nullopt) << preset.name;
    }
  }
}

TEST(Presets, RefuseWithASentence) {
  const auto too_long = refusal(preset("local"), problem_of(8193), large_gpu());
  ASSERT_TRUE(too_long.has_value());
  EXPECT_NE(too_long->find("at most 8192 keys"), std::string::npos) << *too_long;

  DeviceInfo small = large_gpu();
  small.shared_bytes_per_block_optin = 49152;
  const auto too_large = refusal(preset("hybrid-16k"), problem_of(1 << 20), small);
  ASSERT_TRUE(too_large.has_value());
  EXPECT_NE(too_large->find("shared memory"), std::string::npos) << *too_large;

  Problem pairs = problem_of(1000);
  pairs.value_bytes = 4;
  EXPECT_TRUE(refusal(preset("v0"), pairs, large_gpu()).has_value());
}

TEST(Presets, AnUnknownNameListsTheKnownOnes) {
  try {
    static_cast<void>(preset("v9"));
    FAIL() << "there is no v9";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find("hybrid-16k"), std::string::npos);
  }
}

TEST(Presets, HaveTheThreadsThatTheirPublicationsGive) {
  const std::uint64_t n = 1 << 20;
  const auto threads = [](const Launch& launch) { return std::uint64_t{launch.grid[0]} * launch.block[0]; };
  for (const char* name : {"v0", "nd-128", "nd-256"}) {
    for (const Launch& launch : plan_of(name, n).launches) EXPECT_EQ(threads(launch), n) << name;
  }
  for (const char* name : {"v0-half", "v0-mirror", "v3"}) {
    for (const Launch& launch : plan_of(name, n).launches) EXPECT_EQ(threads(launch), n / 2) << name;
  }
  for (const Launch& launch : plan_of("hybrid-16k", 1 << 24).launches) {
    EXPECT_EQ(launch.block[0], 1024u);
    EXPECT_TRUE(launch.shared_bytes == 0 || launch.shared_bytes == 65536) << launch.shared_bytes;
  }
}

TEST(Presets, LaunchEachStepOnceUntilATileTakesThem) {
  for (const char* name : {"v0", "v0-half", "v0-mirror", "nd-128", "nd-256"}) {
    EXPECT_EQ(plan_of(name, 1 << 20).launches.size(), 210u) << name;  // 20 * 21 / 2
  }
  // Above tiles of 2^11 keys: the tiles' sort, then for stage 12 ... 20 its steps above the tile and one
  // launch for the rest.
  for (const char* name : {"v1", "v2", "v3"})
    EXPECT_EQ(plan_of(name, 1 << 20).launches.size(), 1u + 45u + 9u) << name;
  EXPECT_EQ(plan_of("hybrid-16k", 1 << 20).launches.size(), 1u + 21u + 6u);
  EXPECT_EQ(plan_of("local", 8192).launches.size(), 1u);
}

TEST(Presets, ASearchDoesNotTakeTheirVariantUnasked) {
  EXPECT_FALSE(variant("classic").searched());
  EXPECT_TRUE(std::all_of(variants().begin(), variants().end(), [](const Variant* family) {
    return family->searched() || family->name() == "classic";
  }));
}

}  // namespace
}  // namespace bitune
