// NVRTC, no GPU: the kernels of every preset compile, on 32-bit keys without local memory.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "bench/preset_plans.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

TEST(PresetKernels, Compile) {
  DeviceInfo device;
  device.sm_count = 132;
  device.shared_bytes_per_block_optin = 232448;
  const auto compiler = cuda::make_nvrtc_compiler(9, 0);
  std::set<KernelSource> kernels;
  for (const Preset& preset : presets()) {
    for (const KeyType key : {KeyType::u32, KeyType::f64}) {
      const Problem problem{{.key = key},
                            {.n = preset.most_keys > 0 ? preset.most_keys : std::uint64_t{1} << 20}};
      const Plan plan = variant(preset.configuration.variant).plan(problem, preset.configuration, device);
      kernels.insert(plan.kernels.begin(), plan.kernels.end());
    }
  }
  for (const KernelSource& kernel : kernels) {
    const KernelImage image = compiler->compile(kernel);
    const bool wide = kernel.name_expression.find("Codec<8") != std::string::npos;
    EXPECT_TRUE(wide || image.local_bytes == 0) << kernel.name_expression << "\n" << image.log;
    EXPECT_LE(image.registers, 64) << kernel.name_expression << ": blocks of 1024 threads do not fit";
  }
}

}  // namespace
}  // namespace bitune
