#include "runtime/cuda/context.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

namespace bitune::cuda {
namespace {

/// What the one who reads of an error can do.
std::string_view advice_on(CUresult result) {
  switch (result) {
    case CUDA_ERROR_NOT_INITIALIZED:
      return "; CUDA does not go on in a process that was forked after its first use: fork before, or start "
             "a new "
             "program";
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return "; the CUDA context was reset or destroyed: only a new Sorter can use this GPU again";
    default:
      return is_sticky(result) ? "; the CUDA context is lost: only a new process can use this GPU again" : "";
  }
}

}  // namespace

Context::Context(const Driver& driver, int ordinal, std::string description)
    : driver_(driver), description_(std::move(description)) {
  check(driver_.cuDeviceGet(&device_, ordinal), "cuDeviceGet");
}

Context::~Context() {
  if (pool_ != nullptr && holds()) driver_.cuMemPoolDestroy(pool_);
  if (primary_ != nullptr) driver_.cuDevicePrimaryCtxRelease(device_);
}

CUcontext Context::primary() {
  const std::lock_guard lock(mutex_);
  if (primary_ == nullptr) {
    check(driver_.cuDevicePrimaryCtxRetain(&primary_, device_), "cuDevicePrimaryCtxRetain");
    check(driver_.cuCtxGetId(primary_, &primary_id_), "cuCtxGetId");
  }
  require_not_reset();
  return primary_;
}

/// Handles of what a reset took with it must not reach the driver: it need not notice.
void Context::require_not_reset() {
  if (primary_ == nullptr) return;
  unsigned flags = 0;
  int is_active = 0;
  unsigned long long id = 0;
  check(driver_.cuDevicePrimaryCtxGetState(device_, &flags, &is_active), "cuDevicePrimaryCtxGetState");
  if (is_active != 0 && driver_.cuCtxGetId(primary_, &id) == CUDA_SUCCESS && id == primary_id_) return;
  fail(CUDA_ERROR_CONTEXT_IS_DESTROYED, "use of the primary context", {});
}

bool Context::holds() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    require_not_reset();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

CUmemoryPool Context::pool() {
  const std::lock_guard lock(mutex_);
  require_not_reset();
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
      result == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::out_of_resources : ErrorCode::device,
      fmt::format("{}{}{}{} failed on {}: {}{}", function, about.empty() ? "" : " (", about,
                  about.empty() ? "" : ")", description_, driver_.describe(result), advice_on(result)));
}

ContextScope::ContextScope(Context& context, Wanted wanted) : driver_(context.driver()) {
  if (wanted == Wanted::current_or_primary && current_ordinal(driver_) == context.device()) return;
  context.check(driver_.cuCtxPushCurrent(context.primary()), "cuCtxPushCurrent");
  pushed_ = true;
}

ContextScope::~ContextScope() {
  CUcontext popped = nullptr;
  if (pushed_) driver_.cuCtxPopCurrent(&popped);
}

std::function<void()> for_other_thread(std::shared_ptr<Context> context, std::function<void()> work) {
  return [context = std::move(context), work = std::move(work)] {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;  // of this thread, whatever others capture
    context->driver().cuThreadExchangeStreamCaptureMode(&mode);
    std::optional<ContextScope> scope;
    try {
      scope.emplace(*context, Wanted::primary);
    } catch (const Error&) {  // the work meets the same error, and tells whom it concerns
    }
    work();
  };
}

int current_ordinal(const Driver& driver) noexcept {
  CUcontext current = nullptr;
  CUdevice device = -1;
  if (driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS || current == nullptr) return -1;
  return driver.cuCtxGetDevice(&device) == CUDA_SUCCESS ? device : -1;
}

}  // namespace bitune::cuda
