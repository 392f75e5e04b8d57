#pragma once

/// \file
/// The emulated device: kernels run on the CPU, each emulated thread on a fibre.

#include <memory>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/emulated/emulated_compiler.hpp"
#include "runtime/emulated/emulated_options.hpp"

namespace bitune {

using emulated::EmulatedOptions;

/// Makes an emulated device. Everything on it is done when the call returns: streams are immediate, events
/// are points of the host's steady clock. A group of co-resident blocks (a block or a cluster)
/// runs on one host thread; several groups run on several. Device memory and shared memory are filled
/// with junk at first.
///
/// Kernels that deadlock or break a rule of the platform throw Error (device) naming kernel, block and
/// thread; a kernel that faults takes the process with it. `extra_headers` stand beside the embedded ones.
/// \throws Error (usage) for options that make no sense.
[[nodiscard]] std::shared_ptr<Device> make_emulated_device(
    const EmulatedOptions& options = EmulatedOptions::from_environment(),
    std::vector<emulated::SourceFile> extra_headers = {});

}  // namespace bitune
