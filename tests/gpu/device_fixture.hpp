#pragma once

/// \file
/// A GPU and a few planted kernels, for tests of the CUDA device itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bitune/error.hpp"
#include "runtime/cuda/cuda_device.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"

namespace bitune::cuda {

/// Kernels that show that arguments, shared memory and clusters arrive.
inline const std::vector<HeaderText> planted_kernels = {{"planted/kernels.cuh", R"(#pragma once
namespace planted {
__global__ void add(unsigned* out, unsigned long long wide, unsigned narrow, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += static_cast<unsigned>(wide >> 32) + narrow + i;
}
__global__ void reverse_block(unsigned* keys) {
  extern __shared__ unsigned tile[];
  tile[threadIdx.x] = keys[threadIdx.x];
  tile[blockDim.x + threadIdx.x] = 0;
  __syncthreads();
  keys[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void touch_end(unsigned* out, unsigned words) {
  extern __shared__ unsigned tile[];
  if (threadIdx.x == 0) { tile[words - 1] = 42; out[0] = tile[words - 1]; }
}
__global__ void cluster_size(unsigned* out) {
  unsigned size = 1;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
#endif
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = size;
}
__global__ void write_to(unsigned* where) { *where = 1; }
__global__ void none() {}
__global__ void spin(unsigned long long clocks) {
  const long long begin = clock64();
  while (clock64() - begin < static_cast<long long>(clocks)) {}
}
__global__ void __launch_bounds__(64) small_blocks(unsigned* out) { out[threadIdx.x] = 1; }
}
)"}};

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    const Driver* found = driver_if_present();
    if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
    device_ = make_cuda_device(0);
    const DeviceInfo& info = device_->info();
    compiler_ = make_nvrtc_compiler(info.compute_major, info.compute_minor, planted_kernels);
  }

  [[nodiscard]] KernelImage compile(const std::string& name) const {
    return compiler_->compile({"planted/kernels.cuh", "planted::" + name});
  }
  [[nodiscard]] std::shared_ptr<LoadedKernel> load(const std::string& name) const {
    return device_->load(compile(name));
  }

  [[nodiscard]] std::vector<unsigned> read(const void* from, std::size_t count,
                                           Stream stream = nullptr) const {
    std::vector<unsigned> values(count);
    device_->copy_to_host(values.data(), from, count * sizeof(unsigned), stream);
    device_->synchronize(stream);
    return values;
  }

  [[nodiscard]] static Launch launch_of(std::uint32_t blocks, std::uint32_t threads,
                                        std::uint32_t shared_bytes = 0) {
    Launch launch;
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.shared_bytes = shared_bytes;
    return launch;
  }

  [[nodiscard]] static std::uint64_t slot(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
  }

  /// The sentence of the Error that `use` must throw.
  template <class Use>
  [[nodiscard]] static std::string device_error(Use use, ErrorCode code = ErrorCode::device) {
    try {
      use();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  std::shared_ptr<Device> device_;
  std::unique_ptr<Compiler> compiler_;
};

}  // namespace bitune::cuda
