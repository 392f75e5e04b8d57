#pragma once

/// \file
/// Restrictions that several variants share.

#include "model/search_space.hpp"

namespace bitune {

/// vector_width keys are at most 16 bytes, the widest access of a thread.
[[nodiscard]] Restriction vector_fits_access();

/// block_size_x threads are at most what the device allows a block.
[[nodiscard]] Restriction block_fits_device();

/// The keys that a thread of strided_merge holds (2^steps_per_pass x vector_width x `unroll_parameter`) are
/// at most 256 bytes of registers. `unroll_parameter` may be empty.
[[nodiscard]] Restriction pass_fits_registers(std::string unroll_parameter);

}  // namespace bitune
