#pragma once

/// \file
/// The CUDA driver, opened at run time.

#include <cuda.h>

#include <string>
#include <string_view>

#include "runtime/cuda/library.hpp"

namespace bitune::cuda {

/// The entry points of the driver that bitune calls, typed as cuda.h declares them. All are there in every
/// driver of CUDA 12, which is the oldest that runs what an NVRTC of CUDA 12 makes.
#define BITUNE_DRIVER_FUNCTIONS(X) \
  X(cuCtxEnablePeerAccess)         \
  X(cuCtxGetCurrent)               \
  X(cuCtxGetDevice)                \
  X(cuCtxGetId)                    \
  X(cuCtxPopCurrent)               \
  X(cuCtxPushCurrent)              \
  X(cuDeviceCanAccessPeer)         \
  X(cuDeviceGet)                   \
  X(cuDeviceGetAttribute)          \
  X(cuDeviceGetCount)              \
  X(cuDeviceGetName)               \
  X(cuDeviceGetP2PAttribute)       \
  X(cuDeviceGetUuid)               \
  X(cuDevicePrimaryCtxGetState)    \
  X(cuDevicePrimaryCtxRelease)     \
  X(cuDevicePrimaryCtxRetain)      \
  X(cuDeviceTotalMem)              \
  X(cuDriverGetVersion)            \
  X(cuEventCreate)                 \
  X(cuEventDestroy)                \
  X(cuEventQuery)                  \
  X(cuEventRecord)                 \
  X(cuEventSynchronize)            \
  X(cuGetErrorName)                \
  X(cuGetErrorString)              \
  X(cuGraphDestroy)                \
  X(cuGraphExecDestroy)            \
  X(cuGraphInstantiate)            \
  X(cuGraphLaunch)                 \
  X(cuGraphUpload)                 \
  X(cuInit)                        \
  X(cuKernelGetAttribute)          \
  X(cuKernelGetFunction)           \
  X(cuKernelSetAttribute)          \
  X(cuLaunchKernel)                \
  X(cuLaunchKernelEx)              \
  X(cuLibraryGetKernel)            \
  X(cuLibraryLoadData)             \
  X(cuLibraryUnload)               \
  X(cuMemAlloc)                    \
  X(cuMemAllocFromPoolAsync)       \
  X(cuMemFree)                     \
  X(cuMemFreeAsync)                \
  X(cuMemFreeHost)                 \
  X(cuMemGetInfo)                  \
  X(cuMemHostAlloc)                \
  X(cuMemPoolCreate)               \
  X(cuMemPoolDestroy)              \
  X(cuMemPoolSetAttribute)         \
  X(cuMemcpy2DAsync)               \
  X(cuMemcpyDtoDAsync)             \
  X(cuMemcpyDtoHAsync)             \
  X(cuMemcpyHtoDAsync)             \
  X(cuMemcpyPeerAsync)             \
  X(cuMemsetD2D8Async)             \
  X(cuMemsetD8Async)               \
  X(cuOccupancyMaxActiveClusters)  \
  X(cuPointerGetAttributes)        \
  X(cuStreamBeginCapture)          \
  X(cuStreamCreate)                \
  X(cuStreamDestroy)               \
  X(cuStreamEndCapture)            \
  X(cuStreamIsCapturing)           \
  X(cuStreamSynchronize)           \
  X(cuStreamWaitEvent)             \
  X(cuThreadExchangeStreamCaptureMode)

/// The driver as it was found and initialised. Immutable.
struct Driver {
#define BITUNE_DECLARE(name) decltype(&::name) name = nullptr;
  BITUNE_DRIVER_FUNCTIONS(BITUNE_DECLARE)
#undef BITUNE_DECLARE
  // cuda.h of CUDA 12.8 renames this one to a symbol that older drivers lack; the first form has the same
  // signature.
  decltype(&::cuEventElapsedTime) event_elapsed_time = nullptr;
  // From CUDA 12.4 on; null in older drivers.
  CUresult (*function_load)(CUfunction) = nullptr;

  Library library;
  int version = 0;      ///< of CUDA: 13000 for 13.0
  std::string release;  ///< of the driver, from its file's name: "580.95.05"; empty if it does not tell
  int device_count = 0;

  [[nodiscard]] std::string cuda_version() const;  ///< "CUDA 13.0"
  [[nodiscard]] std::string text() const;          ///< "580.95.05 (CUDA 13.0)"

  /// "CUDA_ERROR_INVALID_VALUE (invalid argument)"
  [[nodiscard]] std::string describe(CUresult result) const;
};

/// The driver of this process, opened and initialised on the first call.
/// \throws Error (unavailable) that says what is missing and what to do. Thread-safe.
[[nodiscard]] const Driver& driver();

/// As `driver`, but null where there is none; `problem`, if given, receives why.
[[nodiscard]] const Driver* driver_if_present(std::string* problem = nullptr);

/// Whether a context in which this error occurred can do no more work.
[[nodiscard]] bool is_sticky(CUresult result) noexcept;

}  // namespace bitune::cuda
