#pragma once

/// \file
/// What the tests of compiled kernels ask of each.

#include <gtest/gtest.h>

#include "runtime/compiler.hpp"

namespace bitune::test {

/// Compiles the kernel, which must keep all that it holds in registers.
inline KernelImage compiled_without_spills(const Compiler& compiler, const KernelSource& kernel) {
  KernelImage image = compiler.compile(kernel);
  EXPECT_EQ(image.local_bytes, 0) << kernel.name_expression << " for " << image.target << "\n" << image.log;
  return image;
}

}  // namespace bitune::test
