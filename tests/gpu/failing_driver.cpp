#include "tests/gpu/failing_driver.hpp"

#include <optional>
#include <vector>

namespace bitune::test {
namespace {

using cuda::Driver;

/// The table is made by driver() as an object that may change; only what it returns may not.
Driver& table() { return const_cast<Driver&>(cuda::driver()); }

/// What puts the real functions back.
std::vector<void (*)()>& restorers() {
  static std::vector<void (*)()> all;
  return all;
}

}  // namespace

/// Stands for a function that takes something, of which `holds` says what; nothing for launches and the like.
template <auto Member>
struct Taking;

template <class... Arguments, CUresult (*Driver::*Member)(Arguments...)>
struct Taking<Member> {
  static inline CUresult (*real)(Arguments...) = nullptr;
  static inline std::optional<Held> holds;

  static CUresult call(Arguments... arguments) {
    if (FailingDriver::fails_now()) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult result = real(arguments...);
    if (result == CUDA_SUCCESS && holds) ++FailingDriver::held_[static_cast<int>(*holds)];
    return result;
  }
  static void install(std::optional<Held> what = std::nullopt) {
    if (table().*Member == nullptr) return;  // of newer drivers
    real = table().*Member;
    holds = what;
    table().*Member = call;
    restorers().push_back([] { table().*Member = real; });
  }
};

/// Stands for a function that gives it back, and never fails by our doing.
template <auto Member>
struct Giving;

template <class... Arguments, CUresult (*Driver::*Member)(Arguments...)>
struct Giving<Member> {
  static inline CUresult (*real)(Arguments...) = nullptr;
  static inline Held holds = Held::device_memory;

  static CUresult call(Arguments... arguments) {
    const CUresult result = real(arguments...);
    if (result == CUDA_SUCCESS) --FailingDriver::held_[static_cast<int>(holds)];
    return result;
  }
  static void install(Held what) {
    real = table().*Member;
    holds = what;
    table().*Member = call;
    restorers().push_back([] { table().*Member = real; });
  }
};

FailingDriver::FailingDriver(bool launches) {
  for (auto& count : held_) count = 0;
  fail_none();
  Taking<&Driver::cuMemAlloc>::install(Held::device_memory);
  Giving<&Driver::cuMemFree>::install(Held::device_memory);
  Taking<&Driver::cuMemAllocFromPoolAsync>::install(Held::stream_memory);
  Giving<&Driver::cuMemFreeAsync>::install(Held::stream_memory);
  Taking<&Driver::cuMemHostAlloc>::install(Held::host_memory);
  Giving<&Driver::cuMemFreeHost>::install(Held::host_memory);
  Taking<&Driver::cuMemPoolCreate>::install(Held::pool);
  Giving<&Driver::cuMemPoolDestroy>::install(Held::pool);
  Taking<&Driver::cuLibraryLoadData>::install(Held::library);
  Giving<&Driver::cuLibraryUnload>::install(Held::library);
  Taking<&Driver::cuStreamCreate>::install(Held::stream);
  Giving<&Driver::cuStreamDestroy>::install(Held::stream);
  Taking<&Driver::cuEventCreate>::install(Held::event);
  Giving<&Driver::cuEventDestroy>::install(Held::event);
  Taking<&Driver::cuDevicePrimaryCtxRetain>::install(Held::primary_context);
  Giving<&Driver::cuDevicePrimaryCtxRelease>::install(Held::primary_context);
  Taking<&Driver::cuLibraryGetKernel>::install();
  Taking<&Driver::cuKernelGetFunction>::install();
  Taking<&Driver::function_load>::install();
  if (!launches) return;
  Taking<&Driver::cuLaunchKernel>::install();
  Taking<&Driver::cuLaunchKernelEx>::install();
}

FailingDriver::~FailingDriver() {
  for (const auto restore : restorers()) restore();
  restorers().clear();
}

void FailingDriver::fail(long first, long last) {
  first_ = last_ = calls_ = failed_ = 0;
  first_ = first;
  last_ = last;
}

bool FailingDriver::fails_now() noexcept {
  const long call = ++calls_;
  if (call < first_ || call > last_) return false;
  ++failed_;
  return true;
}

std::string FailingDriver::held() {
  constexpr const char* names[held_kinds] = {
      "device memory", "stream-ordered memory", "page-locked memory", "pool", "library", "stream",
      "event",         "primary context"};
  std::string text;
  for (int i = 0; i < held_kinds; ++i) {
    if (held_[i] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(held_[i].load()) + " of " + names[i];
  }
  return text;
}

}  // namespace bitune::test
