#pragma once

/// \file
/// Copies from one GPU to another, and what kernels read of another one.

#include <cstddef>
#include <string_view>

#include "runtime/cuda/context.hpp"

namespace bitune::cuda {

/// Copies in a stream of the GPU that receives. Directly from memory to memory where the two are peers, which
/// is made so here; else the driver takes the way through the host. \throws Error (device)
void copy_from_peer(Context& to_gpu, void* to, Context& from_gpu, const void* from, std::size_t bytes,
                    CUstream stream);

/// Whether kernels in the GPU's primary context may read what was allocated in the other one's; makes it so
/// where their link can. \throws Error (device)
[[nodiscard]] bool reaches(Context& gpu, Context& other);

/// As Device::link_to. \throws Error (device)
[[nodiscard]] std::string_view link_between(Context& gpu, Context& other);

}  // namespace bitune::cuda
