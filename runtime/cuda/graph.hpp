#pragma once

/// \file
/// CUDA graphs of captured work.

#include <functional>
#include <memory>

#include "runtime/cuda/context.hpp"
#include "runtime/device.hpp"

namespace bitune::cuda {

/// Captures what `enqueue` enqueues in the stream, instantiates it and uploads it; waits until that is done.
/// \throws Error (device), and what `enqueue` throws
[[nodiscard]] std::unique_ptr<DeviceGraph> capture(std::shared_ptr<Context> context, CUstream stream,
                                                   const std::function<void()>& enqueue);

}  // namespace bitune::cuda
