#include "runtime/cuda/kernel.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "bitune/error.hpp"
#include "runtime/cuda/kernel_name.hpp"

namespace bitune::cuda {
namespace {

/// What to do when the driver cannot load what NVRTC made.
std::string advice(CUresult result, const Driver& driver) {
  switch (result) {
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_SOURCE:
      return fmt::format(
          "; this driver runs code of up to {}: if NVRTC is newer, update the driver or set BITUNE_NVRTC to "
          "a libnvrtc.so no newer than that",
          driver.cuda_version());
    default:
      return {};
  }
}

CUfunction function_of(CUkernel kernel) {
  // The driver takes a context-independent kernel wherever it takes a function, and launches it in the
  // current context.
  return reinterpret_cast<CUfunction>(kernel);
}

/// No other context of this process has it. Nothing where there is none.
std::optional<unsigned long long> current_context_id(const Driver& driver) noexcept {
  CUcontext current = nullptr;
  unsigned long long id = 0;
  if (driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS || current == nullptr) return std::nullopt;
  return driver.cuCtxGetId(current, &id) == CUDA_SUCCESS ? std::optional(id) : std::nullopt;
}

/// `attributes` must live as long as what is returned.
CUlaunchConfig config_of(const Launch& launch, CUstream stream,
                         std::array<CUlaunchAttribute, 2>& attributes) {
  unsigned count = 0;
  if (launch.cluster > 1) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[count].value.clusterDim = {launch.cluster, 1, 1};
    ++count;
  }
  if (launch.dependent) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attributes[count].value.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  CUlaunchConfig config{};
  config.gridDimX = launch.grid[0];
  config.gridDimY = launch.grid[1];
  config.gridDimZ = launch.grid[2];
  config.blockDimX = launch.block[0];
  config.blockDimY = launch.block[1];
  config.blockDimZ = launch.block[2];
  config.sharedMemBytes = launch.shared_bytes;
  config.hStream = stream;
  config.attrs = attributes.data();
  config.numAttrs = count;
  return config;
}

}  // namespace

CudaKernel::CudaKernel(std::shared_ptr<Context> context, const KernelImage& image, const DeviceInfo& device)
    : context_(std::move(context)), name_(demangled(image.lowered_name)), parameters_(parameters_of(name_)) {
  const ContextScope scope(*context_);
  load(image);
  try {
    read_resources();
    allow_dynamic_shared_memory(device.shared_bytes_per_block_optin);
    if (device.largest_cluster_size() > device.max_cluster_size) allow_large_clusters();
    load_into_current_context();
  } catch (...) {
    context_->driver().cuLibraryUnload(library_);
    throw;
  }
}

CudaKernel::~CudaKernel() {
  context_->driver().cuLibraryUnload(library_);  // of all contexts, those to come included
}

void CudaKernel::load(const KernelImage& image) {
  const Driver& driver = context_->driver();
  std::array<char, 4096> log{};
  std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CUresult result = driver.cuLibraryLoadData(&library_, image.bytes.c_str(), options.data(), values.data(),
                                             static_cast<unsigned>(options.size()), nullptr, nullptr, 0);
  const char* function = "cuLibraryLoadData";
  if (result == CUDA_SUCCESS) {
    function = "cuLibraryGetKernel";
    result = driver.cuLibraryGetKernel(&kernel_, library_, image.lowered_name.c_str());
    if (result == CUDA_SUCCESS) return;
    driver.cuLibraryUnload(library_);
  }
  const std::string said = log.front() != '\0' ? fmt::format("; the driver said: {}", log.data()) : "";
  context_->fail(result, function,
                 fmt::format("kernel {} for {}{}{}", name_, image.target, advice(result, driver), said));
}

void CudaKernel::read_resources() {
  resources_.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  resources_.local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  resources_.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  resources_.max_threads_per_block = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
}

void CudaKernel::allow_dynamic_shared_memory(std::int64_t shared_bytes_optin) {
  const std::int64_t left = shared_bytes_optin - resources_.static_shared_bytes;
  if (left <= 0) return;
  context_->check(
      context_->driver().cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              static_cast<int>(left), kernel_, context_->device()),
      "cuKernelSetAttribute", fmt::format("{} bytes of dynamic shared memory, kernel {}", left, name_));
}

void CudaKernel::allow_large_clusters() {
  // Where a share of a GPU has no such clusters it says so here, and of each launch to holds_cluster().
  static_cast<void>(context_->driver().cuKernelSetAttribute(
      CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, kernel_, context_->device()));
}

void CudaKernel::load_into_current_context() {
  // Under lazy loading the first launch would load the kernel, which fails while a stream is being captured.
  const Driver& driver = context_->driver();
  context_->check(driver.cuKernelGetFunction(&function_, kernel_), "cuKernelGetFunction", name_);
  if (driver.function_load != nullptr) context_->check(driver.function_load(function_), "cuFuncLoad", name_);
  function_context_id_ = current_context_id(driver);
}

/// What the driver takes a kernel for. The function spares it half a microsecond a launch, but is of one
/// context.
CUfunction CudaKernel::function_here() const {
  const auto here = current_context_id(context_->driver());
  return here && here == function_context_id_ ? function_ : function_of(kernel_);
}

int CudaKernel::attribute(CUfunction_attribute which) const {
  int value = 0;
  context_->check(context_->driver().cuKernelGetAttribute(&value, which, kernel_, context_->device()),
                  "cuKernelGetAttribute", name_);
  return value;
}

std::string CudaKernel::about(const Launch& launch, std::size_t arguments) const {
  return fmt::format(
      "kernel {}, grid {}x{}x{}, block {}x{}x{}, {} bytes of dynamic shared memory, cluster {}, {} arguments",
      name_, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1],
      launch.block[2], launch.shared_bytes, launch.cluster, arguments);
}

void CudaKernel::launch(const Launch& launch, std::span<const std::uint64_t> arguments,
                        CUstream stream) const {
  // The driver reads as many arguments as the kernel has parameters, whatever it is given.
  if (arguments.size() > max_kernel_arguments || (parameters_ && *parameters_ != arguments.size())) {
    throw Error(ErrorCode::device,
                fmt::format("cannot launch on {}: the kernel takes {} ({})", context_->description(),
                            parameters_ ? fmt::format("{} arguments", *parameters_)
                                        : fmt::format("at most {} arguments", max_kernel_arguments),
                            about(launch, arguments.size())));
  }
  std::array<void*, max_kernel_arguments> pointers;
  for (std::size_t i = 0; i < arguments.size(); ++i) pointers[i] = const_cast<std::uint64_t*>(&arguments[i]);

  const Driver& driver = context_->driver();
  const auto& [grid_x, grid_y, grid_z] = launch.grid;
  const auto& [block_x, block_y, block_z] = launch.block;
  if (launch.cluster <= 1 && !launch.dependent) {
    const CUresult result =
        driver.cuLaunchKernel(function_here(), grid_x, grid_y, grid_z, block_x, block_y, block_z,
                              launch.shared_bytes, stream, pointers.data(), nullptr);
    if (result != CUDA_SUCCESS) context_->fail(result, "cuLaunchKernel", about(launch, arguments.size()));
    return;
  }

  std::array<CUlaunchAttribute, 2> attributes{};
  const CUlaunchConfig config = config_of(launch, stream, attributes);
  const CUresult result = driver.cuLaunchKernelEx(&config, function_here(), pointers.data(), nullptr);
  if (result != CUDA_SUCCESS) context_->fail(result, "cuLaunchKernelEx", about(launch, arguments.size()));
}

bool CudaKernel::holds_cluster(const Launch& launch) const {
  std::array<CUlaunchAttribute, 2> attributes{};
  const CUlaunchConfig config = config_of(launch, nullptr, attributes);
  int clusters = 0;
  const CUresult result =
      context_->driver().cuOccupancyMaxActiveClusters(&clusters, function_of(kernel_), &config);
  return result == CUDA_SUCCESS && clusters > 0;
}

}  // namespace bitune::cuda
