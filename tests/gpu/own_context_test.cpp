// Every test begins on a thread that has no CUDA context, whatever the one before left behind: the CUDA
// runtime in the CUB peer makes its context current and, as it is unloaded, destroys it there.

#include <gtest/gtest.h>

#include "runtime/cuda/driver.hpp"

namespace bitune::cuda {
namespace {

void leave_all_contexts() {
  const Driver* driver = driver_if_present();
  if (driver == nullptr || driver->device_count == 0) return;
  CUcontext current = nullptr;
  while (driver->cuCtxGetCurrent(&current) == CUDA_SUCCESS && current != nullptr) {
    CUcontext popped = nullptr;
    if (driver->cuCtxPopCurrent(&popped) != CUDA_SUCCESS) return;
  }
}

class OwnContext : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { leave_all_contexts(); }
};

// GoogleTest owns the listener.
[[maybe_unused]] const bool registered = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new OwnContext);
  return true;
}();

}  // namespace
}  // namespace bitune::cuda
