#include "runtime/emulated/emulated_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "bitune/error.hpp"
#include "runtime/emulated/emulated_kernel.hpp"
#include "runtime/emulated/emulated_memory.hpp"
#include "runtime/emulated/group_runner.hpp"
#include "runtime/emulated/host_compiler.hpp"
#include "runtime/emulated/host_threads.hpp"
#include "runtime/emulated/launch_limits.hpp"

namespace bitune::emulated {
namespace {

DeviceInfo info_of(const EmulatedOptions& options) {
  DeviceInfo info;
  info.kind = "emulated";
  info.name = "emulated device";
  info.compute_major = 9;
  info.compute_minor = 0;
  info.sm_count = options.sm_count;
  info.warp_size = options.warp_size;
  info.max_threads_per_block = options.max_threads_per_block;
  info.shared_bytes_per_block = std::min<std::int64_t>(48 * 1024, options.shared_bytes_per_block);
  info.shared_bytes_per_block_optin = options.shared_bytes_per_block;
  info.shared_bytes_per_sm = options.shared_bytes_per_block + reserved_shared_bytes;
  info.l2_bytes = std::int64_t{4} << 20;
  info.memory_bytes = options.memory_bytes;
  info.cooperative_launch = true;
  info.max_cluster_size = options.max_cluster_size;
  return info;
}

std::size_t host_thread_count(const EmulatedOptions& options) {
  if (options.host_threads != 0) return static_cast<std::size_t>(options.host_threads);
  return std::max(1u, std::thread::hardware_concurrency());
}

/// Goes through all groups in an order of its own for each seed, so that no kernel can rely on the order of
/// blocks.
class GroupOrder {
 public:
  GroupOrder(std::uint32_t groups, std::optional<std::uint64_t> seed) : groups_(groups) {
    if (!seed) return;
    Random random(*seed);
    offset_ = random.below(groups);
    do {
      stride_ = 1 + random.below(groups);
    } while (std::gcd(stride_, std::uint64_t{groups}) != 1);
  }

  [[nodiscard]] std::uint32_t operator()(std::uint32_t i) const {
    return static_cast<std::uint32_t>((offset_ + i * stride_) % groups_);
  }

 private:
  std::uint64_t groups_;
  std::uint64_t offset_ = 0;
  std::uint64_t stride_ = 1;
};

class EmulatedDevice : public Device {
 public:
  EmulatedDevice(const EmulatedOptions& options, std::vector<SourceFile> extra_headers)
      : options_(options),
        info_(info_of(options)),
        compiler_(std::move(extra_headers)),
        host_threads_(host_thread_count(options)),
        runners_(host_threads_.count()) {
    const std::string compiler = describe_host_compiler();
    software_ = {.uuid = "emulated", .driver = "emulated", .compiler = compiler.empty() ? "none" : compiler};
  }

  const DeviceInfo& info() const noexcept override { return info_; }
  const DeviceSoftware& software() const noexcept override { return software_; }
  const Compiler& compiler() const noexcept override { return compiler_; }
  std::string describe() const override { return info_.name; }

  std::shared_ptr<LoadedKernel> load(const KernelImage& image) const override {
    return std::make_shared<EmulatedKernel>(image, info_.max_threads_per_block);
  }

  void launch(const LoadedKernel& loaded, const Launch& launch, std::span<const std::uint64_t> arguments,
              Stream) const override {
    const auto& kernel = dynamic_cast<const EmulatedKernel&>(loaded);
    check_launch(info_, kernel.name(), launch);
    check_arguments(kernel.name(), kernel.signature(), launch, arguments.size());
    DependentWait wait(options_.at_first_wait);
    const LaunchFacts facts{.kernel = kernel.name(),
                            .entry = kernel.entry(),
                            .slots = arguments.data(),
                            .block_count = launch.grid[0],
                            .block_size = launch.block[0],
                            .warp_size = static_cast<std::uint32_t>(info_.warp_size),
                            .shared_bytes = launch.shared_bytes,
                            .cluster_size = launch.cluster,
                            .dependent_wait = launch.dependent ? &wait : nullptr,
                            .allows_next_early = launch.allows_next_early,
                            .seed = options_.seed};
    const std::uint32_t groups = launch.grid[0] / launch.cluster;
    const GroupOrder order(groups, options_.seed);
    const std::lock_guard lock(launching_);
    host_threads_.run(groups, [&](std::size_t worker, std::uint32_t i) {
      runners_[worker].run(facts, order(i) * launch.cluster, launch.cluster);
    });
    if (launch.dependent && !wait.passed()) {
      throw Error(
          ErrorCode::device,
          fmt::format(
              "The kernel {} failed on the emulated device: it is launched as a dependent one, and no "
              "thread of it waits for the launch before.",
              kernel.name()));
    }
  }

  std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) const override {
    if (bytes > static_cast<std::size_t>(options_.memory_bytes)) throw_no_memory(bytes);
    return std::make_unique<Memory>(bytes);
  }
  std::unique_ptr<DeviceBuffer> allocate_async(std::size_t bytes, Stream) const override {
    return allocate(bytes);
  }
  std::unique_ptr<HostBuffer> allocate_host(std::size_t bytes) const override {
    return std::make_unique<EmulatedHostBuffer>(bytes);
  }

  void copy_to_device(void* to, const void* from, std::size_t bytes, Stream) const override {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes, Stream) const override {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, Stream) const override {
    if (bytes != 0) std::memmove(to, from, bytes);
  }
  bool reaches(const Device&) const override { return true; }
  void copy_rows_on_device(void* to, std::uint64_t to_stride, const void* from, std::uint64_t from_stride,
                           std::size_t row_bytes, std::uint64_t rows, Stream) const override {
    for (std::uint64_t row = 0; row < rows && row_bytes != 0; ++row) {
      std::memcpy(static_cast<std::byte*>(to) + row * to_stride,
                  static_cast<const std::byte*>(from) + row * from_stride, row_bytes);
    }
  }
  void fill(void* to, std::uint8_t value, std::size_t bytes, Stream) const override {
    if (bytes != 0) std::memset(to, value, bytes);
  }

  std::unique_ptr<DeviceStream> create_stream() const override { return std::make_unique<EmulatedStream>(); }
  std::unique_ptr<DeviceEvent> create_event() const override { return std::make_unique<EmulatedEvent>(); }
  void record(DeviceEvent& event, Stream) const override {
    dynamic_cast<EmulatedEvent&>(event).when = std::chrono::steady_clock::now();
  }
  bool has_passed(const DeviceEvent&) const override { return true; }
  double elapsed_ms(const DeviceEvent& begin, const DeviceEvent& end) const override {
    const auto time =
        dynamic_cast<const EmulatedEvent&>(end).when - dynamic_cast<const EmulatedEvent&>(begin).when;
    return std::chrono::duration<double, std::milli>(time).count();
  }

  void synchronize(Stream) const override {}
  bool is_capturing(Stream) const override { return false; }

 private:
  EmulatedOptions options_;
  DeviceInfo info_;
  DeviceSoftware software_;
  EmulatedCompiler compiler_;
  mutable std::mutex launching_;  // one launch at a time: it has all host threads
  mutable HostThreads host_threads_;
  mutable std::vector<GroupRunner> runners_;  // by host thread
};

}  // namespace
}  // namespace bitune::emulated

namespace bitune {

std::shared_ptr<Device> make_emulated_device(const EmulatedOptions& options,
                                             std::vector<emulated::SourceFile> extra_headers) {
  options.check();
  return std::make_shared<emulated::EmulatedDevice>(options, std::move(extra_headers));
}

}  // namespace bitune
