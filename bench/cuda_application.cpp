#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "bench/application.hpp"
#include "bitune/error.hpp"
#include "runtime/cuda/context.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/properties.hpp"

namespace bitune {
namespace {

int ordinal_of(const cuda::Driver& driver, const std::string& uuid) {
  for (int ordinal = 0; ordinal < driver.device_count; ++ordinal) {
    if (cuda::read_uuid(driver, ordinal) == uuid) return ordinal;
  }
  throw Error(ErrorCode::unavailable,
              fmt::format("there is no GPU {}: `bitune devices` lists those that there are", uuid));
}

class CudaApplication final : public Application {
 public:
  CudaApplication(const cuda::Driver& driver, int ordinal)
      : context_(std::make_shared<cuda::Context>(driver, ordinal, fmt::format("GPU {}", ordinal))),
        current_(*context_) {
    static_cast<void>(cuda::allocate(context_, 1));
    synchronize();
  }

  void allocate(std::size_t bytes) { keys_ = cuda::allocate(context_, bytes); }

  [[nodiscard]] void* keys() const noexcept override { return keys_->data(); }
  void write(std::span<const std::byte> keys) override {
    context_->check(driver().cuMemcpyHtoDAsync(address(), keys.data(), keys.size(), nullptr),
                    "cuMemcpyHtoDAsync");
    synchronize();
  }
  void read(std::span<std::byte> keys) override {
    context_->check(driver().cuMemcpyDtoHAsync(keys.data(), address(), keys.size(), nullptr),
                    "cuMemcpyDtoHAsync");
    synchronize();
  }
  void synchronize() override {
    context_->check(driver().cuStreamSynchronize(nullptr), "cuStreamSynchronize");
  }

 private:
  [[nodiscard]] const cuda::Driver& driver() const noexcept { return context_->driver(); }
  [[nodiscard]] CUdeviceptr address() const noexcept { return reinterpret_cast<CUdeviceptr>(keys_->data()); }

  std::shared_ptr<cuda::Context> context_;
  cuda::ContextScope current_;
  std::unique_ptr<DeviceBuffer> keys_;
};

}  // namespace

std::unique_ptr<Application> start_cuda_application(const std::string& uuid, std::size_t bytes,
                                                    double& start_us) {
  const auto begin = std::chrono::steady_clock::now();
  const cuda::Driver& driver = cuda::driver();
  auto application = std::make_unique<CudaApplication>(driver, ordinal_of(driver, uuid));
  start_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  application->allocate(bytes);
  return application;
}

}  // namespace bitune
