#include "runtime/cuda/nvml.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "runtime/cuda/library.hpp"

namespace bitune::cuda {
namespace {

/// The library of tests/fakes/nvml.cpp, told by the environment what to say.
class Nvml : public testing::Test {
 protected:
  Nvml() { tell("1980", "0"); }
  ~Nvml() override {
    for (const char* name : {"FAKE_NVML_MHZ", "FAKE_NVML_REASONS", "FAKE_NVML_INIT"}) unsetenv(name);
  }
  static void tell(const char* mhz, const char* reasons) {
    setenv("FAKE_NVML_MHZ", mhz, 1);
    setenv("FAKE_NVML_REASONS", reasons, 1);
  }
  [[nodiscard]] int users() const {
    return reinterpret_cast<int (*)()>(library_.symbol("fake_nvml_users"))();
  }

 private:
  Library library_ = Library::open(BITUNE_FAKE_NVML);
};

TEST_F(Nvml, TellsTheClockAndWhatHoldsItDown) {
  const auto gpu = NvmlGpu::open(BITUNE_FAKE_NVML, "GPU-fake");
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->read_clock(), (ClockReading{1980, 0}));
  tell("1410", "0x44");
  EXPECT_EQ(gpu->read_clock(), (ClockReading{1410, sw_power_cap | hw_thermal}));
  tell("345", "0x103");
  EXPECT_EQ(gpu->read_clock(), (ClockReading{345, 0})) << "idleness and chosen clocks throttle nothing";
}

TEST_F(Nvml, ANewOrSilentGpuTellsWhatItCan) {
  const auto gpu = NvmlGpu::open(BITUNE_FAKE_NVML, "GPU-fake");
  ASSERT_TRUE(gpu);
  unsetenv("FAKE_NVML_REASONS");
  EXPECT_EQ(gpu->read_clock(), (ClockReading{1980, 0}));
  tell("0", "0");
  EXPECT_EQ(gpu->read_clock(), std::nullopt);
}

TEST_F(Nvml, SaysWhatIsMissing) {
  std::string problem;
  EXPECT_FALSE(NvmlGpu::open("libno_such_nvml.so.1", "GPU-fake", &problem));
  EXPECT_NE(problem.find("libno_such_nvml"), std::string::npos) << problem;
  EXPECT_FALSE(NvmlGpu::open("libc.so.6", "GPU-fake", &problem));
  EXPECT_NE(problem.find("nvmlInit_v2"), std::string::npos) << problem;
  EXPECT_FALSE(NvmlGpu::open(BITUNE_FAKE_NVML, "GPU-other", &problem));
  EXPECT_NE(problem.find("GPU-other"), std::string::npos) << problem;
  EXPECT_NE(problem.find("Not Found"), std::string::npos) << problem;
  setenv("FAKE_NVML_INIT", "3", 1);
  EXPECT_FALSE(NvmlGpu::open(BITUNE_FAKE_NVML, "GPU-fake", &problem));
  EXPECT_NE(problem.find("Not Supported"), std::string::npos) << problem;
}

TEST_F(Nvml, IsLeftAsItWasFound) {
  {
    const auto first = NvmlGpu::open(BITUNE_FAKE_NVML, "GPU-fake");
    const auto second = NvmlGpu::open(BITUNE_FAKE_NVML, "GPU-fake");
    EXPECT_EQ(users(), 2);
    EXPECT_FALSE(NvmlGpu::open(BITUNE_FAKE_NVML, "GPU-other"));
  }
  EXPECT_EQ(users(), 0);
}

}  // namespace
}  // namespace bitune::cuda
