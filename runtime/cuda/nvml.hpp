#pragma once

/// \file
/// NVML, the driver's management library, opened at run time: what a GPU's clock does.

#include <memory>
#include <optional>
#include <string>

#include "model/clock.hpp"

namespace bitune::cuda {

/// One GPU as NVML knows it. Thread-safe, as NVML is.
class NvmlGpu {
 public:
  /// The library's name on every Linux.
  static constexpr const char* default_library = "libnvidia-ml.so.1";

  /// Opens `library`, and in it the GPU with this UUID ("GPU-xxxxxxxx-..."). Null where there is no such
  /// library or GPU, or it lacks an entry point; `problem`, if given, receives why.
  [[nodiscard]] static std::unique_ptr<NvmlGpu> open(const std::string& library, const std::string& uuid,
                                                     std::string* problem = nullptr);
  ~NvmlGpu();
  NvmlGpu(const NvmlGpu&) = delete;
  NvmlGpu& operator=(const NvmlGpu&) = delete;

  /// The multiprocessors' clock now, and what holds it down; nothing if NVML does not tell.
  [[nodiscard]] std::optional<ClockReading> read_clock() const;

 private:
  struct Implementation;
  explicit NvmlGpu(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace bitune::cuda
