#pragma once

/// \file
/// What is shipped with tunings: the kernels that sorting by them takes, compiled without a GPU.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cache/kernel_archive.hpp"
#include "cache/kernel_cache.hpp"
#include "cache/tuning_database.hpp"
#include "model/kernel_image.hpp"
#include "model/plan.hpp"

namespace bitune {

/// The kernels that a device launches if these tunings are all there are. Of the tuned problems that match
/// the filter, and of lengths between them. None twice.
[[nodiscard]] std::vector<KernelSource> kernels_to_ship(const TuningDatabase& tunings,
                                                        const DeviceInfo& device,
                                                        const TrialFilter& filter = {});

/// How far compiling is.
struct ShippingProgress {
  std::size_t done = 0;
  std::size_t kernels = 0;
};

/// Compiles what each GPU of the database launches, on all cores, by the key of an archive. What is in the
/// kernel cache is taken from there, and what is compiled is kept there. Emulated devices are left out: their
/// kernels fit one machine. `progress` may be called from any thread, one call at a time. \throws Error
/// (unavailable) without NVRTC, Error (compile)
[[nodiscard]] std::map<std::string, KernelImage> compile_for_shipping(
    const TuningDatabase& tunings, KernelCache& cache,
    const std::function<void(const ShippingProgress&)>& progress, const TrialFilter& filter = {});

/// The kernels that `compile_for_shipping` would compile, and which of them an archive lacks.
struct ShippedKernels {
  std::size_t needed = 0;
  std::vector<KernelSource> missing;
};
/// Needs no NVRTC. An archive that is not there lacks all of them.
[[nodiscard]] ShippedKernels look_for_kernels(const TuningDatabase& tunings, const KernelArchive& archive,
                                              const TrialFilter& filter = {});

}  // namespace bitune
