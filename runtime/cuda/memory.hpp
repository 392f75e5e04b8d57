#pragma once

/// \file
/// Device and host memory of a GPU.

#include <cstddef>
#include <memory>

#include "runtime/cuda/context.hpp"
#include "runtime/device.hpp"

namespace bitune::cuda {

/// Device memory. \throws Error (device) that says how many bytes were asked for
[[nodiscard]] std::unique_ptr<DeviceBuffer> allocate(std::shared_ptr<Context> context, std::size_t bytes);

/// Device memory for later work in `stream`, given back to the pool in that stream's order; plain device
/// memory where the GPU has no memory pools. The stream must outlive the buffer.
[[nodiscard]] std::unique_ptr<DeviceBuffer> allocate_in_stream(std::shared_ptr<Context> context,
                                                               std::size_t bytes, CUstream stream);

/// Page-locked host memory that every context may use.
[[nodiscard]] std::unique_ptr<HostBuffer> allocate_host(std::shared_ptr<Context> context, std::size_t bytes);

/// Whether the driver knows all of this memory as page-locked memory of the host, in one piece.
[[nodiscard]] bool is_page_locked(const Driver& driver, CUdeviceptr address, std::size_t bytes) noexcept;

}  // namespace bitune::cuda
