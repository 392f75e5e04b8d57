#pragma once

/// \file
/// Kernels loaded on a GPU, and their launch.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "runtime/cuda/context.hpp"
#include "runtime/device.hpp"

namespace bitune::cuda {

/// A kernel that is ready to launch in every context of its GPU.
class CudaKernel final : public LoadedKernel {
 public:
  /// Loads the image and lets it use all the dynamic shared memory that a block can have
  /// (less what it uses statically), and all blocks of a cluster. \throws Error (device) with the driver's
  /// log, and what to do where the driver is too old
  CudaKernel(std::shared_ptr<Context> context, const KernelImage& image, const DeviceInfo& device);
  ~CudaKernel() override;
  CudaKernel(const CudaKernel&) = delete;
  CudaKernel& operator=(const CudaKernel&) = delete;

  [[nodiscard]] const KernelResources& resources() const noexcept override { return resources_; }

  /// Enqueues one launch in the current context. \throws Error (device) that names the kernel and the launch
  void launch(const Launch& launch, std::span<const std::uint64_t> arguments, CUstream stream) const;

  /// Whether the GPU, as the current context has it, can have all blocks of one of the launch's clusters at
  /// once.
  [[nodiscard]] bool holds_cluster(const Launch& launch) const;

 private:
  void load(const KernelImage& image);
  void read_resources();
  void allow_dynamic_shared_memory(std::int64_t shared_bytes_optin);
  void allow_large_clusters();
  void load_into_current_context();
  [[nodiscard]] CUfunction function_here() const;
  [[nodiscard]] std::string about(const Launch& launch, std::size_t arguments) const;
  [[nodiscard]] int attribute(CUfunction_attribute which) const;

  std::shared_ptr<Context> context_;
  std::string name_;                       // demangled, for messages
  std::optional<std::size_t> parameters_;  // where the name tells
  CUlibrary library_ = nullptr;
  CUkernel kernel_ = nullptr;
  CUfunction function_ = nullptr;  // of the context in which the kernel was loaded, and of no other
  std::optional<unsigned long long> function_context_id_;
  KernelResources resources_;
};

}  // namespace bitune::cuda
