#include <cstring>
#include <new>

#include "bench/application.hpp"

namespace bitune {
namespace {

class HostApplication final : public Application {
 public:
  explicit HostApplication(std::size_t bytes)
      : keys_(static_cast<std::byte*>(::operator new[](bytes, alignment))) {}

  [[nodiscard]] void* keys() const noexcept override { return keys_.get(); }
  void write(std::span<const std::byte> keys) override { std::memcpy(keys_.get(), keys.data(), keys.size()); }
  void read(std::span<std::byte> keys) override { std::memcpy(keys.data(), keys_.get(), keys.size()); }
  void synchronize() override {}

 private:
  static constexpr std::align_val_t alignment{256};  // what CUDA's allocations have
  struct Delete {
    void operator()(std::byte* bytes) const noexcept { ::operator delete[](bytes, alignment); }
  };
  std::unique_ptr<std::byte[], Delete> keys_;
};

}  // namespace

std::unique_ptr<Application> start_host_application(std::size_t bytes) {
  return std::make_unique<HostApplication>(bytes);
}

}  // namespace bitune
