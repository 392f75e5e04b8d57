#include "tuner/resources.hpp"

#include <gtest/gtest.h>

namespace bitune {
namespace {

Plan one_kernel(std::uint32_t threads, std::uint32_t shared_bytes) {
  Plan plan;
  plan.kernels = {{"kernels/a.cuh", "bitune::a<1>"}};
  plan.launches = {{.kernel = 0, .block = {threads, 1, 1}, .shared_bytes = shared_bytes, .arguments = {}}};
  return plan;
}

ResourceCheck check(std::uint32_t threads, std::uint32_t shared_bytes, const KernelResources& resources) {
  DeviceInfo device;
  device.shared_bytes_per_block_optin = 100000;
  return check_resources(one_kernel(threads, shared_bytes), {resources}, device);
}

TEST(Resources, WhatFitsIsReported) {
  const auto result = check(256, 1000, {.registers = 40, .static_shared_bytes = 24});
  EXPECT_EQ(result.status, TrialStatus::ok);
  EXPECT_TRUE(result.message.empty());
  EXPECT_EQ(result.registers, 40);
  EXPECT_EQ(result.shared_bytes, 1024);
}

TEST(Resources, SpillsAreNotLaunched) {
  const auto result = check(256, 0, {.registers = 255, .local_bytes = 16});
  EXPECT_EQ(result.status, TrialStatus::spilled);
  EXPECT_NE(result.message.find("kernel 'a' keeps"), std::string::npos);
  EXPECT_EQ(result.local_bytes, 16);
}

TEST(Resources, LimitsOfThreadsRegistersAndSharedMemory) {
  EXPECT_EQ(check(512, 0, {.max_threads_per_block = 256}).status, TrialStatus::over_limit);
  EXPECT_EQ(check(2048, 0, {.max_threads_per_block = 4096}).status, TrialStatus::over_limit);
  // 65 registers are allotted as 72: 1024 threads of them exceed 65536, although 64 do not.
  EXPECT_EQ(check(1024, 0, {.registers = 64}).status, TrialStatus::ok);
  EXPECT_EQ(check(1024, 0, {.registers = 65}).status, TrialStatus::over_limit);
  EXPECT_EQ(check(32, 100000, {}).status, TrialStatus::ok);
  EXPECT_EQ(check(32, 100000, {.static_shared_bytes = 1}).status, TrialStatus::over_limit);
}

TEST(Resources, TheMostOverAllKernelsIsReported) {
  Plan plan = one_kernel(32, 10);
  plan.kernels.push_back({"kernels/b.cuh", "bitune::b<1>"});
  plan.launches.push_back({.kernel = 1, .block = {32, 1, 1}, .shared_bytes = 20, .arguments = {}});
  const auto result =
      check_resources(plan, {{.registers = 90}, {.registers = 20, .static_shared_bytes = 5}}, DeviceInfo{});
  EXPECT_EQ(result.registers, 90);
  EXPECT_EQ(result.shared_bytes, 25);
}

}  // namespace
}  // namespace bitune
