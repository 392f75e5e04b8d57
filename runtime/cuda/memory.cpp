#include "runtime/cuda/memory.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "bitune/error.hpp"

namespace bitune::cuda {
namespace {

std::string size_text(std::size_t bytes) { return fmt::format("{} bytes", bytes); }

void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

class PlainBuffer final : public DeviceBuffer {
 public:
  PlainBuffer(std::shared_ptr<Context> context, std::size_t bytes)
      : context_(std::move(context)), size_(bytes) {
    if (size_ == 0) return;
    const ContextScope scope(*context_);
    context_->check(context_->driver().cuMemAlloc(&address_, size_), "cuMemAlloc", size_text(size_));
  }
  ~PlainBuffer() override {
    if (size_ == 0) return;
    release_quietly(*context_, [this] { context_->driver().cuMemFree(address_); });
  }
  [[nodiscard]] void* data() const noexcept override { return pointer_of(address_); }
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }

 private:
  std::shared_ptr<Context> context_;
  std::size_t size_;
  CUdeviceptr address_ = 0;
};

class StreamBuffer final : public DeviceBuffer {
 public:
  StreamBuffer(std::shared_ptr<Context> context, std::size_t bytes, CUmemoryPool pool, CUstream stream)
      : context_(std::move(context)), size_(bytes), stream_(stream) {
    const ContextScope scope(*context_);
    context_->check(context_->driver().cuMemAllocFromPoolAsync(&address_, size_, pool, stream_),
                    "cuMemAllocFromPoolAsync", size_text(size_));
  }
  ~StreamBuffer() override {
    // Of the call that has just allocated it: that the context is still there needs no second look.
    try {
      const ContextScope scope(*context_);
      context_->driver().cuMemFreeAsync(address_, stream_);
    } catch (const Error&) {
    }
  }
  [[nodiscard]] void* data() const noexcept override { return pointer_of(address_); }
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }

 private:
  std::shared_ptr<Context> context_;
  std::size_t size_;
  CUstream stream_;
  CUdeviceptr address_ = 0;
};

class PinnedBuffer final : public HostBuffer {
 public:
  PinnedBuffer(std::shared_ptr<Context> context, std::size_t bytes)
      : context_(std::move(context)), size_(bytes) {
    if (size_ == 0) return;
    const ContextScope scope(*context_);
    context_->check(context_->driver().cuMemHostAlloc(&data_, size_, CU_MEMHOSTALLOC_PORTABLE),
                    "cuMemHostAlloc", size_text(size_));
  }
  ~PinnedBuffer() override {
    if (size_ == 0) return;
    release_quietly(*context_, [this] { context_->driver().cuMemFreeHost(data_); });
  }
  [[nodiscard]] std::byte* data() const noexcept override { return static_cast<std::byte*>(data_); }
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }

 private:
  std::shared_ptr<Context> context_;
  std::size_t size_;
  void* data_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceBuffer> allocate(std::shared_ptr<Context> context, std::size_t bytes) {
  return std::make_unique<PlainBuffer>(std::move(context), bytes);
}

std::unique_ptr<DeviceBuffer> allocate_in_stream(std::shared_ptr<Context> context, std::size_t bytes,
                                                 CUstream stream) {
  CUmemoryPool pool = bytes > 0 ? context->pool() : nullptr;
  if (pool == nullptr) {
    if (bytes > 0 && context->is_capturing(stream)) {
      throw Error(ErrorCode::capture,
                  fmt::format("{} bytes cannot be allocated while the stream is being captured, as this GPU "
                              "has no memory pools: sort outside of the capture",
                              bytes));
    }
    return allocate(std::move(context), bytes);
  }
  return std::make_unique<StreamBuffer>(std::move(context), bytes, pool, stream);
}

std::unique_ptr<HostBuffer> allocate_host(std::shared_ptr<Context> context, std::size_t bytes) {
  return std::make_unique<PinnedBuffer>(std::move(context), bytes);
}

bool is_page_locked(const Driver& driver, CUdeviceptr address, std::size_t bytes) noexcept {
  unsigned type = 0;
  CUdeviceptr begin = 0;
  std::size_t size = 0;
  // Asks for several at once: this call takes memory that the driver does not know, and gives zeros for it.
  // The call for a single attribute fails then.
  std::array attributes = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                           CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  std::array<void*, attributes.size()> values = {&type, &begin, &size};
  return driver.cuPointerGetAttributes(attributes.size(), attributes.data(), values.data(), address) ==
             CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_HOST && begin <= address && address - begin <= size &&
         bytes <= size - (address - begin);
}

}  // namespace bitune::cuda
