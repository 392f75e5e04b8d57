#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bitune/error.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/device.hpp"

namespace bitune {
namespace {

TEST(Devices, AlwaysListTheEmulatedDeviceLast) {
  const DeviceReport report = find_devices();
  ASSERT_FALSE(report.devices.empty());
  EXPECT_EQ(report.devices.back().selector, "emulated");
  EXPECT_EQ(report.devices.back().info.kind, "emulated");
  for (std::size_t i = 0; i + 1 < report.devices.size(); ++i) {
    EXPECT_EQ(report.devices[i].selector, std::to_string(i));
    EXPECT_EQ(report.devices[i].info.kind, "cuda");
    EXPECT_TRUE(report.devices[i].software.uuid.starts_with("GPU-"));
  }
}

TEST(Devices, SayWhatIsMissing) {
  const DeviceReport report = find_devices();
  std::string why;
  const bool has_driver = cuda::driver_if_present(&why) != nullptr;
  EXPECT_EQ(report.driver_library.empty(), !has_driver);
  EXPECT_EQ(report.driver_version.empty(), !has_driver);
  const auto listed = std::count(report.problems.begin(), report.problems.end(), why);
  EXPECT_EQ(listed, has_driver ? 0 : 1);
  EXPECT_EQ(report.nvrtc_library.empty(), report.nvrtc_version.empty());
  const auto about_nvrtc =
      std::count_if(report.problems.begin(), report.problems.end(),
                    [](const std::string& problem) { return problem.find("NVRTC") != std::string::npos; });
  EXPECT_EQ(report.nvrtc_library.empty(), about_nvrtc > 0);
}

TEST(Devices, OpenTheEmulatedDeviceByName) {
  std::string reason = "unset";
  const auto device = open_device("emulated", &reason);
  EXPECT_EQ(device->info().kind, "emulated");
  EXPECT_EQ(reason, "");
  EXPECT_FALSE(device->is_lost());
}

TEST(Devices, OpenAnythingAutomaticallyAndSayWhy) {
  std::string reason;
  const auto device = open_device("auto", &reason);
  EXPECT_NE(reason.find("was taken"), std::string::npos) << reason;
  EXPECT_EQ(device->info().kind == "emulated", reason.find("there is no GPU") != std::string::npos) << reason;
}

TEST(Devices, RefuseWhatIsNotThere) {
  try {
    (void)open_device("4711");
    FAIL() << "GPU 4711 was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_NE(std::string(error.what()).find("'emulated'"), std::string::npos);
  }
}

TEST(DevicesDeathTest, NameTheVariableThatNamesNoNvrtc) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("BITUNE_NVRTC", "/no/such/libnvrtc.so.13", 1);
        const DeviceReport report = find_devices();
        for (const std::string& problem : report.problems) std::fputs(problem.c_str(), stderr);
        std::exit(report.nvrtc_library.empty() ? 3 : 4);
      },
      testing::ExitedWithCode(3), "BITUNE_NVRTC names no usable NVRTC.*/no/such/libnvrtc.so.13");
}

TEST(DevicesDeathTest, RefuseALibraryThatIsNoNvrtc) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("BITUNE_NVRTC", "libm.so.6", 1);
        try {
          (void)cuda::nvrtc_info();
        } catch (const Error& error) {
          std::fputs(error.what(), stderr);
          std::exit(3);
        }
        std::exit(4);
      },
      testing::ExitedWithCode(3), "is no NVRTC that bitune can use: it has no nvrtcAddNameExpression");
}

}  // namespace
}  // namespace bitune
