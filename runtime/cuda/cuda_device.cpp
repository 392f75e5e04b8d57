#include "runtime/cuda/cuda_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

#include "bitune/error.hpp"
#include "runtime/cuda/context.hpp"
#include "runtime/cuda/graph.hpp"
#include "runtime/cuda/kernel.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/nvml.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/cuda/peer.hpp"
#include "runtime/cuda/properties.hpp"

namespace bitune::cuda {
namespace {

CUstream stream_of(Stream stream) { return static_cast<CUstream>(stream); }

CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

/// What the driver takes at once of rows that are `most_pitch` bytes apart at most.
constexpr std::uint64_t most_pitch = (std::uint64_t{1} << 31) - 1;
constexpr std::uint64_t most_rows = std::uint64_t{1} << 24;

class CudaStream final : public DeviceStream {
 public:
  explicit CudaStream(std::shared_ptr<Context> context) : context_(std::move(context)) {
    const ContextScope scope(*context_);
    context_->check(context_->driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  }
  ~CudaStream() override {
    release_quietly(*context_, [this] { context_->driver().cuStreamDestroy(stream_); });
  }
  [[nodiscard]] Stream handle() const noexcept override { return stream_; }

 private:
  std::shared_ptr<Context> context_;
  CUstream stream_ = nullptr;
};

class CudaEvent final : public DeviceEvent {
 public:
  explicit CudaEvent(std::shared_ptr<Context> context) : context_(std::move(context)) {
    const ContextScope scope(*context_);
    context_->check(context_->driver().cuEventCreate(&event_, CU_EVENT_DEFAULT), "cuEventCreate");
  }
  ~CudaEvent() override {
    release_quietly(*context_, [this] { context_->driver().cuEventDestroy(event_); });
  }
  [[nodiscard]] CUevent handle() const noexcept { return event_; }

 private:
  std::shared_ptr<Context> context_;
  CUevent event_ = nullptr;
};

CUevent event_of(const DeviceEvent& event) { return static_cast<const CudaEvent&>(event).handle(); }

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, int ordinal, const std::shared_ptr<KernelCache>& cache)
      : info_(read_device_info(driver, ordinal)),
        context_(std::make_shared<Context>(driver, ordinal, description_of(info_, ordinal))),
        find_nvrtc_([cache] { return nvrtc_facts(cache.get()); }),
        compiler_(make_nvrtc_compiler(info_.compute_major, info_.compute_minor, find_nvrtc_, cache)),
        software_{read_uuid(driver, ordinal), driver.text(), {}} {}

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const DeviceSoftware& software() const noexcept override {
    std::call_once(nvrtc_found_, [this] {
      try {
        software_.compiler = "nvrtc " + find_nvrtc_().version();
      } catch (const std::exception&) {  // what is shipped sorts without
      }
    });
    return software_;
  }
  [[nodiscard]] const Compiler& compiler() const noexcept override { return *compiler_; }
  [[nodiscard]] std::string describe() const override { return context_->description(); }
  [[nodiscard]] bool is_lost() const noexcept override { return context_->is_lost(); }

  [[nodiscard]] std::shared_ptr<LoadedKernel> load(const KernelImage& image) const override {
    return std::make_shared<CudaKernel>(context_, image, info_);
  }

  [[nodiscard]] std::optional<ClockReading> read_clock() const override {
    std::call_once(nvml_opened_, [this] {
      nvml_ = NvmlGpu::open(NvmlGpu::default_library, software_.uuid);  // what only a tuner asks for
    });
    return nvml_ ? nvml_->read_clock() : std::nullopt;
  }

  void launch(const LoadedKernel& kernel, const Launch& launch, std::span<const std::uint64_t> arguments,
              Stream stream) const override {
    const ContextScope scope(*context_);
    static_cast<const CudaKernel&>(kernel).launch(launch, arguments, stream_of(stream));
  }

  [[nodiscard]] std::string missing_resource(const LoadedKernel& kernel,
                                             const Launch& launch) const override {
    if (launch.cluster <= static_cast<std::uint32_t>(info_.max_cluster_size)) return {};
    const ContextScope scope(*context_);
    if (static_cast<const CudaKernel&>(kernel).holds_cluster(launch)) return {};
    return fmt::format("clusters of {} such blocks, of which {} has no room for one", launch.cluster,
                       describe());
  }

  [[nodiscard]] std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) const override {
    return cuda::allocate(context_, bytes);
  }
  [[nodiscard]] std::unique_ptr<DeviceBuffer> allocate_async(std::size_t bytes,
                                                             Stream stream) const override {
    return allocate_in_stream(context_, bytes, stream_of(stream));
  }
  [[nodiscard]] std::uint64_t free_memory() const override {
    const ContextScope scope(*context_);
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    context_->check(api().cuMemGetInfo(&free_bytes, &all_bytes), "cuMemGetInfo");
    return free_bytes;
  }
  [[nodiscard]] std::unique_ptr<HostBuffer> allocate_host(std::size_t bytes) const override {
    return cuda::allocate_host(context_, bytes);
  }
  [[nodiscard]] bool is_page_locked(const void* data, std::size_t bytes) const override {
    const ContextScope scope(*context_);
    return cuda::is_page_locked(api(), address_of(data), bytes);
  }

  void copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream) const override {
    if (bytes == 0) return;
    const ContextScope scope(*context_);
    context_->check(api().cuMemcpyHtoDAsync(address_of(to), from, bytes, stream_of(stream)),
                    "cuMemcpyHtoDAsync");
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) const override {
    if (bytes == 0) return;
    const ContextScope scope(*context_);
    context_->check(api().cuMemcpyDtoHAsync(to, address_of(from), bytes, stream_of(stream)),
                    "cuMemcpyDtoHAsync");
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, Stream stream) const override {
    if (bytes == 0) return;
    const ContextScope scope(*context_);
    context_->check(api().cuMemcpyDtoDAsync(address_of(to), address_of(from), bytes, stream_of(stream)),
                    "cuMemcpyDtoDAsync");
  }
  void copy_from_peer(void* to, const Device& peer, const void* from, std::size_t bytes,
                      Stream stream) const override {
    cuda::copy_from_peer(*context_, to, *static_cast<const CudaDevice&>(peer).context_, from, bytes,
                         stream_of(stream));
  }
  [[nodiscard]] bool reaches(const Device& peer) const override {
    return cuda::reaches(*context_, *static_cast<const CudaDevice&>(peer).context_);
  }

  [[nodiscard]] std::string_view link_to(const Device& peer) const override {
    return cuda::link_between(*context_, *static_cast<const CudaDevice&>(peer).context_);
  }
  void copy_rows_on_device(void* to, std::uint64_t to_stride, const void* from, std::uint64_t from_stride,
                           std::size_t row_bytes, std::uint64_t rows, Stream stream) const override {
    if (row_bytes == 0 || rows == 0) return;
    if (rows == 1 || (to_stride == row_bytes && from_stride == row_bytes)) {
      return copy_on_device(to, from, row_bytes * rows, stream);
    }
    // With a pitch that the driver does not take there are few rows, and long ones.
    const std::uint64_t at_once = std::max(to_stride, from_stride) > most_pitch ? 1 : most_rows;
    const ContextScope scope(*context_);
    for (std::uint64_t row = 0; row < rows; row += at_once) {
      CUDA_MEMCPY2D copy{};
      copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.srcDevice = address_of(from) + row * from_stride;
      copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.dstDevice = address_of(to) + row * to_stride;
      copy.srcPitch = at_once == 1 ? row_bytes : from_stride;
      copy.dstPitch = at_once == 1 ? row_bytes : to_stride;
      copy.WidthInBytes = row_bytes;
      copy.Height = std::min(at_once, rows - row);
      context_->check(api().cuMemcpy2DAsync(&copy, stream_of(stream)), "cuMemcpy2DAsync");
    }
  }
  void fill(void* to, std::uint8_t value, std::size_t bytes, Stream stream) const override {
    if (bytes == 0) return;
    const ContextScope scope(*context_);
    context_->check(api().cuMemsetD8Async(address_of(to), value, bytes, stream_of(stream)),
                    "cuMemsetD8Async");
  }
  void fill_rows(void* to, std::uint64_t stride, std::uint8_t value, std::size_t row_bytes,
                 std::uint64_t rows, Stream stream) const override {
    if (row_bytes == 0 || rows == 0) return;
    if (rows == 1 || stride == row_bytes) return fill(to, value, row_bytes * rows, stream);
    if (stride > most_pitch) return Device::fill_rows(to, stride, value, row_bytes, rows, stream);
    const ContextScope scope(*context_);
    for (std::uint64_t row = 0; row < rows; row += most_rows) {
      context_->check(api().cuMemsetD2D8Async(address_of(to) + row * stride, stride, value, row_bytes,
                                              std::min(most_rows, rows - row), stream_of(stream)),
                      "cuMemsetD2D8Async");
    }
  }

  [[nodiscard]] std::unique_ptr<DeviceStream> create_stream() const override {
    return std::make_unique<CudaStream>(context_);
  }
  [[nodiscard]] std::unique_ptr<DeviceEvent> create_event() const override {
    return std::make_unique<CudaEvent>(context_);
  }

  void record(DeviceEvent& event, Stream stream) const override {
    const ContextScope scope(*context_);
    context_->check(api().cuEventRecord(event_of(event), stream_of(stream)), "cuEventRecord");
  }

  void wait_for(const DeviceEvent& event, Stream stream) const override {
    const ContextScope scope(*context_);
    context_->check(api().cuStreamWaitEvent(stream_of(stream), event_of(event), CU_EVENT_WAIT_DEFAULT),
                    "cuStreamWaitEvent");
  }

  [[nodiscard]] bool has_passed(const DeviceEvent& event) const override {
    const ContextScope scope(*context_);
    const CUresult result = api().cuEventQuery(event_of(event));
    if (result == CUDA_ERROR_NOT_READY) return false;
    context_->check(result, "cuEventQuery");
    return true;
  }
  [[nodiscard]] double elapsed_ms(const DeviceEvent& begin, const DeviceEvent& end) const override {
    const ContextScope scope(*context_);
    float milliseconds = 0;
    context_->check(api().cuEventSynchronize(event_of(end)), "cuEventSynchronize");
    context_->check(api().event_elapsed_time(&milliseconds, event_of(begin), event_of(end)),
                    "cuEventElapsedTime");
    return milliseconds;
  }

  void synchronize(Stream stream) const override {
    const ContextScope scope(*context_);
    context_->check(api().cuStreamSynchronize(stream_of(stream)), "cuStreamSynchronize");
  }

  void in_own_context(const std::function<void()>& work) const override {
    const ContextScope scope(*context_, Wanted::primary);
    work();
  }

  [[nodiscard]] bool is_capturing(Stream stream) const override {
    return context_->is_capturing(stream_of(stream));
  }
  [[nodiscard]] std::function<void()> for_other_thread(std::function<void()> work) const override {
    return cuda::for_other_thread(context_, std::move(work));
  }
  [[nodiscard]] std::unique_ptr<DeviceGraph> capture(Stream stream,
                                                     const std::function<void()>& enqueue) const override {
    return cuda::capture(context_, stream_of(stream), enqueue);
  }

 private:
  [[nodiscard]] const Driver& api() const noexcept { return context_->driver(); }

  DeviceInfo info_;
  std::shared_ptr<Context> context_;
  std::function<NvrtcFacts()> find_nvrtc_;
  std::unique_ptr<Compiler> compiler_;
  mutable std::once_flag nvrtc_found_;
  mutable DeviceSoftware software_;  ///< the compiler's is written once, when software() is first called
  mutable std::once_flag nvml_opened_;
  mutable std::unique_ptr<NvmlGpu> nvml_;
};

}  // namespace

DriverInfo driver_info() {
  const Driver& found = driver();
  return {found.library.path(), found.cuda_version(), found.device_count};
}

std::vector<GpuEntry> list_gpus(const std::string& compiler) {
  const Driver& found = driver();
  std::vector<GpuEntry> gpus;
  gpus.reserve(static_cast<std::size_t>(found.device_count));
  for (int ordinal = 0; ordinal < found.device_count; ++ordinal) {
    gpus.push_back(
        {ordinal, read_device_info(found, ordinal), {read_uuid(found, ordinal), found.text(), compiler}});
  }
  return gpus;
}

int current_gpu() {
  const Driver* found = driver_if_present();
  return found != nullptr ? current_ordinal(*found) : -1;
}

std::shared_ptr<Device> make_cuda_device(int ordinal, const std::shared_ptr<KernelCache>& cache) {
  const Driver& found = driver();
  if (ordinal < 0 || ordinal >= found.device_count) {
    throw Error(ErrorCode::unavailable,
                fmt::format("there is no GPU {}: the driver lists {}", ordinal, found.device_count));
  }
  return std::make_shared<CudaDevice>(found, ordinal, cache);
}

}  // namespace bitune::cuda
