#pragma once

/// \file
/// Guarded images in device memory.

#include <cstddef>
#include <memory>

#include "measure/guarded_image.hpp"
#include "runtime/device.hpp"

namespace bitune::test {

/// A copy of an image on a device, so many bytes behind an aligned address.
class DeviceImage {
 public:
  DeviceImage(const Device& device, const GuardedImage& image, std::size_t offset, Stream stream = nullptr)
      : device_(device),
        stream_(stream),
        layout_(image.layout()),
        offset_(offset),
        memory_(device.allocate(layout_.bytes() + offset)) {
    device.copy_to_device(begin(), image.bytes().data(), image.bytes().size(), stream);
    device.synchronize(stream);
  }

  [[nodiscard]] Operand operand() const { return layout_.operand(begin()); }

  [[nodiscard]] GuardedImage download() const {
    GuardedImage image(layout_);
    device_.copy_to_host(image.bytes().data(), begin(), image.bytes().size(), stream_);
    device_.synchronize(stream_);
    return image;
  }

 private:
  [[nodiscard]] std::byte* begin() const { return static_cast<std::byte*>(memory_->data()) + offset_; }

  const Device& device_;
  Stream stream_;
  GuardedLayout layout_;
  std::size_t offset_;
  std::unique_ptr<DeviceBuffer> memory_;
};

}  // namespace bitune::test
