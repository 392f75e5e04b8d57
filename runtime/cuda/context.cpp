#include "runtime/cuda/context.hpp"

#include <fmt/format.h>

#include <utility>

namespace bitune::cuda {

Context::Context(const Driver& driver, int ordinal, std::string description)
    : driver_(driver), description_(std::move(description)) {
  check(driver_.cuDeviceGet(&device_, ordinal), "cuDeviceGet");
}

Context::~Context() {
  if (pool_ != nullptr) driver_.cuMemPoolDestroy(pool_);
  if (primary_ != nullptr) driver_.cuDevicePrimaryCtxRelease(device_);
}

CUcontext Context::primary() {
  const std::lock_guard lock(mutex_);
  if (primary_ == nullptr)
    check(driver_.cuDevicePrimaryCtxRetain(&primary_, device_), "cuDevicePrimaryCtxRetain");
  return primary_;
}

CUmemoryPool Context::pool() {
  const std::lock_guard lock(mutex_);
  if (pool_ != nullptr) return pool_;
  int supported = 0;
  driver_.cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device_);
  if (supported == 0) return nullptr;

  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device_;
  CUmemoryPool pool = nullptr;
  check(driver_.cuMemPoolCreate(&pool, &properties), "cuMemPoolCreate");
  // Workspaces of this size stay with the pool between sorts; larger ones go back at the next
  // synchronisation, so that one big sort does not keep memory from the application for ever.
  std::size_t memory = 0;
  driver_.cuDeviceTotalMem(&memory, device_);
  cuuint64_t kept = memory / 32;
  driver_.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept);
  return pool_ = pool;
}

bool Context::is_capturing(CUstream stream) {
  const ContextScope scope(*this);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = driver_.cuStreamIsCapturing(stream, &status);
  // The default stream itself is never captured, but may not be used while another stream of the context is.
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) return true;
  check(result, "cuStreamIsCapturing");
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Context::fail(CUresult result, const char* function, const std::string& about) {
  const bool sticky = is_sticky(result);
  if (sticky) lost_.store(true, std::memory_order_relaxed);
  // Another configuration may need less memory, and is tried.
  throw Error(
      result == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::unfit : ErrorCode::device,
      fmt::format("{}{}{}{} failed on {}: {}{}", function, about.empty() ? "" : " (", about,
                  about.empty() ? "" : ")", description_, driver_.describe(result),
                  sticky ? "; the CUDA context is lost: only a new process can use this GPU again" : ""));
}

ContextScope::ContextScope(Context& context) : driver_(context.driver()) {
  if (current_ordinal(driver_) == context.device()) return;
  context.check(driver_.cuCtxPushCurrent(context.primary()), "cuCtxPushCurrent");
  pushed_ = true;
}

ContextScope::~ContextScope() {
  CUcontext popped = nullptr;
  if (pushed_) driver_.cuCtxPopCurrent(&popped);
}

std::function<void()> for_other_thread(std::shared_ptr<Context> context, std::function<void()> work) {
  CUcontext current = nullptr;
  const ContextScope scope(*context);
  context->check(context->driver().cuCtxGetCurrent(&current), "cuCtxGetCurrent");
  return [context = std::move(context), current, work = std::move(work)] {
    const Driver& driver = context->driver();
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;  // of this thread, whatever others capture
    driver.cuThreadExchangeStreamCaptureMode(&mode);
    const bool pushed = driver.cuCtxPushCurrent(current) == CUDA_SUCCESS;
    work();
    CUcontext popped = nullptr;
    if (pushed) driver.cuCtxPopCurrent(&popped);
  };
}

int current_ordinal(const Driver& driver) noexcept {
  CUcontext current = nullptr;
  CUdevice device = -1;
  if (driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS || current == nullptr) return -1;
  return driver.cuCtxGetDevice(&device) == CUDA_SUCCESS ? device : -1;
}

}  // namespace bitune::cuda
