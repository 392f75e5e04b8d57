// Loading and launching on a GPU: arguments, shared memory, clusters, and what goes wrong.

#include "tests/gpu/device_fixture.hpp"

namespace bitune::cuda {
namespace {

class GpuLaunch : public GpuTest {};

TEST_F(GpuLaunch, PassesPointersAndNumbersOfBothWidths) {
  const auto kernel = load("add");
  constexpr std::uint32_t n = 1000;
  const auto buffer = device_->allocate(n * sizeof(unsigned));
  device_->fill(buffer->data(), 1, buffer->size(), nullptr);
  const std::vector<std::uint64_t> arguments = {slot(buffer->data()), std::uint64_t{7} << 32, 100, n};
  device_->launch(*kernel, launch_of(4, 256), arguments, nullptr);
  const std::vector<unsigned> values = read(buffer->data(), n);
  for (unsigned i = 0; i < n; ++i) ASSERT_EQ(values[i], 0x01010101u + 107 + i) << i;
}

TEST_F(GpuLaunch, LaunchesAKernelWithoutParameters) {
  const auto kernel = load("none");
  device_->launch(*kernel, launch_of(1, 32), {}, nullptr);
  EXPECT_NO_THROW(device_->synchronize(nullptr));
}

TEST_F(GpuLaunch, GivesDynamicSharedMemoryUpToTheOptInLimit) {
  const auto kernel = load("touch_end");
  const auto limit = static_cast<std::uint32_t>(device_->info().shared_bytes_per_block_optin);
  ASSERT_GT(limit, 48u << 10);
  const auto out = device_->allocate(sizeof(unsigned));
  device_->fill(out->data(), 0, out->size(), nullptr);
  const std::vector<std::uint64_t> arguments = {slot(out->data()), limit / 4};
  device_->launch(*kernel, launch_of(1, 32, limit), arguments, nullptr);
  EXPECT_EQ(read(out->data(), 1).front(), 42u);
  const std::string error =
      device_error([&] { device_->launch(*kernel, launch_of(1, 32, limit + 16), arguments, nullptr); });
  EXPECT_NE(error.find("touch_end"), std::string::npos) << error;
  EXPECT_FALSE(device_->is_lost());
}

TEST_F(GpuLaunch, ReportsWhatAKernelUses) {
  const KernelImage image = compile("add");
  const KernelResources& resources = device_->load(image)->resources();
  EXPECT_GT(resources.registers, 0);
  EXPECT_EQ(resources.local_bytes, 0);
  EXPECT_EQ(resources.static_shared_bytes, 0);
  EXPECT_EQ(resources.max_threads_per_block, device_->info().max_threads_per_block);
  if (image.registers >= 0) {
    EXPECT_EQ(resources.registers, image.registers);
  }
  EXPECT_EQ(load("small_blocks")->resources().max_threads_per_block, 64);
}

TEST_F(GpuLaunch, RefusesBadLaunchesWithASentence) {
  const auto kernel = load("small_blocks");
  const auto out = device_->allocate(4096);
  const std::vector<std::uint64_t> arguments = {slot(out->data())};
  const std::string too_large =
      device_error([&] { device_->launch(*kernel, launch_of(1, 128), arguments, nullptr); });
  EXPECT_NE(too_large.find("small_blocks"), std::string::npos) << too_large;
  EXPECT_NE(too_large.find("128x1x1"), std::string::npos) << too_large;
  EXPECT_NE(too_large.find(device_->describe()), std::string::npos) << too_large;
  EXPECT_NE(too_large.find("CUDA_ERROR_"), std::string::npos) << too_large;
  EXPECT_NE(device_error([&] {
              device_->launch(*kernel, launch_of(0, 32), arguments, nullptr);
            }).find("grid 0x1x1"),
            std::string::npos);
  EXPECT_FALSE(device_->is_lost());
  device_->launch(*kernel, launch_of(1, 64), arguments, nullptr);
  EXPECT_NO_THROW(device_->synchronize(nullptr));
}

TEST_F(GpuLaunch, RefusesTheWrongNumberOfArguments) {
  const auto kernel = load("add");
  const std::vector<std::uint64_t> arguments = {0, 0, 0};
  const std::string error =
      device_error([&] { device_->launch(*kernel, launch_of(1, 32), arguments, nullptr); });
  EXPECT_NE(error.find("takes 4 arguments"), std::string::npos) << error;
}

TEST_F(GpuLaunch, RefusesAnImageThatIsNone) {
  KernelImage image = compile("none");
  image.bytes = "not a kernel";
  // Drivers differ in when they look into an image: as they load the library, or as they are asked for its
  // kernel.
  const std::string error = device_error([&] { (void)device_->load(image); });
  EXPECT_NE(error.find("none"), std::string::npos) << error;
  EXPECT_NE(error.find(device_->describe()), std::string::npos) << error;
  EXPECT_NE(error.find("CUDA_ERROR_INVALID_"), std::string::npos) << error;
}

TEST_F(GpuLaunch, SaysWhichEntryAnImageLacks) {
  KernelImage image = compile("none");
  image.lowered_name = "no_such_entry";
  const std::string error = device_error([&] { (void)device_->load(image); });
  EXPECT_NE(error.find("no_such_entry"), std::string::npos) << error;
}

TEST_F(GpuLaunch, LoadsPtxOfAnOlderArchitecture) {
  const int below = device_->info().compute_capability();
  // An architecture that NVRTC has never heard of is compiled as PTX of the largest below it.
  const auto architectures = nvrtc_architectures();
  int unknown = 0;
  for (const int architecture : architectures) {
    const bool known =
        std::find(architectures.begin(), architectures.end(), architecture + 1) != architectures.end();
    if (architecture < below && !known) unknown = architecture + 1;
  }
  if (unknown == 0 || unknown > below) GTEST_SKIP() << "NVRTC knows every architecture below this GPU's";
  const auto compiler = make_nvrtc_compiler(unknown / 10, unknown % 10, planted_kernels);
  const KernelImage image = compiler->compile({"planted/kernels.cuh", "planted::add"});
  ASSERT_NE(image.target.find("ptx"), std::string::npos);
  const auto kernel = device_->load(image);
  const auto buffer = device_->allocate(4);
  device_->fill(buffer->data(), 0, 4, nullptr);
  device_->launch(*kernel, launch_of(1, 32), std::vector<std::uint64_t>{slot(buffer->data()), 0, 5, 1},
                  nullptr);
  EXPECT_EQ(read(buffer->data(), 1).front(), 5u);
}

TEST_F(GpuLaunch, LaunchesClusters) {
  if (device_->info().max_cluster_size < 2) GTEST_SKIP() << "this GPU has no clusters";
  const auto kernel = load("cluster_size");
  const auto out = device_->allocate(sizeof(unsigned));
  Launch launch = launch_of(8, 32);
  for (const std::uint32_t size : {2u, 4u, 8u}) {
    launch.cluster = size;
    device_->launch(*kernel, launch, std::vector<std::uint64_t>{slot(out->data())}, nullptr);
    EXPECT_EQ(read(out->data(), 1).front(), size);
  }
  launch.grid = {9, 1, 1};
  (void)device_error(
      [&] { device_->launch(*kernel, launch, std::vector<std::uint64_t>{slot(out->data())}, nullptr); });
}

TEST_F(GpuLaunch, LaunchesLargeClustersWhereItSaysThatTheyFit) {
  if (device_->info().max_cluster_size < 8) GTEST_SKIP() << "this GPU has no clusters";
  const auto kernel = load("cluster_size");
  const auto out = device_->allocate(sizeof(unsigned));
  Launch launch = launch_of(16, 32);
  launch.cluster = 16;
  if (const std::string missing_resource = device_->missing_resource(*kernel, launch);
      !missing_resource.empty()) {
    EXPECT_NE(missing_resource.find("16"), std::string::npos) << missing_resource;
  } else {
    device_->launch(*kernel, launch, std::vector<std::uint64_t>{slot(out->data())}, nullptr);
    EXPECT_EQ(read(out->data(), 1).front(), 16u);
  }
  launch.grid = {32, 1, 1};
  launch.cluster = 32;
  EXPECT_FALSE(device_->missing_resource(*kernel, launch).empty()) << "no GPU has clusters of 32 blocks";
}

// Last of its process: CTest gives every test a process of its own, and this one ends the context.
TEST(GpuLostDeviceDeathTest, SaysThatItIsLostAfterAnIllegalAddress) {
  const Driver* found = driver_if_present();
  if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto device = make_cuda_device(0);
        const auto compiler =
            make_nvrtc_compiler(device->info().compute_major, device->info().compute_minor, planted_kernels);
        const auto kernel = device->load(compiler->compile({"planted/kernels.cuh", "planted::write_to"}));
        device->launch(*kernel, Launch{}, std::vector<std::uint64_t>{64}, nullptr);
        try {
          device->synchronize(nullptr);
        } catch (const Error& error) {
          std::fputs(error.what(), stderr);
        }
        std::exit(device->is_lost() ? 3 : 4);
      },
      testing::ExitedWithCode(3), "CUDA_ERROR_ILLEGAL_ADDRESS.*only a new process");
}

}  // namespace
}  // namespace bitune::cuda
