#pragma once

/// \file
/// A sort between kernels of others. In a row, sorts overlap their neighbours, and short ones look shorter
/// than they are to an application.

#include <vector>

#include "bench/interleaved_sampler.hpp"
#include "measure/sampler.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"

namespace bitune {

/// Sorts that take longer are not timed so: the neighbours make no difference of a percent.
inline constexpr double longest_between_us = 50;

/// Microseconds of one sort between two small kernels that know nothing of dependent launches. Kernel, sort,
/// kernel, sort, ... is timed in turn with the kernels alone, and the difference is the sort. So it holds the
/// gaps around it.
[[nodiscard]] double time_between_kernels(const Device& device, KernelStore& kernels, const Contestant& sort,
                                          InterleavedSampler& sampler, int samples);

}  // namespace bitune
