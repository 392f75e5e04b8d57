// NVRTC, no GPU: the digest of machine code knows no names, and sees a single instruction.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "runtime/cuda/nvrtc_compiler.hpp"
#include "tests/support/cubin.hpp"

namespace bitune {
namespace {

test::MachineCode code_of(const std::string& path, const std::string& name, const std::string& text) {
  const auto compiler = cuda::make_nvrtc_compiler(9, 0, {{path, text}});
  return test::machine_code(compiler->compile({path, name}).bytes);
}

std::string kernel(const std::string& name, const std::string& sum) {
  return "#pragma once\n__constant__ const unsigned table[4] = {3, 1, 4, 1};\n__global__ void "
         "__launch_bounds__(128) " +
         name +
         "(unsigned* keys) {\n  __shared__ unsigned tile[128];\n  tile[threadIdx.x] = keys[threadIdx.x];\n"
         "  __syncthreads();\n  keys[threadIdx.x] = " +
         sum + ";\n}\n";
}

TEST(MachineCode, KnowsNoNamesAndSeesAnInstruction) {
  const std::string sum = "tile[threadIdx.x ^ 1] + table[threadIdx.x % 4]";
  const auto one = code_of("made/one.cuh", "first", kernel("first", sum));
  const auto renamed =
      code_of("made/another_header.cuh", "second_kernel", kernel("second_kernel", "/* new */ " + sum));
  const auto other =
      code_of("made/one.cuh", "first", kernel("first", "tile[threadIdx.x ^ 1] - table[threadIdx.x % 4]"));
  EXPECT_GT(one.bytes, 100u);
  EXPECT_EQ(one.digest, renamed.digest);
  EXPECT_NE(one.digest, other.digest);
}

TEST(MachineCode, SeesConstantsSharedMemoryAndRegisters) {
  const std::string text = kernel("first", "tile[threadIdx.x ^ 1] + table[threadIdx.x % 4]");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string copy = text;
    for (std::size_t at = copy.find(from); at != copy.npos; at = copy.find(from, at + to.size())) {
      copy.replace(at, from.size(), to);
    }
    return code_of("made/one.cuh", "first", copy).digest;
  };
  const std::string before = changed("first", "first");
  EXPECT_NE(changed("{3, 1, 4, 1}", "{3, 1, 4, 2}"), before);
  EXPECT_NE(changed("tile[128]", "tile[256]"), before);
}

TEST(MachineCode, CanLeaveOutTheOrderOfWaitingAndLettingOthersBegin) {
  const auto code = [](const std::string& beginning, const std::string& sum) {
    return code_of("made/one.cuh", "first",
                   "#pragma once\n__global__ void first(unsigned* keys) {\n" + beginning +
                       "  unsigned sum = keys[threadIdx.x];\n#pragma unroll\n  for (unsigned i = 1; i < 200; "
                       "++i) sum = sum * " +
                       sum + " + keys[i];\n  keys[threadIdx.x] = sum;\n}\n");
  };
  const std::string wait = "  asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n";
  const std::string allow = "  asm volatile(\"griddepcontrol.launch_dependents;\");\n";
  const auto waits_first = code(wait + allow, "3");
  const auto allows_first = code(allow + wait, "3");
  EXPECT_NE(waits_first.digest, allows_first.digest);
  EXPECT_EQ(waits_first.any_launch_order, allows_first.any_launch_order);
  EXPECT_NE(waits_first.any_launch_order, code(wait + allow, "5").any_launch_order);
  EXPECT_NE(waits_first.any_launch_order, code(wait, "3").any_launch_order);
  const auto neither = code("", "3");
  EXPECT_NE(neither.any_launch_order, waits_first.any_launch_order);
}

TEST(MachineCode, WhatIsNoCubinIsRefused) {
  EXPECT_THROW((void)test::machine_code(""), std::runtime_error);
  EXPECT_THROW((void)test::machine_code(std::string(4096, 'x')), std::runtime_error);
}

}  // namespace
}  // namespace bitune
