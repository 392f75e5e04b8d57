#pragma once

/// \file
/// What a program does by itself before it has bitune sort.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace bitune {

/// An array in device memory that was taken without bitune, in a context that is current on this thread for
/// the object's lifetime. Thread-confined.
class Application {
 public:
  virtual ~Application() = default;
  [[nodiscard]] virtual void* keys() const noexcept = 0;
  /// Each of these waits until it is done. \throws Error (device)
  virtual void write(std::span<const std::byte> keys) = 0;
  virtual void read(std::span<std::byte> keys) = 0;
  virtual void synchronize() = 0;
};

/// Starts CUDA as any program does. It opens the driver, calls cuInit, and retains the primary context of the
/// GPU with this UUID. It makes that current, allocates a byte and synchronises. How long that took is in
/// `start_us`; the array's allocation is no part of it. \throws Error (unavailable, device)
[[nodiscard]] std::unique_ptr<Application> start_cuda_application(const std::string& uuid, std::size_t bytes,
                                                                  double& start_us);

/// For the emulated device, whose memory is the host's: there is nothing to start.
[[nodiscard]] std::unique_ptr<Application> start_host_application(std::size_t bytes);

}  // namespace bitune
