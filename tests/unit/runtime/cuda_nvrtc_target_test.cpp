#include <gtest/gtest.h>

#include <array>

#include "bitune/error.hpp"
#include "runtime/cuda/nvrtc_target.hpp"

namespace bitune::cuda {
namespace {

constexpr std::array known{75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

TEST(NvrtcTarget, IsACubinForAKnownArchitecture) {
  const Target target = choose_target(90, known, "13.0");
  EXPECT_EQ(target.option(), "--gpu-architecture=sm_90");
  EXPECT_EQ(target.text(), "sm_90 cubin");
}

TEST(NvrtcTarget, IsPtxOfTheLargestArchitectureBelowAnUnknownOne) {
  EXPECT_EQ(choose_target(99, known, "13.0").option(), "--gpu-architecture=compute_90");
  EXPECT_EQ(choose_target(129, known, "13.0").text(), "compute_121 ptx");
  EXPECT_EQ(choose_target(76, known, "13.0").text(), "compute_75 ptx");
}

TEST(NvrtcTarget, RefusesAGpuOlderThanAllArchitectures) {
  try {
    (void)choose_target(70, known, "13.0");
    FAIL() << "sm_70 was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_NE(std::string(error.what()).find("sm_70"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("BITUNE_NVRTC"), std::string::npos);
  }
}

// As NVRTC 13.0 says it, with a function that is not inlined between the entry and its registers.
constexpr const char* log_13 =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z5kernelPf' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z5kernelPf\n"
    "ptxas         .     48 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
    "ptxas info    : Function properties for _Z6helperPf\n"
    "ptxas         .     16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 255 registers, used 1 barriers\n"
    "ptxas info    : Compiling entry function '_Z5kernelPfi' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z5kernelPfi\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 32 registers\n";

// As CUDA 12 says it.
constexpr const char* log_12 =
    "ptxas info    : 0 bytes gmem, 4 bytes cmem[4]\n"
    "ptxas info    : Compiling entry function '_Z5kernelPf' for 'sm_80'\n"
    "ptxas info    : Function properties for _Z5kernelPf\n"
    "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
    "ptxas info    : Used 40 registers, 368 bytes cmem[0]\n";

TEST(PtxasReport, IsReadForTheKernelOfThatName) {
  const KernelUse first = read_ptxas_report(log_13, "_Z5kernelPf");
  EXPECT_EQ(first.registers, 255);
  EXPECT_EQ(first.local_bytes, 48);
  const KernelUse second = read_ptxas_report(log_13, "_Z5kernelPfi");
  EXPECT_EQ(second.registers, 32);
  EXPECT_EQ(second.local_bytes, 0);
}

TEST(PtxasReport, IsReadInTheFormOfCuda12) {
  const KernelUse use = read_ptxas_report(log_12, "_Z5kernelPf");
  EXPECT_EQ(use.registers, 40);
  EXPECT_EQ(use.local_bytes, 8);
}

TEST(PtxasReport, IsUnknownWhereTheLogDoesNotTell) {
  for (const char* log :
       {"", "bitune_kernel.cu(3): warning: something", "ptxas info    : Used 7 registers"}) {
    const KernelUse use = read_ptxas_report(log, "_Z5kernelPf");
    EXPECT_EQ(use.registers, -1);
    EXPECT_EQ(use.local_bytes, -1);
  }
  EXPECT_EQ(read_ptxas_report(log_13, "_Z5kerne").registers, -1);
}

TEST(TrimmedLog, CutsLongLogsAtALineAndSaysSo) {
  EXPECT_EQ(trimmed_log(std::string_view("text \n\0", 7)), "text");
  std::string longer;
  for (int i = 0; i < 1000; ++i) longer += "error: line\n";
  const std::string trimmed = trimmed_log(longer);
  EXPECT_LT(trimmed.size(), 4100u);
  EXPECT_NE(trimmed.find("error: line\n[... "), std::string::npos);
}

}  // namespace
}  // namespace bitune::cuda
