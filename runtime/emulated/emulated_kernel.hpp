#pragma once

/// \file
/// A compiled kernel loaded into this process.

#include <string>

#include "kernels/platform/emulated/services.hpp"
#include "runtime/device.hpp"

namespace bitune::emulated {

/// A shared object made by EmulatedCompiler, bound to the emulator. Unloaded on destruction.
class EmulatedKernel : public LoadedKernel {
 public:
  /// \throws Error (device) if the image is none of ours or cannot be loaded.
  EmulatedKernel(const KernelImage& image, int max_threads_per_block);
  ~EmulatedKernel() override;
  EmulatedKernel(const EmulatedKernel&) = delete;
  EmulatedKernel& operator=(const EmulatedKernel&) = delete;

  [[nodiscard]] const KernelResources& resources() const noexcept override { return resources_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] EntryFunction* entry() const noexcept { return entry_; }
  /// A letter for each parameter: 'p' for a pointer, a digit for a number of so many bytes.
  [[nodiscard]] const std::string& signature() const noexcept { return signature_; }

 private:
  std::string name_;
  void* library_ = nullptr;
  EntryFunction* entry_ = nullptr;
  std::string signature_;
  KernelResources resources_;
};

}  // namespace bitune::emulated
