#include <gtest/gtest.h>

#include "bitune/error.hpp"
#include "runtime/device_choice.hpp"

namespace bitune {
namespace {

const DeviceInventory two_gpus{
    {"GPU-5a000000-0000-0000-0000-000000000001", "GPU-5b000000-0000-0000-0000-000000000002"}, -1, ""};
const DeviceInventory no_gpu{{}, -1, "there is no CUDA driver"};

Error refusal(const std::string& selector, const DeviceInventory& inventory) {
  try {
    const DeviceChoice choice = choose_device(selector, inventory);
    ADD_FAILURE() << selector << " chose " << choice.gpu;
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::usage, "");
}

TEST(DeviceChoice, TakesAnIndex) {
  EXPECT_EQ(choose_device("1", two_gpus).gpu, 1);
  EXPECT_EQ(choose_device("1", two_gpus).reason, "");
}

TEST(DeviceChoice, TakesAUuidOrItsUnambiguousBeginning) {
  EXPECT_EQ(choose_device("GPU-5b000000-0000-0000-0000-000000000002", two_gpus).gpu, 1);
  EXPECT_EQ(choose_device("GPU-5a", two_gpus).gpu, 0);
  EXPECT_EQ(choose_device("GPU-5B", two_gpus).gpu, 1);
}

TEST(DeviceChoice, RefusesAnAmbiguousOrUnknownUuidAndListsWhatThereIs) {
  const Error ambiguous = refusal("GPU-5", two_gpus);
  EXPECT_EQ(ambiguous.code(), ErrorCode::unavailable);
  EXPECT_NE(std::string(ambiguous.what()).find("several GPUs"), std::string::npos);
  const Error unknown = refusal("GPU-99", two_gpus);
  EXPECT_EQ(unknown.code(), ErrorCode::unavailable);
  EXPECT_NE(std::string(unknown.what()).find(two_gpus.gpus[1]), std::string::npos);
}

TEST(DeviceChoice, RefusesAnIndexBeyondTheLast) {
  for (const char* selector : {"2", "99999999999999999999"}) {
    const Error error = refusal(selector, two_gpus);
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_NE(std::string(error.what()).find(two_gpus.gpus[0]), std::string::npos);
  }
  const Error error = refusal("0", no_gpu);
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_NE(std::string(error.what()).find(no_gpu.why_no_gpu), std::string::npos);
}

TEST(DeviceChoice, RefusesWhatIsNoSelector) {
  for (const char* selector : {"", "-1", "1x", "cuda", "Auto"}) {
    EXPECT_EQ(refusal(selector, two_gpus).code(), ErrorCode::usage) << selector;
  }
}

TEST(DeviceChoice, AutoPrefersTheCurrentContextThenTheFirstGpuThenTheEmulatedDevice) {
  DeviceInventory current = two_gpus;
  current.current_gpu = 1;
  EXPECT_EQ(choose_device("auto", current).gpu, 1);
  EXPECT_NE(choose_device("auto", current).reason.find("context is current"), std::string::npos);
  EXPECT_EQ(choose_device("auto", two_gpus).gpu, 0);
  const DeviceChoice emulated = choose_device("auto", no_gpu);
  EXPECT_TRUE(emulated.is_emulated());
  EXPECT_NE(emulated.reason.find(no_gpu.why_no_gpu), std::string::npos);
}

TEST(DeviceChoice, EmulatedNeedsNoGpuAndTakesNone) {
  EXPECT_TRUE(choose_device("emulated", two_gpus).is_emulated());
  EXPECT_TRUE(choose_device("emulated", no_gpu).is_emulated());
}

}  // namespace
}  // namespace bitune
