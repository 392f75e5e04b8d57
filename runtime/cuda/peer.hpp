#pragma once

/// \file
/// Copies from one GPU to another.

#include <cstddef>

#include "runtime/cuda/context.hpp"

namespace bitune::cuda {

/// Copies in a stream of the GPU that receives. Directly from memory to memory where the two are peers, which
/// is made so here; else the driver takes the way through the host. \throws Error (device)
void copy_from_peer(Context& to_gpu, void* to, Context& from_gpu, const void* from, std::size_t bytes,
                    CUstream stream);

}  // namespace bitune::cuda
